"""Identities that hold on every table, as data, and their check.

Each says that two formulas have the same value; both sides are written with the papers' own terms, so that the check
tests the catalogue's formulas against one another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from howsure.catalogue import parse
from howsure.envelope import envelope
from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from howsure.expressions import CELLS, Expression, evaluate
from howsure.notes import note
from howsure.relations.quantities import quantity
from howsure.result import Result
from howsure.rows import real

Array = NDArray[np.float64]
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
    """Verify all identities among the measures on a 2x2 table, or on each of a batch.

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
