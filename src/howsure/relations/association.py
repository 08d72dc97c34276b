"""Association of a 2x2 table, and identities between its metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np

from howsure.arrays import Array
from howsure.catalogue import Metric, metrics, parse
from howsure.catalogue.expressions import CELLS, Expression, evaluate
from howsure.catalogue.forms import independent
from howsure.distributions.tetrachoric import RULES, with_error, without_zeros
from howsure.errors import BadSetting, NeedsPositive, UnknownName, nearest
from howsure.evidence.classes import Tally
from howsure.evidence.slices import slice_of
from howsure.messages.notes import note
from howsure.messages.numbers import short
from howsure.posteriors.posterior import posterior
from howsure.relations.quantities import quantity, unboxed
from howsure.render import columns as col
from howsure.render.kinds import ResultDict, ResultKind, TableColumn, later
from howsure.results.result import Result, envelope, real
from howsure.results.verbs import Verb

# -- identities
#
# Identities that hold on every table, as data, and their check.
#
# Each says that two formulas have the same value; both sides are written with the papers' own terms, so that the check
# tests the catalogue's formulas against one another.

TOLERANCE: Final = 1e-9


def _of(name: str) -> Expression:
    return parse(name).formula


_P, _R, _A, _L, _B = (_of(x) for x in ("precision", "recall", "accuracy", "prevalence", "bias"))
_I, _M, _PHI = (_of(x) for x in ("informedness", "markedness", "phi"))
_N, _CHI = quantity("n").formula, quantity("chi-square").formula
_F, _MISS, _S, _FDR = (_of(x) for x in ("fallout", "miss-rate", "specificity", "fdr"))


@dataclass(frozen=True)
class Identity:
    """Two sides that are equal on every table where both are defined."""

    name: str
    text: str
    source: str
    left: Expression
    right: Expression


IDENTITIES: Final = (
    Identity("recall-precision-accuracy", "λr + (λ + a - 1)p = 2λpr", "Alvarez eq. 1",
             _L * _R + (_L + _A - 1) * _P, 2 * _L * _P * _R),
    Identity("chi-square", "χ² = n · informedness · markedness", "Powers eq. 5", _CHI, _N * _I * _M),
    Identity("phi-squared", "φ² = informedness · markedness", "Powers 2.4", _PHI**2, _I * _M),
    Identity("informedness-by-margins", "informedness = (recall - bias)/(1 - prevalence)", "Powers eq. 3",
             _I, (_R - _B) / (1 - _L)),
    Identity("markedness-by-margins", "markedness = (precision - prevalence)/(1 - bias)", "Powers eq. 4",
             _M, (_P - _L) / (1 - _B)),
    Identity("informedness-markedness", "informedness · λ(1 - λ) = markedness · bias(1 - bias)", "Powers 2.4",
             _I * _L * (1 - _L), _M * _B * (1 - _B)),
    Identity("single-point-auc", "AUC = 1 - (fallout + miss rate)/2 = (informedness + 1)/2", "Powers 2.3",
             1 - (_F + _MISS) / 2, (_I + 1) / 2),
    Identity("f1", "F1 = 2pr/(p + r)", "Goutte & Gaussier eq. 2", _of("f1"), 2 * _P * _R / (_P + _R)),
    Identity("fallout", "fallout = λr(1 - p)/(p(1 - λ))", "Ishioka eqs 7-10", _F, _L * _R * (1 - _P) / (_P * (1 - _L))),
    Identity("phi-of-rates", "φ = (r - a)√((1 - p)/(r[a(1/r - 1) + (1/p - 1)(1 - a)]))", "Ishioka eq. 14, corrected",
             _PHI, (_R - _F) * (_FDR / (_R * (_F * (_MISS / _R) + (_FDR / _P) * _S))).sqrt()),
)  # fmt: skip


@dataclass(frozen=True)
class Checked:
    """An identity on given tables: both sides, and whether they agree; None where a side is undefined."""

    identity: Identity
    left: Array
    right: Array

    @property
    def defined(self) -> bool:
        """Whether both sides have a value on some table."""
        return bool((np.isfinite(self.left) & np.isfinite(self.right)).any())

    @property
    def error(self) -> float:
        """The largest difference, relative to the size of the sides where these are above 1."""
        off = np.abs(self.left - self.right) / np.maximum(1.0, np.maximum(np.abs(self.left), np.abs(self.right)))
        return float(np.max(off[np.isfinite(off)], initial=0.0))

    @property
    def holds(self) -> bool | None:
        """Whether the sides agree wherever both are defined."""
        return self.error <= TOLERANCE if self.defined else None


@dataclass(frozen=True)
class Check(Result):
    """All identities on a table or a batch of tables."""

    rows: tuple[Checked, ...]
    tally: Tally = field(repr=False)

    @property
    def holds(self) -> bool:
        """Whether no identity is broken."""
        return all(row.holds is not False for row in self.rows)

    def _make(self) -> dict[str, Any]:
        rows = [
            {
                "identity": row.identity.name, "text": row.identity.text, "source": row.identity.source,
                "left": real(row.left) if row.left.ndim == 0 else None,
                "right": real(row.right) if row.right.ndim == 0 else None,
                "error": row.error if row.defined else None, "holds": row.holds,
            }
            for row in self.rows
        ]  # fmt: skip
        lost = [row.identity.name for row in self.rows if not row.defined]
        notes = [note("undefined", f"{', '.join(lost)}: a side is 0/0 here")] if lost else []
        document = envelope("howsure.identities/1", rows, data=self.tally.describe(), notes=notes)
        return document | {"holds": self.holds}

    def __repr__(self) -> str:
        broken = [row.identity.name for row in self.rows if row.holds is False]
        lost = sum(not row.defined for row in self.rows)
        if lost == len(self.rows):
            return f"Check({lost} identities, all undefined here)"
        some = f", {lost} undefined" if lost else ""
        return f"Check({len(self.rows)} identities{some}, {'broken: ' + ', '.join(broken) if broken else 'all hold'})"


def check(tally: Tally) -> Check:
    """Verify all identities among the metrics on a 2x2 table, or on each of a batch.

    >>> check(Tally.binary(tp=30, fp=10, fn=20, tn=140))
    Check(10 identities, all hold)
    """
    if not isinstance(tally, Tally):
        raise BadSetting(f"check needs a Tally; got {type(tally).__name__}.")
    if len(tally.labels) != 2 or len(tally.systems) != 1 or tally.positive is None:
        raise BadSetting("check needs a 2x2 table of one system with a positive class, such as one by Tally.binary.")
    named = tally.named()
    at = {c: np.asarray(named[c], dtype=float) for c in CELLS}
    with np.errstate(all="ignore"):
        return Check(tuple(_sides(i, at) for i in IDENTITIES), tally)


def _sides(identity: Identity, at: dict[str, Array]) -> Checked:
    """Both sides in floating point; where they seem to differ, in exact fractions."""
    left, right = (np.asarray(evaluate(x, at), dtype=float) for x in (identity.left, identity.right))
    one = Checked(identity, left, right)
    if one.holds is not False or any(x.op == "sqrt" for side in (identity.left, identity.right) for x in side.walk()):
        return one
    off = np.abs(left - right) > 0.1 * TOLERANCE * np.maximum(1.0, np.abs(left))
    left, right = left.copy(), right.copy()
    for place in zip(*np.nonzero(off), strict=True) if off.ndim else [()]:
        cells = {c: Fraction(float(x[place])) for c, x in at.items()}
        left[place], right[place] = (float(evaluate(x, dict(cells))) for x in (identity.left, identity.right))
    return Checked(identity, left, right)


# -- association
#
# How truth and answer go together, and what they would show if they did not.
#
# Ishioka 3 (phi and the tetrachoric correlation), Powers 2.4 (chi-square, informedness, markedness), Alvarez 4.1 and
# 4.2 (random guessing).


@dataclass(frozen=True)
class Association(Result):
    """Metrics of association of 2x2 tables; numbers, or arrays over a batch; NaN where a margin is empty.

    `phi_bounds` are the least and greatest phi that the margins allow. `powers_ci` and `powers_cm` are the confidences
    of Powers eq. 5, read as (1 - |informedness|)/√(n - 1), for reference only: ±1.96 of them held the true value in 20
    to 92% of simulated tests in one study, 7 to 99.6% in another (docs: reconstruct-counts), where 95% was meant.
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
        """Name, meaning and numbers of every metric."""
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
    "true value in 20 to 92% of simulated tests where 95% was meant, in some kinds in 7% only "
    "(docs/how-to/reconstruct-counts.md): no intervals; see hs.score",
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
    """What random guessing gives for each metric: answers independent of the truth, at this prevalence and bias.

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
            value = np.asarray(formula(**independent(**table)), dtype=float)
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


# -- what is shown


def _columns(_result: ResultDict, rows: Sequence[Any]) -> list[TableColumn]:
    return [
        *col.slices(rows),
        col.words("measure"),
        TableColumn("value", "value", lambda r: col.value(r, "value", "undefined")),
        TableColumn("bounds", "bounds", lambda r: "" if r["low"] is None else col.plain_interval(r), "interval"),
        TableColumn("error", "standard error", lambda r: "" if r["error"] is None else short(r["error"])),
        col.words("what"),
    ]


_HOLDS: Final = {True: "holds", False: "BROKEN", None: "0/0"}


def _both_sides(_result: ResultDict, _rows: Sequence[Any]) -> list[TableColumn]:
    """Return both sides of each identity."""
    holds = TableColumn("holds", "", lambda r: _HOLDS[r["holds"]], "words")
    sides = col.fields({"left": "left", "right": "right"})
    return col.last_first([col.words("text", title="identity"), *sides, holds, col.words("source")])


def _whether_all_hold(result: ResultDict) -> str:
    return "all identities hold" if result["holds"] else "an identity is broken"


_INDEPENDENT: Final = (
    "The table counts independent items.",
    "Items that go together: standard errors are then too small.",
)


VERB: Final = Verb(
    associate,
    kinds=(
        ResultKind(
            "association",
            _columns,
            charts=later("charts.tables:association"),
            title="How do truth and answer go together?",
            sampled=False,
            assumptions=lambda _: [_INDEPENDENT],
        ),
        ResultKind(
            "identities",
            _both_sides,
            headline=_whether_all_hold,
            every_note=True,
            charts=later("charts.tables:identities"),
            title="Do the identities hold on this table?",
            sampled=False,
        ),
    ),
)
