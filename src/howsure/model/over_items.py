"""Over items: means over items with many labels, and quotients of sums over all their labels, with exact laws.

A mean over items (`samples-`, Hamming loss) has the prior's weight on the ends of its range; a micro average that is a
linear quotient of the cells of all labels added up has weight ½ on each of these cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import Metric
from howsure.catalogue import parse as parse_metric
from howsure.distribution import Distribution
from howsure.errors import BadSetting
from howsure.evidence.label_sets import Multilabel
from howsure.expressions import CELLS
from howsure.forms import Linear
from howsure.kernels.draws import stream
from howsure.kernels.sticks import sticks
from howsure.model.cells import label_notes
from howsure.model.label_draws import MICRO, LabelDrawing, refuse_tables
from howsure.model.means import mean_law
from howsure.model.question import Gap, Question, drawn_gap, exact_gap
from howsure.model.sampling import difference_law
from howsure.notes import Note, Notes, note

if TYPE_CHECKING:
    from howsure.kernels.law import Law

Array = NDArray[np.float64]

STREAM: Final = 50_021


def item_cells(t: Multilabel, system: int = 0) -> dict[str, Array]:
    """Right, false, missed and other labels of every pattern."""
    truth, answers, both = t.memberships()
    many = len(t.cells)
    size, said, tp = (np.bincount(x[0], minlength=many).astype(float) for x in (truth, answers[system], both[system]))
    return {"tp": tp, "fp": said - tp, "fn": size - tp, "tn": len(t.labels) - size - said + tp}


@dataclass(frozen=True, eq=False, repr=False)
class OverItems(Question):
    """A measure Σ top·G / Σ bottom·G over items, each with a top and a bottom of its own."""

    metric: Metric

    def parts(self, system: int) -> tuple[Array, Array]:
        """What each pattern adds above and below the line."""
        del system
        raise self._unasked("parts")

    def atoms(self) -> tuple[Array, Array, Array]:
        """What the prior adds above and below the line of one system, and with what weights."""
        raise self._unasked("a prior")

    def prior_mass(self, rng: np.random.Generator, size: tuple[int, int]) -> tuple[Array, Array]:
        """Draws of what the prior adds above and below the line of each system's quotient."""
        del rng, size
        raise self._unasked("a prior")

    @cached_property
    def score(self) -> Array:
        """Of the items themselves."""
        top, bottom = self.parts(0)
        counts = self.state.evidence.counts
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((top * counts).sum() / (bottom * counts).sum())

    def joint_draws(self, n: int, seed: int) -> Array:
        """All systems from the same weights of the items."""
        shapes, systems = self.state.evidence.effective, range(len(self.state.evidence.systems))
        own = stream(seed, self.state.evidence.cells, shapes)
        rng = np.random.Generator(np.random.SFC64([own, STREAM]))
        top, bottom = (np.stack(x, axis=1) for x in zip(*(self.parts(s) for s in systems), strict=True))
        out = np.empty((n, len(systems)))
        size = max(1, 5_000_000 // len(top))
        for i in range(0, n, size):
            m = min(size, n - i)
            mass = rng.standard_gamma(shapes, (m, len(top)))
            up, down = self.prior_mass(rng, (m, len(systems)))
            out[i : i + m] = (mass @ top + up) / (mass @ bottom + down)
        return out

    def _gap_draws(self, n: int, seed: int) -> Array:
        first, second = self.ratio_draws(n, seed)
        return first - second

    @property
    def remarks(self) -> Notes:
        """That labels stay together."""
        return label_notes(self.state)


@dataclass(frozen=True, eq=False, repr=False)
class MeanOverItems(OverItems):
    """The mean over items of a measure of each item's own labels; 0 where it is undefined, as in scikit-learn."""

    @cached_property
    def of_item(self) -> Metric:
        """The measure of one item's own labels."""
        base = self.metric.base
        return base if base is not None else replace(parse_metric("error-rate"), multiclass=None)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The prior's weights on the ends of the range; Hamming loss is a mean over (item, label) pairs."""
        if not np.isfinite(self.metric.bounds).all():
            raise BadSetting(
                f"{self.metric} has no bound, and a mean over items needs one; ask for micro or macro averages."
            )
        refuse_tables(self.state.prior)
        high, low = self.state.prior.outcome()
        share = 1.0 / len(self.state.evidence.labels) if self.metric.average == "" else 1.0
        return low * share, high * share

    def parts(self, system: int) -> tuple[Array, Array]:
        """The value of each pattern, and 1."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.asarray(self.of_item.formula(**item_cells(self.state.evidence, system)), dtype=float)
        value = np.where(np.isnan(value), 0.0, value)
        return value, np.ones_like(value)

    def law(self) -> tuple[Law, str]:
        """The mean under Dirichlet weights, with the prior's weight on each bound, as for graded values."""
        up, down, ends = self.atoms()
        top, bottom = np.concatenate([self.parts(0)[0], up]), np.concatenate([self.parts(0)[1], down])
        weight = np.concatenate([self.state.evidence.effective, ends])
        kept = weight > 0
        return mean_law(top[kept], bottom[kept], weight[kept])

    def atoms(self) -> tuple[Array, Array, Array]:
        """Both ends of the range."""
        return np.array(self.metric.bounds), np.ones(2), np.array(self.ends)

    def prior_mass(self, rng: np.random.Generator, size: tuple[int, int]) -> tuple[Array, Array]:
        """One Gamma for all systems, dealt to atoms at whose ends each system has a coin of its own."""
        low, high = self.metric.bounds
        total = float(sum(self.ends))
        parts = sticks(rng, np.array([total]), size[0])[0] * rng.standard_gamma(total, size[0])  # (atoms, draws)
        up = np.zeros(size)
        for part in parts:
            up += part[:, None] * np.where(rng.random(size) < self.ends[1] / total, high, low)
        return up, parts.sum(axis=0)[:, None] * np.ones(size)

    def difference(self) -> Gap:
        """The mean of the differences: exact."""
        low, high = self.metric.bounds
        gap = self.parts(0)[0] - self.parts(1)[0]
        atoms = np.array([0.0, 0.0, high - low, low - high])  # both at one end, or at different ones
        a, b = self.ends
        weights = np.array([a**2, b**2, a * b, a * b]) / (a + b)
        shapes = np.concatenate([self.state.evidence.effective, weights])
        law, route = mean_law(np.concatenate([gap, atoms]), np.ones(len(shapes)), shapes)
        return exact_gap(Distribution(f"difference of {self.metric}", law, route, self._gap_draws), route)

    @property
    def prior_note(self) -> Note | None:
        """1 on each end."""
        return None if self.state.prior.name != "even" else note("prior", rule="item-ends")


@dataclass(frozen=True, eq=False, repr=False)
class AddedUp(OverItems):
    """A micro average that is a linear quotient of the cells of all labels added up."""

    @cached_property
    def form(self) -> Linear:
        """The quotient."""
        found = self.metric.base.reading.form if self.metric.base is not None else None
        assert isinstance(found, Linear)  # noqa: S101 - is_quotient looked
        return found

    def parts(self, system: int) -> tuple[Array, Array]:
        """What each pattern adds above and below the line."""
        cells = item_cells(self.state.evidence, system)
        top, bottom = (
            np.asarray(np.sum([w * cells[c] for w, c in zip(part, CELLS, strict=True)], axis=0))
            for part in (self.form.top, self.form.bottom)
        )
        return top, bottom

    def law(self) -> tuple[Law, str]:
        """A quotient of Gammas, with ½ on each cell."""
        (top, bottom), (up, down, weight) = self.parts(0), self.atoms()
        top, bottom = np.concatenate([top, up]), np.concatenate([bottom, down])
        shapes = np.concatenate([self.state.evidence.effective, weight])
        kept = (bottom > 0) & (shapes > 0)
        return mean_law(top[kept], bottom[kept], shapes[kept])

    def atoms(self) -> tuple[Array, Array, Array]:
        """One item in each cell."""
        return np.array(self.form.top), np.array(self.form.bottom), np.full(4, MICRO)

    def prior_mass(self, rng: np.random.Generator, size: tuple[int, int]) -> tuple[Array, Array]:
        """½ on each cell of every system."""
        own = rng.standard_gamma(MICRO, (*size, 4))
        return own @ np.array(self.form.top), own @ np.array(self.form.bottom)

    def difference(self) -> Gap:
        """By joint draws."""
        n = self.state.wanted_draws(1.3)
        cost = LabelDrawing(self.state.evidence, self.state.prior, self.metric.classes_count_alike).plan().cost
        n = max(min(n, 10_000), min(n, 60_000_000 // cost))
        law = difference_law(self.metric.bounds, self._gap_draws(n, self.state.seed))
        return drawn_gap(Distribution(f"difference of {self.metric}", law, "sampled", self._gap_draws))

    @property
    def prior_note(self) -> Note | None:
        """½ on each cell of the table of all labels."""
        return None if self.state.prior.name != "even" else note("prior", rule="added-up")


def is_quotient(metric: Metric) -> bool:
    """Whether it is a linear quotient with something below the line wherever there is something above."""
    form = metric.reading.form
    return (
        isinstance(form, Linear)
        and not metric.reading.outer
        and all(b or not a for a, b in zip(form.top, form.bottom, strict=True))
    )
