"""Fitted estimators, as scikit-learn has them, asked for their answers or scores: what verbs then take as arrays.

Whatever has `predict` is one: a classifier, a Pipeline, a search. Nothing of scikit-learn is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from howsure.errors import BadLabels, BadSetting, HowsureError, listing
from howsure.labels import Label, find, in_order, named, plain
from howsure.language import option

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
    if verb == "curve" or of_scores(metrics):
        from howsure.ingest.scores import scored

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
    if None in models and verb in ("compare", "leaderboard"):
        raise BadSetting(f'{verb} takes estimators by name: hs.{verb}({{"a": one, "b": two}}, X, y).')
    if x is None or y is None:
        first = "estimator" if None in models else "{name: estimator}"
        raise BadSetting(f"an estimator needs items and their truths: hs.{verb}({first}, X, y).")


def _models(data: Any) -> Models | None:
    """The estimators by name, or one without a name; None where it is something else."""
    if isinstance(data, Mapping):
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
    return tuple(plain(c) for c in found)


def _labels(models: Models, columns: list[Any]) -> tuple[Label, ...] | None:
    """All classes that estimators learned, and what else occurs; None where none tells."""
    from howsure.ingest.label_arrays import as_column
    from howsure.ingest.labelling import refuse_other_types

    learned = [c for model in models.values() for c in classes_of(model) or ()]
    if not learned:
        return None
    present = []
    for column in columns:
        given = as_column(column, "y")
        seen = {plain(v) for v in (np.unique(given) if isinstance(given, np.ndarray) else dict.fromkeys(given))}
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
