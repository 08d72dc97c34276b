"""How truth and answer go together, and what they would show if they did not.

Ishioka 3 (phi and the tetrachoric correlation), Powers 2.4 (chi-square, informedness, markedness), Alvarez 4.1 and 4.2
(random guessing).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import Metric, metrics, parse
from howsure.envelope import envelope
from howsure.errors import BadSetting, NeedsPositive, UnknownName, nearest
from howsure.evidence.classes import Tally
from howsure.expressions import CELLS
from howsure.forms import by_chance
from howsure.kernels.tetrachoric import RULES, with_error, without_zeros
from howsure.model.posterior import posterior
from howsure.notes import note
from howsure.relations.quantities import unboxed
from howsure.result import Result
from howsure.rows import real, slice_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Association(Result):
    """Measures of association of 2x2 tables; numbers, or arrays over a batch; NaN where a margin is empty.

    `phi_bounds` are the least and greatest phi that the margins allow. `powers_ci` and `powers_cm` are the confidences
    of Powers eq. 5, read as (1 - |informedness|)/√(n - 1), for reference only: ±1.96 of them held the true value in 20
    to 92% of simulated tests in one study, 7 to 99.6% in another (docs/relations.md), where 95% was meant.
    """

    tally: Tally
    phi: Any
    phi_bounds: tuple[Any, Any]
    informedness: Any
    markedness: Any
    chi_square: Any
    p_value: Any
    tetrachoric: Any
    tetrachoric_error: Any
    zeros: str
    p_positive: Any
    powers_ci: Any
    powers_cm: Any
    prior: Mapping[str, Any] = field(repr=False)  # of P(positive)
    seed: int = field(repr=False)

    def _make(self) -> dict[str, Any]:
        t = self.tally
        places = [(at, slice_of(t, at) or None) for at in np.ndindex(t.shape)]
        rows = [
            {"measure": name, "slice": where, **{k: _at(values.get(k), at) for k in _KEYS}, "what": what}
            for name, what, values in self._lines()
            for at, where in places
        ]
        notes = [_POWERS]
        if any((cell == 0).any() for cell in _cells(t)):
            text = f"a cell is empty: the tetrachoric correlation follows the rule {self.zeros}"
            notes.insert(0, note("zero-cell", text))
        return envelope("howsure.association/1", rows, prior=self.prior, seed=self.seed, data=t.describe(), notes=notes)

    def _lines(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Name, meaning and numbers of every measure."""
        low, high = self.phi_bounds
        rule = f"standard error by the delta method; empty cells by {self.zeros}"
        return [
            ("phi", "correlation; bounds that the margins allow", {"value": self.phi, "low": low, "high": high}),
            ("informedness", parse("informedness").meaning, {"value": self.informedness}),
            ("markedness", parse("markedness").meaning, {"value": self.markedness}),
            ("tetrachoric", rule, {"value": self.tetrachoric, "error": self.tetrachoric_error}),
            ("chi-square", "n·informedness·markedness", {"value": self.chi_square}),
            ("p-value", "of chi-square, 1 degree of freedom", {"value": self.p_value}),
            ("P(positive)", "posterior probability of being better than chance", {"value": self.p_positive}),
            ("CI", "Powers eq. 5, for reference", {"value": self.powers_ci}),
            ("CM", "Powers eq. 5, for reference", {"value": self.powers_cm}),
        ]

    def __repr__(self) -> str:
        if self.tally.shape:
            return f"Association({self.tally!r})"
        return f"phi {self.phi:.3f}, tetrachoric {self.tetrachoric:.3f} ± {self.tetrachoric_error:.3f} ({self.zeros})"


_KEYS: Final = ("value", "low", "high", "error")
_POWERS: Final = note(
    "powers",
    "CI and CM are (1 - |informedness|)/√(n - 1) and the same of markedness (Powers eq. 5): ±1.96 of them held the "
    "true value in 20 to 92% of simulated tests where 95% was meant, in some kinds in 7% only (docs/relations.md): "
    "no intervals; see hs.score",
)


def _at(x: Any, at: tuple[int, ...]) -> float | None:
    return None if x is None else real(np.asarray(x, dtype=float)[at])


def associate(tally: Tally, *, zeros: str = "keep-margins", prior: Any = "even") -> Association:
    """How truth and answer of a 2x2 table, or of a batch of them, go together.

    `zeros` is the rule that fills an empty cell for the tetrachoric correlation: keep-margins, half, half-all or none
    (which gives ±1).

    >>> associate(Tally.binary(tp=1562, fp=383, fn=42, tn=94))
    phi 0.291, tetrachoric 0.596 ± 0.040 (keep-margins)
    """
    if zeros not in RULES:
        raise UnknownName(f"no rule {zeros!r} for empty cells.{nearest(str(zeros), RULES)} Rules: {', '.join(RULES)}.")
    two = two_by_two(tally)
    tp, fp, fn, tn = _cells(two)
    with np.errstate(divide="ignore", invalid="ignore"):
        n = tp + fp + fn + tn
        recall, fallout = tp / (tp + fn), fp / (fp + tn)
        informedness, markedness = recall - fallout, tp / (tp + fp) - fn / (fn + tn)
        phi = np.copysign(np.sqrt(informedness * markedness), informedness)
        ci, cm = ((1 - np.abs(x)) / np.sqrt(np.where(n > 1, n - 1, np.nan)) for x in (informedness, markedness))
        rho, error = with_error(*without_zeros(tp, fp, fn, tn, zeros))
        bounds = phi_bounds((tp + fn) / n, (tp + fp) / n)
    chi, p_value = two.chi_square()
    p = posterior(two, prior)
    found = p.against_chance("phi")
    values = {
        "phi": phi, "informedness": informedness, "markedness": markedness, "chi_square": chi, "p_value": p_value,
        "tetrachoric": rho, "tetrachoric_error": error, "powers_ci": ci, "powers_cm": cm,
    }  # fmt: skip
    return Association(
        two,
        phi_bounds=bounds,
        zeros=zeros,
        p_positive=None if found is None else unboxed(found.better),
        prior=p.prior_document,
        seed=p.seed,
        **{name: unboxed(x) for name, x in values.items()},
    )


def phi_bounds(prevalence: Any, bias: Any) -> tuple[Any, Any]:
    """The least and greatest phi of a table with these margins: one cell of a diagonal is empty.

    >>> [round(x, 6) for x in phi_bounds(0.1, 0.5)]
    [-0.333333, 0.333333]
    """
    p, q = (np.where((x > 0) & (x < 1), x, np.nan) for x in (np.asarray(prevalence), np.asarray(bias)))
    with np.errstate(divide="ignore", invalid="ignore"):
        same = np.sqrt(p * (1 - q) / (q * (1 - p)))  # phi with no fn, where prevalence <= bias
        crossed = np.sqrt(p * q / ((1 - p) * (1 - q)))  # minus phi with no tp, where prevalence + bias <= 1
        high = np.minimum(same, 1 / same)
        low = -np.minimum(crossed, 1 / crossed)
    return unboxed(low), unboxed(high)


def chance(
    tally: Tally | None = None, *, prevalence: Any = None, bias: Any = None, names: Any = None
) -> dict[str, Any]:
    """What random guessing gives for each measure: answers independent of the truth, at this prevalence and bias.

    A fair coin is bias 1/2 (Alvarez 4.1); guessing as often as the truth is positive is bias = prevalence (4.2), the
    default where only the prevalence is given.

    >>> got = chance(prevalence=0.2, bias=0.5)
    >>> got["precision"], got["recall"], got["accuracy"], got["informedness"]
    (0.2, 0.5, 0.5, 0.0)
    """
    p, q = _margins(tally, prevalence, bias)
    table = dict(zip(CELLS, (p * q, (1 - p) * q, p * (1 - q), (1 - p) * (1 - q)), strict=True))
    wanted = _wanted(names)
    out = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for m in wanted:
            if m.average == "samples" or m.name == "rate":
                raise BadSetting(f"{m} is not a measure of a 2x2 table.")
            formula = m.formula.of_two_classes() if m.over_classes else m.formula
            value = np.asarray(by_chance(formula)(**table), dtype=float)
            simple = np.round(value, 4) + 0.0  # 0, 1 and shares of a few digits come out as such
            out[str(m)] = unboxed(np.where(np.abs(value - simple) < 1e-15, simple, value))
    return out


def _wanted(names: Any) -> list[Metric]:
    if names is None:
        return [m for m in metrics() if not m.any_of and m.name != "rate"]
    some = [names] if isinstance(names, (str, Metric)) else names
    if not isinstance(some, Iterable):
        raise BadSetting(f"names= are measures, such as ['f1', 'phi']; got {names!r}.")
    return [parse(x) for x in some]


def _margins(tally: Tally | None, prevalence: Any, bias: Any) -> tuple[Array, Array]:
    if tally is not None and prevalence is not None:
        raise BadSetting("chance needs a Tally or prevalence=, not both.")
    if tally is None and prevalence is None:
        raise BadSetting("chance needs a Tally, or prevalence= (and bias=, else the same): chance(prevalence=0.2).")
    if tally is not None:
        if bias is not None:
            raise BadSetting("the bias is that of the tally: give prevalence= and bias= instead of a Tally.")
        tp, fp, fn, tn = _cells(two_by_two(tally))
        n = tp + fp + fn + tn
        with np.errstate(invalid="ignore"):
            return np.asarray((tp + fn) / n), np.asarray((tp + fp) / n)
    given = {"prevalence": prevalence, "bias": prevalence if bias is None else bias}
    for name, x in given.items():
        kind = np.asarray(x).dtype.kind
        if kind not in "iuf" or not np.all((np.asarray(x) >= 0) & (np.asarray(x) <= 1)):
            percent = kind in "iuf" and np.ndim(x) == 0 and 1 < x <= 100
            hint = f" Did you mean {x / 100:.10g}?" if percent else ""
            raise BadSetting(f"{name} is a share from 0 to 1; got {x!r}.{hint}")
    p, q = (np.asarray(x, dtype=float) for x in given.values())
    try:
        np.broadcast_shapes(p.shape, q.shape)
    except ValueError:
        raise BadSetting(f"prevalence and bias go together one by one; got {p.shape} and {q.shape} of them.") from None
    return p, q


def two_by_two(t: Tally, what: str = "association") -> Tally:
    """The 2x2 table of the positive class, or of the second where there are two and none is named."""
    if type(t) is not Tally:  # a shifted one is asked of a target, and its counts are not
        raise BadSetting(
            f"{what} needs a Tally, a table of truths and answers; got {type(t).__name__}. Make one with "
            "hs.Tally.binary or hs.tally."
        )
    if len(t.systems) > 1:
        raise BadSetting(f"{what} is of one system's table: take tally.system({t.systems[0]!r}).")
    if t.positive is None and len(t.labels) != 2:
        raise NeedsPositive(f"{what} is of one class against the rest: give tally.versus_rest(label).")
    if len(t.labels) == 2 and t.positive is not None:
        return t
    return t.versus_rest(t.labels[1] if t.positive is None else t.positive)


def _cells(t: Tally) -> tuple[Array, Array, Array, Array]:
    named = t.named(effective=True)
    tp, fp, fn, tn = (np.asarray(named[c], dtype=float) for c in CELLS)
    return tp, fp, fn, tn
