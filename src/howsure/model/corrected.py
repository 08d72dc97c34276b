"""Judged items: measures against the human labels, where most labels are a judge's.

The human labels that nobody gave follow those of validated items that the judge said the same of (and the system
answered the same to). Measures are asked of the four cells of human label and answer that this implies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from howsure.distribution import Distribution
from howsure.errors import BadSetting
from howsure.evidence.judged import JudgedItems
from howsure.model import judge_notes
from howsure.model.cells import CellQuestion
from howsure.model.judge_draws import joint_strata, strata_draws
from howsure.model.question import Gap, Question, drawn_gap
from howsure.model.right_or_wrong import only_hits
from howsure.model.sampling import apart, difference_law, sampled_law
from howsure.notes import Note, Notes, note
from howsure.priors import Prior
from howsure.routes import values

if TYPE_CHECKING:
    from howsure.kernels.law import Law

Array = NDArray[np.float64]
Cells = dict[str, Array]


@dataclass(frozen=True, eq=False, repr=False)
class Corrected(Question):
    """A measure against human labels, most of which a judge stands for."""

    human: CellQuestion  # the same measure of the human labels alone (of the first system)

    differences_drawn = True

    @property
    def evidence(self) -> JudgedItems:
        """What was judged."""
        return self.state.evidence  # type: ignore[no-any-return]

    @cached_property
    def weights(self) -> Array:
        """The prior's weight on each stratum and human label, (stratum, human)."""
        return prior_weights(self.state.prior, self.evidence)

    def cells(self, share: Array, yes: Array, no: Array) -> Cells:
        """The cells of human label and answer, from shares of strata and of labels in them, strata first."""
        hit, miss = share * yes, share * no
        if self.evidence.outcome:
            lost = "fn" if only_hits(self.human.metric) else "fp"
            zero = np.zeros(share.shape[1:])
            return {"tp": zero, "fp": zero, "fn": zero, "tn": zero} | {"tp": hit.sum(axis=0), lost: miss.sum(axis=0)}
        said = np.arange(self.evidence.strata) % 2 == 1
        found = {"tp": hit[said], "fp": miss[said], "fn": hit[~said], "tn": miss[~said]}
        turned = {"tp": "tn", "fp": "fn", "fn": "fp", "tn": "tp"} if getattr(self.human, "place", 1) == 0 else {}
        return {c: found[turned.get(c, c)].sum(axis=0) for c in found}

    # -- one system

    @cached_property
    def score(self) -> Array:
        """Human labels of validated items, for all items of their stratum; undefined where some have none."""
        known, unknown = self.evidence.known(), self.evidence.unknown()
        both = known.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            yes = np.where(both > 0, known[..., 1] / both, np.where(unknown > 0, np.nan, 0.5))
        share, yes = (np.moveaxis(np.asarray(x, dtype=float), -1, 0) for x in (unknown + both, yes))
        return np.asarray(self.human.light.at(self.cells(share, yes, 1.0 - yes)), dtype=float)

    @property
    def undefined(self) -> str:
        """When the point score is undefined."""
        return "items that the judge labelled alike have no human label among them, or " + super().undefined

    def law(self) -> tuple[Law, str]:
        """By draws."""
        return self._law, "sampled"

    @cached_property
    def _law(self) -> Law:
        return sampled_law(self.state, self.human.light.bounds, self._law_draws, self.evidence.tables)

    def draws(self, n: int, seed: int) -> Array:
        """The measure at draws of the cells, table by table of a batch."""
        return self._drawn(n, seed, alike=False)

    def _law_draws(self, n: int, seed: int) -> Array:
        """The same, but equal tables of a batch have equal draws."""
        return self._drawn(n, seed, alike=True)

    def _drawn(self, n: int, seed: int, alike: bool) -> Array:
        e = self.evidence
        tables = range(e.tables)
        found = [values(self.human.light, self.drawn_cells(j, n, seed, 0 if alike else j), None) for j in tables]
        return np.stack(found, axis=-1).reshape(n, *e.shape)

    def drawn_cells(self, j: int, n: int, seed: int, place: int = 0) -> Cells:
        """Draws of the cells of one table of the batch."""
        known, unknown = self._tables
        return self.cells(*strata_draws(known[j], unknown[j], self.weights, n, seed, place))

    @cached_property
    def _tables(self) -> tuple[Array, Array]:
        e = self.evidence
        return e.known().reshape(-1, e.strata, 2), e.unknown().reshape(-1, e.strata)

    # -- systems on the same items

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same patterns."""
        return self._joint(0, n, seed)

    def _joint(self, j: int, n: int, seed: int) -> Array:
        """Of one table of the batch, (n, systems)."""
        e = self.evidence
        parts = []
        for share, yes in joint_strata(e, e.counts.reshape(-1, len(e.cells))[j], self.weights, n, seed):
            s, y = (np.moveaxis(x, -1, 0) for x in (share, yes))
            parts.append(values(self.human.light, self.cells(s, y, 1.0 - y), None))
        return np.concatenate(parts)

    def ratio_draws(self, n: int, seed: int) -> tuple[Array, Array]:
        """Both systems from the same patterns of every table."""
        e = self.evidence
        found = np.stack([self._joint(j, n, seed) for j in range(e.tables)], axis=-1).reshape(n, 2, *e.shape)
        return found[:, 0], found[:, 1]

    def difference(self) -> Gap:
        """By joint draws."""
        x = self._gap_draws(self.state.wanted_draws(1.3), self.state.seed)
        law = difference_law(self.human.light.bounds, x)
        return drawn_gap(Distribution(f"difference of {self.metric}", law, "sampled", self._gap_draws))

    def _gap_draws(self, n: int, seed: int) -> Array:
        return apart(*self.ratio_draws(n, seed))

    @property
    def called(self) -> str:
        """As asked for."""
        return self.asked

    def widths(self) -> tuple[float, float]:
        """Of the 95% interval, and of that by human labels alone."""
        low, high, *_ = self._law.equal_tailed(0.95)
        return float(high - low), float(self.human.distribution.interval().width)

    def variances(self, n: int) -> tuple[float, float]:
        """Of the measure, and of it where the shares of all strata are known: that part falls with human labels."""
        (known,), (unknown,) = self._tables
        share, yes, no = strata_draws(known, unknown, self.weights, n, self.state.seed, 0)
        fixed = np.broadcast_to(share.mean(axis=1, keepdims=True), share.shape)
        whole, part = (values(self.human.light, self.cells(x, yes, no), None) for x in (share, fixed))
        return float(np.nanvar(whole)), float(np.nanvar(part))

    def classical_tests(self) -> dict[str, float | None]:
        """Refused: they know no judge."""
        raise BadSetting("these tests need a label of every item; here a judge stands for most of them.")

    def matches(self, other: Question) -> None:
        """Both need the same positive class."""
        self.human.matches(other)

    # -- what is to be said

    @property
    def prior_note(self) -> Note | None:
        """The weight of each stratum and human label."""
        if self.state.prior.name != "even":
            return None
        return note("prior", rule="judge-verdicts" if self.evidence.outcome else "judge-labels")

    @property
    def remarks(self) -> Notes:
        """What was remarked, and what is known of the judge."""
        return (*self.evidence.notes, *judge_notes.remarks(self))


def prior_weights(prior: Prior, e: JudgedItems) -> Array:
    """Weight on every stratum and human label: what a human label has alone, shared by what the judge may say."""
    if e.outcome:
        hit, miss = prior.outcome()
        return np.array([[miss, hit]] * 2) / 2
    if prior.two_level:
        raise BadSetting("judged items need a flat prior such as even; a two-level prior has no form for a judge.")
    w = prior.binary(1, 2)
    return np.array([[w["tn"], w["fn"]], [w["fp"], w["tp"]]] * 2) / 2
