"""What a verb is given becomes a posterior with its settings: data, evidence, results or fitted estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from howsure.errors import BadLabels, BadSetting, HowsureError, UnknownName, listing, nearest
from howsure.messages.language import option
from howsure.posteriors.posterior import KINDS, Posterior, posterior
from howsure.results import verbs
from howsure.results.verbs import Data
from howsure.validate import AUTO, NAMES, Label, check_seed, find, in_order, named, plain_label

if TYPE_CHECKING:
    from howsure.io.request import Wanted

# -- estimators
#
# Fitted estimators, as scikit-learn has them, asked for their answers or scores: what verbs then take as arrays.
#
# Whatever has `predict` is one: a classifier, a Pipeline, a search. Nothing of scikit-learn is imported.

Models = dict[str | None, Any]


def is_estimator(x: Any) -> bool:
    """Whether it can be fitted or asked for answers: by its type, since columns of frames are attributes too."""
    kind = x if isinstance(x, type) else type(x)
    return any(callable(getattr(kind, name, None)) for name in ("predict", "fit"))


def of_scores(metrics: Any) -> bool:
    """Whether all measures that are asked for are of scores, such as auc, and need no threshold."""
    from howsure.catalogue.retrieval import is_ranking

    asked = [metrics] if isinstance(metrics, str) else metrics
    if not isinstance(asked, Iterable):
        return False
    names = [str(x).partition(":")[0] for x in asked]
    return bool(names) and all(is_ranking(x) for x in names)


def answered(
    verb: str, data: Any, x: Any, y: Any, told: Mapping[str, Any], metrics: Any = None
) -> tuple[Any, Any, dict[str, Any]]:
    """Truths, answers and options in the place of estimators, X and y, or evidence; other data as they were given."""
    models = _models(data)
    if models is None:
        if y is not None:
            way = f"hs.{verb}(estimator, X, y)"
            raise BadSetting(f"a third argument goes with an estimator: {way}; got {type(data).__name__} first.")
        return data, x, dict(told)
    _refuse_less(verb, models, x, y)
    for model in models.values():
        _refuse_unready(model)
    if _data(verb).kind == "scores" or of_scores(metrics):
        from howsure.io.arrays import scored

        found = {name: _scores(model, x, told.get("positive")) for name, model in models.items()}
        target = {k: told[k] for k in told if k == "prevalence"}
        return scored(y, _unnamed(found), **_without(told, "prevalence")), None, target
    found = {name: _asked(model, model.predict, x) for name, model in models.items()}
    if is_table(y):
        from howsure.evidence.classes import Tally

        return Tally.multilabel(y, _unnamed(found), labels=told.get("labels")), None, _without(told, "labels")
    labels = _labels(models, [y, *found.values()]) if told.get("labels") is None else None
    return y, _unnamed(found), dict(told) if labels is None else {**told, "labels": labels}


def are_estimators(data: Any) -> bool:
    """Whether it is an estimator, or a mapping from name to estimator."""
    return _models(data) is not None


def _refuse_less(verb: str, models: Models, x: Any, y: Any) -> None:
    """An estimator without items and truths, or one where several are needed."""
    if None in models and _data(verb).least > 1:
        raise BadSetting(f'{verb} takes estimators by name: hs.{verb}({{"a": one, "b": two}}, X, y).')
    if x is None or y is None:
        first = "estimator" if None in models else "{name: estimator}"
        raise BadSetting(f"an estimator needs items and their truths: hs.{verb}({first}, X, y).")


def _models(data: Any) -> Models | None:
    """The estimators by name, or one without a name; None where it is something else."""
    if isinstance(data, Mapping) and not isinstance(data, Posterior):  # whose length is that of all its metrics
        every = len(data) > 0 and all(is_estimator(x) for x in data.values())
        return {str(name): x for name, x in data.items()} if every else None
    return {None: data} if is_estimator(data) else None


def _unnamed(found: dict[str | None, Any]) -> Any:
    return found.get(None, found)


def _without(told: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {k: v for k, v in told.items() if k != name}


def _refuse_unready(model: Any) -> None:
    if isinstance(model, type):
        raise BadSetting(f"{model.__name__} is a class of estimators: give a fitted one, {model.__name__}().fit(X, y).")
    if not callable(getattr(model, "predict", None)):
        raise BadSetting(f"{type(model).__name__} has no predict; give a fitted classifier, or a Pipeline with one.")


def _asked(model: Any, way: Callable[[Any], Any], x: Any) -> Any:
    """What the model answers; that it is not fitted, or refuses the items, is said in one sentence."""
    try:
        return way(x)
    except (ValueError, AttributeError) as error:
        if any(kind.__name__ == "NotFittedError" for kind in type(error).__mro__):
            said = f"this {type(model).__name__} is not fitted yet: call its fit(X_train, y_train) first."
            raise BadSetting(said) from None
        if not isinstance(error, ValueError) or isinstance(error, HowsureError):
            raise
        why = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".:")
        raise BadSetting(f"this {type(model).__name__} does not take these items: {why}.") from error


def is_table(y: Any) -> bool:
    """Whether truths are a column per label."""
    shape = getattr(y, "shape", None)
    return isinstance(shape, tuple) and len(shape) == 2 and shape[1] != 1


# -- classes


def classes_of(model: Any) -> tuple[Label, ...] | None:
    """The classes that it learned, if it tells them."""
    found = getattr(model, "classes_", None)
    if found is None or isinstance(found, list) or np.ndim(found) != 1:
        return None
    return tuple(plain_label(c) for c in found)


def _labels(models: Models, columns: list[Any]) -> tuple[Label, ...] | None:
    """All classes that estimators learned, and what else occurs; None where none tells."""
    from howsure.io.label_arrays import as_column
    from howsure.io.units import refuse_other_types

    learned = [c for model in models.values() for c in classes_of(model) or ()]
    if not learned:
        return None
    present = []
    for column in columns:
        given = as_column(column, "y")
        seen = {plain_label(v) for v in (np.unique(given) if isinstance(given, np.ndarray) else dict.fromkeys(given))}
        present.append({named(v) for v in seen if v is not None and v == v})
    refuse_other_types(present[0], present[1:])
    return in_order(set(learned).union(*present))


# -- scores


def _scores(model: Any, x: Any, positive: Any) -> Any:
    """How sure it is of the positive class, of each item: by decision_function, else by predict_proba."""
    known = classes_of(model)
    ways = ["decision_function", "predict_proba"]
    if known is not None and len(known) > 2:
        ways.reverse()  # a decision may be between two of the classes
    way = next((found for name in ways if callable(found := getattr(model, name, None))), None)
    if way is None:
        raise BadSetting(
            f"{type(model).__name__} has neither decision_function nor predict_proba, so it has no scores."
        )
    values = np.asarray(_asked(model, way, x), dtype=float)
    if known is not None and len(known) > 2 and way.__name__ == "decision_function" and values.ndim == 2:
        _refuse_duels(model, x, values, known)
    if known is None:
        return values
    if positive is None and len(known) != 2:
        told = f"this {type(model).__name__} has {len(known)} classes, {listing(known)}"
        raise BadSetting(f"a score speaks for one class against the rest, and {told}: give {option('positive')}.")
    place = 1 if positive is None else find(positive, known)
    if values.ndim == 1:
        return values if place == 1 else -values
    if values.shape[1] != len(known):
        raise BadLabels(f"scores of shape {values.shape} do not fit {len(known)} classes.")
    return values[:, place]


def _refuse_duels(model: Any, x: Any, values: Any, known: Any) -> None:
    """Decisions between pairs of three classes have as many columns as there are classes, and mean something else."""
    answers = list(_asked(model, model.predict, x))
    best = [known[k] for k in values.argmax(axis=1)] if values.shape[1] == len(known) else answers
    if any(a != b for a, b in zip(answers, best, strict=True)):
        raise BadSetting(
            f"the decisions of this {type(model).__name__} are between pairs of classes, not for a class against the "
            "rest; give it decision_function_shape='ovr', or probabilities."
        )


# -- entering
#
# One entrance: whatever a verb is given becomes a posterior, with its settings.
#
# A verb takes evidence, a posterior, a result that has one (a curve), or data that evidence is made of: arrays, a
# mapping from system to array, a frame, a file or a database with its columns named. Settings that are not given are
# those of what was given, else the usual ones.

LEVEL, INTERVAL = 0.95, AUTO


@dataclass(frozen=True)
class Entered:
    """A posterior, and the level and kind of intervals that came with it."""

    posterior: Posterior
    level: float = LEVEL
    interval: str = INTERVAL


def are_paths(data: Any) -> bool:
    """Whether the data are paths, which may be logs and tell their own columns."""
    every = data.values() if isinstance(data, Mapping) else data if isinstance(data, list) else [data]
    return all(isinstance(x, (str, Path)) for x in every)


def is_evidence(data: Any) -> bool:
    """Whether it was made already."""
    return type(data).__name__ in KINDS and type(data).__module__.startswith("howsure.evidence.")


def is_made(data: Any) -> bool:
    """Whether it is evidence, a posterior or a result that has one."""
    return is_evidence(data) or isinstance(data, Posterior) or isinstance(getattr(data, "posterior", None), Posterior)


def is_made_by_name(data: Any) -> bool:
    """Whether it is a mapping from name to evidence."""
    return isinstance(data, Mapping) and not is_made(data) and bool(data) and all(is_made(x) for x in data.values())


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
    target = columns.get("prevalence") if kind is None else None
    known = {k: v for k, v in columns.items() if k != "prevalence" or kind is not None}
    found = _entered(verb, data, second, known, target, kind=kind, prior=prior, tolerance=tolerance, seed=seed)
    if found.posterior.prior.shared and "shrink" not in verbs.verb(verb).keywords:
        raise BadSetting(f"{verb} does not take slices that lend strength to each other: leave out {option('shrink')}.")
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
    if prevalence is None:
        return evidence
    from howsure.evidence.shifted import shifted

    return shifted(evidence, prevalence)


def shifted_posterior(p: Posterior, prevalence: Any) -> Posterior:
    """The posterior in a target with this share of positives."""
    from howsure.evidence.shifted import shifted

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
    from howsure.io.arrays import scored
    from howsure.io.entrance import are_logs, evidence
    from howsure.io.files import is_paths

    if kind == "scores":
        return scored(data, second, **told)
    if second is None and not told and isinstance(data, (list, tuple)) and not (is_paths(data) and are_logs(data, {})):
        raise BadSetting(f"{verb} needs evidence, or truths and predictions: hs.{verb}(y_true, y_pred).")
    return evidence(data, second, wanted=wanted(verb, _data(verb)), **told)


def _posterior(evidence: Any, prior: Any, tolerance: float | None, seed: int | None) -> Posterior:
    """Under the settings given, else the usual ones."""
    given = {"prior": prior, "tolerance": tolerance, "seed": seed}
    return posterior(evidence, **{k: x for k, x in given.items() if x is not None})


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


def wanted(verb: str, data: Data) -> Wanted:
    """What a verb takes of data."""
    from howsure.io.request import Wanted

    return Wanted(verb, data.least, data.most, data.cuts, data.by)


def _data(verb: str) -> Data:
    return verbs.verb(verb).data or Data()


def _refuse_unknown(verb: str, told: Mapping[str, Any]) -> None:
    unknown = next((k for k in told if k not in NAMES), None)
    if unknown is not None:
        own = (*verbs.verb(verb).keywords, *(["prevalence"] if _data(verb).kind is None else []))
        raise UnknownName(f"{verb} has no option {unknown!r}.{nearest(unknown, (*own, *NAMES))}")
