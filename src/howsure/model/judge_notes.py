"""What is known of a judge: its recall and specificity, whether it helps, how many more human labels would, and PPI++.

Prediction-powered inference (Angelopoulos, Duchi & Zrnic 2023, PPI++) estimates a mean by all verdicts and corrects it
by the validated ones, with the weight of the verdicts that makes the variance least. Its interval is a normal one: a
frequentist answer to set beside the posterior, which may leave [0, 1].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from howsure.evidence.layout import number
from howsure.notes import Notes, note

if TYPE_CHECKING:
    from howsure.evidence.judged import JudgedItems
    from howsure.model.state import State

Array = NDArray[np.float64]

WEAK: Final = 0.95  # of the width by human labels alone: from here on the verdicts hardly help
TOO_WIDE: Final = 0.7  # of a 95% interval that would be 0.95 wide without any data
_DRAWS: Final = 20_000


class Powered(NamedTuple):
    """A prediction-powered estimate, its standard error, and the weight of the verdicts in it."""

    estimate: float
    error: float
    weight: float


def powered(known: Array, unknown: Array) -> Powered | None:
    """PPI++ of a rate from counts (verdict, human) and of verdicts without a human label.

    None for too few labels, and if all human labels agree: its standard error would be 0.
    """
    few, many = float(known.sum()), float(unknown.sum())
    if few < 2 or not many or not known.sum(axis=0).all():
        return None
    human, said, both = known[:, 1].sum() / few, known[1].sum() / few, known[1, 1] / few
    every = (known[1].sum() + unknown[1]) / (few + many)
    spread = every * (1.0 - every)
    together = (both - human * said) * few / (few - 1.0)
    weight = float(np.clip(together / (spread * (1.0 + few / many)), 0.0, 1.0)) if spread else 0.0
    elsewhere = unknown[1] / many
    rest = human * (1 - human) - 2 * weight * (both - human * said) + weight**2 * said * (1 - said)
    variance = weight**2 * elsewhere * (1 - elsewhere) / many + rest / (few - 1.0)
    return Powered(float(human + weight * (elsewhere - said)), float(np.sqrt(variance)), weight)


def agreement(e: JudgedItems) -> tuple[float | None, float | None]:
    """Recall and specificity of the judge on the validated items of one system."""
    (tn, fp), (fn, tp) = e.judge_table().tolist()
    return tp / (tp + fn) if tp + fn else None, tn / (tn + fp) if tn + fp else None


# -- notes


class Asked(Protocol):
    """A measure of one system's judged items, with what people alone say of it."""

    @property
    def evidence(self) -> JudgedItems: ...

    @property
    def called(self) -> str: ...

    def widths(self) -> tuple[float, float]:
        """Of the 95% interval, and of that by human labels alone."""

    def variances(self, n: int) -> tuple[float, float]:
        """Of the measure, and the part of it that falls with the number of human labels."""


def remarks(asked: Asked) -> Notes:
    """Of one system: how the judge did on the validated items, and whether it helps."""
    e = asked.evidence
    if e.shape or len(e.systems) > 1:
        return ()
    recall, specificity = agreement(e)
    system = None if e.systems == ("system",) or e.shared or not e.outcome else e.systems[0]
    told = note(
        "judge", system=system, external=e.external, validated=number(e.validated), items=number(e.totals),
        recall=recall, specificity=specificity,
    )  # fmt: skip
    unchecked = "recall" if recall is None else "specificity" if specificity is None else None
    one_class = () if unchecked is None else (note("judge-one-class", what=unchecked, validated=number(e.validated)),)
    return (told, *one_class, *(_help(asked, system) if e.unknown().sum() else (note("all-validated"),)))


def _help(asked: Asked, system: str | None) -> Notes:
    """Where the verdicts hardly help: how many more human labels would halve the interval."""
    external = asked.evidence.external
    width, alone = asked.widths()
    if width <= (TOO_WIDE if external else WEAK * alone):
        return ()
    where = "external" if external else "here"
    return (note("judge-weak", of=asked.called, system=system, where=where, more=more_labels(asked)),)


def more_labels(asked: Asked) -> int | None:
    """More human labels that would halve the interval; None where even a label of every item would not.

    The variance has a part that falls with the number of validated items, and one that falls with all of them.
    """
    whole, part = asked.variances(_DRAWS)
    rest = max(whole - part, 0.0)
    few, left = float(asked.evidence.validated), float(asked.evidence.unknown().sum())
    if whole / 4 <= rest:
        return None
    more = few * (part / (whole / 4 - rest) - 1.0)
    return int(np.ceil(more)) if asked.evidence.external or more <= left else None


# -- beside the rows


def extras(state: State, level: float) -> tuple[dict[str, Any], Notes]:
    """What a document says of the judge of every system; and, of verdicts, the prediction-powered estimates."""
    e = state.evidence
    if e.shape:
        return {}, ()
    own = [(name, e.system(name)) for name in e.systems]
    made, told = [], []
    for name, one in own:
        recall, specificity = agreement(one)
        found: dict[str, Any] = {
            "system": None if name == "system" else name, "validated": number(one.validated),
            "items": number(one.totals), "recall": recall, "specificity": specificity, "ppi": None,
        }  # fmt: skip
        ppi = powered(one.known(), one.unknown()) if one.outcome and not one.external else None
        if ppi is not None:
            low, high = _normal(ppi, level)
            found["ppi"] = {"estimate": ppi.estimate, "low": low, "high": high, "weight": ppi.weight}
            told.append((found["system"], ppi.estimate, low, high))
        made.append(found)
    return {"judge": made}, ((note("ppi", level=level, rates=tuple(told)),) if told else ())


def _normal(ppi: Powered, level: float) -> tuple[float, float]:
    from scipy.special import ndtri

    reach = float(-ndtri((1.0 - level) / 2)) * ppi.error
    return ppi.estimate - reach, ppi.estimate + reach
