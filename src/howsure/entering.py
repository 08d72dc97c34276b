"""One entrance: whatever a verb is given becomes a posterior, with its settings.

A verb takes evidence, a posterior, a result that has one (a curve), or data that evidence is made of: arrays, a mapping
from system to array, a frame, a file or a database with its columns named. Settings that are not given are those of
what was given, else the usual ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from howsure.columns import NAMES
from howsure.errors import BadSetting, UnknownName, nearest
from howsure.evidence.shifted import shifted
from howsure.language import option
from howsure.model.posterior import KINDS, Posterior, posterior
from howsure.settings import AUTO, check_seed

LEVEL, INTERVAL = 0.95, AUTO


@dataclass(frozen=True)
class Entered:
    """A posterior, and the level and kind of intervals that came with it."""

    posterior: Posterior
    level: float = LEVEL
    interval: str = INTERVAL


def is_evidence(data: Any) -> bool:
    """Whether it was made already."""
    return type(data).__name__ in KINDS and type(data).__module__.startswith("howsure.evidence.")


def is_made(data: Any) -> bool:
    """Whether it is evidence, a posterior or a result that has one."""
    return is_evidence(data) or isinstance(data, Posterior) or isinstance(getattr(data, "posterior", None), Posterior)


def entered(
    verb: str,
    data: Any,
    second: Any,
    columns: Mapping[str, Any],
    *,
    kind: Literal["scores"] | None = None,
    prior: Any = None,
    tolerance: float | None = None,
    seed: int | None = None,
) -> Entered:
    """The posterior of what a verb was given; `kind` where it takes one only."""
    target = columns.get("prevalence") if verb in _OWN else None
    known = {k: v for k, v in columns.items() if k != "prevalence" or verb not in _OWN}
    found = _entered(verb, data, second, known, target, kind=kind, prior=prior, tolerance=tolerance, seed=seed)
    if found.posterior.prior.shared and verb != "score":
        raise BadSetting(
            f"{verb} does not take slices that lend strength to each other: {option('shrink')} is for score."
        )
    return found


def _entered(
    verb: str,
    data: Any,
    second: Any,
    columns: Mapping[str, Any],
    target: Any,
    *,
    kind: Literal["scores"] | None,
    prior: Any,
    tolerance: float | None,
    seed: int | None,
) -> Entered:
    told = {k: v for k, v in columns.items() if v is not None or k == "better"}  # better=None: neither is
    _refuse_unknown(verb, told)
    _refuse_idle(told)
    if not is_made(data):
        made = _of_data(verb, data, second, told, kind)
        return Entered(_posterior(_in_target(made, target), prior, tolerance, seed))
    if second is not None:
        raise BadSetting(f"give {type(data).__name__}, or truths and predictions, not both.")
    if is_evidence(data):
        evidence = _with_class(data, told)
        return Entered(_posterior(_in_target(evidence, target), prior, tolerance, seed))
    given = _of_posterior(data, told, prior, tolerance, seed)
    return given if target is None else replace(given, posterior=shifted_posterior(given.posterior, target))


def _in_target(evidence: Any, prevalence: Any) -> Any:
    """The same evidence, asked of a target with this share of positives if one is given."""
    return evidence if prevalence is None else shifted(evidence, prevalence)


def shifted_posterior(p: Posterior, prevalence: Any) -> Posterior:
    """The posterior in a target with this share of positives."""
    made, k = shifted(p.evidence, prevalence), len(getattr(p.evidence, "labels", ()))
    if k > 2 and p.prior.two_level:
        raise BadSetting(f"a two-level prior of {k} classes has no form for one class against the rest; use even.")
    prior = p.prior if k == 2 else p.prior.collapsed(p.evidence.find(made.target.label), k)
    return replace(p, evidence=made, prior=prior, kept={})


def _refuse_idle(told: Mapping[str, Any]) -> None:
    """What would be passed over in silence."""
    if isinstance(told.get("by"), Mapping):
        raise BadSetting(f"{option('by')} takes the name of a column, or a list of them; got {told['by']!r}.")


def _of_data(verb: str, data: Any, second: Any, told: Mapping[str, Any], kind: Literal["scores"] | None) -> Any:
    """The evidence of data that it is to be made of."""
    from howsure.ingest.entrance import evidence
    from howsure.ingest.scores import scored

    if kind == "scores":
        return scored(data, second, **told)
    if second is None and not told and isinstance(data, (list, tuple)):
        raise BadSetting(f"{verb} needs evidence, or truths and predictions: hs.{verb}(y_true, y_pred).")
    return evidence(data, second, **told)


def _posterior(evidence: Any, prior: Any, tolerance: float | None, seed: int | None) -> Posterior:
    """Under the settings given, else the usual ones."""
    wanted = 0.02 if tolerance is None else tolerance
    return posterior(evidence, "even" if prior is None else prior, tolerance=wanted, seed=0 if seed is None else seed)


def _of_posterior(data: Any, told: Mapping[str, Any], prior: Any, tolerance: float | None, seed: int | None) -> Entered:
    """The settings of a posterior, or of the posterior of a result, but for those given."""
    p: Posterior = data if isinstance(data, Posterior) else data.posterior
    evidence = _with_class(p.evidence, told)
    if prior is not None:
        p = posterior(evidence, prior, tolerance=p.tolerance, seed=p.seed)
    elif evidence is not p.evidence:
        p = p.seeing(evidence)
    if tolerance is not None or seed is not None:
        checked = posterior(evidence, p.prior, tolerance=p.tolerance if tolerance is None else tolerance)
        p = replace(p, tolerance=checked.tolerance, seed=p.seed if seed is None else check_seed(seed), kept={})
    return Entered(p, getattr(data, "level", LEVEL), getattr(data, "interval", INTERVAL))


def _with_class(evidence: Any, told: Mapping[str, Any]) -> Any:
    """Evidence that is made takes another positive class, and nothing else."""
    extra = next((k for k, v in told.items() if k != "positive" and (k, v) != ("missing", "refuse")), None)
    if extra is not None:
        what = type(evidence).__name__
        raise BadSetting(f"{option(extra)} is for making evidence from data; this {what} is already made.")
    return evidence if told.get("positive") is None else evidence.with_positive(told["positive"])


_SHARED = ("prevalence", "prior", "level", "interval", "tolerance", "seed")
_OWN: Final = {  # what verbs take besides columns
    "score": ("metrics", "above", "chance", "sort", "shrink", *_SHARED),
    "compare": ("metric", "metrics", "names", "equal_within", "method", "draws", *_SHARED),
    "forecast": ("n", "metric", "metrics", "names", "below", "above", *(x for x in _SHARED if x != "interval")),
    "leaderboard": ("metric", "metrics", "apart", "draws", *_SHARED),
    "gate": ("requirements", "baseline", *_SHARED),
}


def _refuse_unknown(verb: str, told: Mapping[str, Any]) -> None:
    unknown = next((k for k in told if k not in NAMES), None)
    if unknown is not None:
        raise UnknownName(f"{verb} has no option {unknown!r}.{nearest(unknown, (*_OWN.get(verb, ()), *NAMES))}")
