"""Slices together: a rate of every slice, each lent strength by the others (prior `shared`, shrink=True).

A slice alone has weight ½ on a hit and ½ on a miss. Together they have some items more of the rate that they share; how
many, and that rate, are learned from all slices and integrated over (distributions/beta_mixture.py). So a slice of
few items is moved far towards the others, one of many hardly, and none where slices differ as much as chance allows
at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from howsure.arrays import Array, Mask
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.forms import Linear
from howsure.catalogue.metric import Metric
from howsure.distributions.sampling import generator
from howsure.errors import BadSetting
from howsure.messages.language import option
from howsure.messages.notes import Note, Notes, note
from howsure.posteriors.cells import CellEstimand
from howsure.posteriors.estimand import Estimand
from howsure.posteriors.state import State

if TYPE_CHECKING:
    from howsure.distributions.beta_mixture import BetaMixture, SharedNodes
    from howsure.distributions.protocol import Law


OWN: Final = (0.5, 0.5)  # the weight of a slice's own, on a hit and on a miss
TOTAL: Final = sum(OWN)


def check_slices(evidence: Any) -> None:
    """Refuse what has no slices, or items with weights."""
    given = f"{option('shrink')} lends strength between slices"
    if not evidence.shape:
        raise BadSetting(f"{given}, and there are none here: give {option('by')}.")
    if len(evidence.shape) > 1:
        raise BadSetting(f"{given} along one axis; these tables have {len(evidence.shape)}.")
    if evidence.shape[0] < 2:
        raise BadSetting(f"{given}, and there is only one here: leave it out.")
    if evidence.weighted:
        raise BadSetting(f"{given} of counted items; these have weights: leave it out.")


def shrunken(state: State, metric: Metric, asked: str, ask: Callable[[State, Metric, str], Estimand]) -> Shrunken:
    """A measure of slices together, where it is a rate of those that it looks at."""
    inner = ask(replace(state, prior=state.prior.alone, kept={}), metric, asked)
    if not isinstance(inner, CellEstimand) or (sides := rate_cells(inner.light)) is None:
        what = f"{option('shrink')} is for rates, hits of trials, such as accuracy, recall or precision"
        raise BadSetting(f"{what}; {asked} is not one.")
    return Shrunken(state, metric, asked, inner, *sides)


def rate_cells(metric: Metric) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The cells of hits and of misses, of a measure that is a share of hits; None of others."""
    form = metric.reading.form
    if not isinstance(form, Linear) or metric.reading.outer:
        return None
    used = [(c, t, b) for c, t, b in zip(CELLS, form.top, form.bottom, strict=True) if t or b]
    bottoms = {b for _, _, b in used}
    if len(bottoms) != 1 or not all(t in (0.0, b) for _, t, b in used):
        return None
    hits, misses = tuple(c for c, t, _ in used if t), tuple(c for c, t, _ in used if not t)
    return (hits, misses) if hits and misses else None


@dataclass(frozen=True, eq=False, repr=False)
class Shrunken(Estimand):
    """A rate of every slice; `inner` is the same question to slices on their own."""

    inner: CellEstimand
    hit: tuple[str, ...]
    miss: tuple[str, ...]

    @cached_property
    def _counts(self) -> tuple[Array, Array]:
        """Hits and misses of each slice."""
        cells = {c: np.asarray(x, dtype=float) for c, x in self.inner.counts().items()}
        hits, misses = (np.sum([cells[c] for c in side], axis=0) for side in (self.hit, self.miss))
        return hits, misses

    @cached_property
    def nodes(self) -> SharedNodes:
        """The law of what slices share."""
        from howsure.distributions.beta_mixture import shared_nodes

        return shared_nodes(*self._counts, OWN)

    @cached_property
    def score(self) -> Array:
        """The rate of the items themselves, of each slice alone."""
        return self.inner.score

    @cached_property
    def _mixture(self) -> BetaMixture:
        from howsure.distributions.beta_mixture import BetaMixture

        return BetaMixture(*self._counts, self.nodes)

    def law(self) -> tuple[Law, str]:
        """A mixture of Betas."""
        return self._mixture, "quadrature"

    def draws(self, n: int, seed: int) -> Array:
        """n draws of the rates of all slices, made together: (n, slices)."""
        hits, misses = self._counts
        rng = generator(seed, 160_038, hits, misses)
        at = rng.choice(self.nodes.weight.size, n, p=self.nodes.weight)
        return rng.beta(hits + self.nodes.a[at, None], misses + self.nodes.b[at, None])

    @cached_property
    def by_table(self) -> dict[str, Array]:
        """How far each slice is moved from its own mean to the rate that all share: from 0 to 1."""
        hits, misses = self._counts
        return {"shrink": self.nodes.pull(hits + misses)}

    def shared(self, level: float) -> dict[str, Any]:
        """The rate that slices share, how far their rates lie apart, and how much they lend each other."""
        nodes, tails = self.nodes, np.array([0.5 * (1.0 - level), 0.5, 0.5 * (1.0 + level)])
        low, middle, high = nodes.spread_quantiles(tails).tolist()
        return {
            "slices": int(self._counts[0].size),
            "mean": float(nodes.mean() @ nodes.weight),
            "spread": {"median": middle, "low": low, "high": high},
            "lent": float(nodes.lent @ nodes.weight),
        }

    @property
    def prior_note(self) -> Note | None:
        """½ on a hit and on a miss, and what the others lend."""
        return note("prior", rule="lent")

    @property
    def remarks(self) -> Notes:
        """How far slices lie apart, and how far one of the usual size is moved."""
        hits, misses = self._counts
        items = hits + misses
        usual = round(float(np.median(items)))
        spread = float(self.nodes.spread_quantiles(np.array([0.5]))[0])
        told = note(
            "shrunk", of=(self.asked,), spread=(float(f"{spread:.3g}"),), items=(usual,),
            moved=(float(f"{self.nodes.pull(np.array(usual)):.3g}"),),
        )  # fmt: skip
        empty = int((items == 0).sum())
        lent = (note("shrunk-empty", of=self.asked, count=empty),) if empty else ()
        return (*self.inner.remarks, told, *lent)

    @cached_property
    def empty_cell(self) -> Mask:
        """As of slices on their own."""
        return self.inner.empty_cell
