"""No keyword is dropped: every keyword of every public function changes what comes back, or is refused by name.

The walk is over the signatures themselves, so that a new keyword without values in keyword_calls.py fails. Seed and
tolerance may leave what is computed as it is; what is sampled they must change.
"""

from __future__ import annotations

import inspect
import json
import re
import typing
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import pytest

import howsure as hs
import howsure.io.spark
import howsure.verbs.future_widths
from howsure.errors import BadSetting, HowsureError
from howsure.results.result import Result
from howsure.validate import NAMES
from tests import tiers
from tests.laws.keyword_calls import CALLS, MEASURES, OTHER, SAMPLED, VALUES, Call, Column, Value, table
from tests.laws.walked_files import document, write_files
from tests.tiers import spread

IDLE = ("seed", "tolerance")  # of what is sampled
CHECKED = ("item", "on")  # what ids tell must fit, or is refused; where it fits there may be nothing more to say
FIRST = ("data", "y_pred", "y", "scores", "qrels", "runs")  # the data, which have no keyword
PAIR = ("first", "second", "third")
DATA = {"correct_judge": ("judged", "validation"), "gate": ("data", "requirements"),
        "compare": PAIR, "forecast": PAIR,
        "compare_wins": ("first", "second"), "Tally.matrix": ("table",),
        "Tally.multilabel": ("truth", "pred"), "sklearn.classification_report": ("y_true", "y_pred"),
         "Tally.stratified": ("self",), "surface": ()}  # fmt: skip
SPARK = "Spark was asked to count"
NOTHING = "changes nothing"
NONE = "no-such-measure"  # for kinds with one measure: refused by its name
ROUGH = {"tolerance": 0.4}  # so that little is drawn
QUICK = dict.fromkeys(
    ("score", "compare", "curve", "posterior", "forecast", "sklearn.classification_report"), ROUGH
) | {"leaderboard": {**ROUGH, "draws": 200}}
GRADED = ("graded items", "graded items with bounds", "graded items in clusters", "columns of values")
SAME = {(kind, name) for kind in GRADED for name in ("metric", "metrics")}  # graded values have one measure
METRIC = {"metric", "metrics"}  # mean the same: one takes the place of the other
NO_KEYWORDS = ("Ratio", "sqrt", "log", "metrics")


class NoSpark:
    """Stands for Spark, and says that it was reached."""

    def __init__(self, paths: list[str], remote: str | None) -> None:
        raise BadSetting(f"{SPARK} {len(paths)} files at {remote}")


@pytest.fixture(scope="module", autouse=True)
def _files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walk")
    write_files(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(howsure.io.spark, "SparkFiles", NoSpark)
        for points in ("_CURVE", "_SHORT_CURVE"):
            patch.setattr(howsure.verbs.future_widths, points, 3)  # sizes: the planned one and two more
        yield


# -- functions and their keywords


def function(name: str) -> Any:
    found: Any = hs
    for part in name.split("."):
        found = getattr(found, part)
    return found


def keywords(name: str) -> list[str]:
    """All that may be given by name, but for the data."""
    made = function(name)
    found: dict[str, None] = {}
    for one in (made, *typing.get_overloads(made)):
        for p in inspect.signature(one).parameters.values():
            if p.kind is p.VAR_KEYWORD and p.name == "columns":
                found |= dict.fromkeys(NAMES)
            elif p.kind is p.KEYWORD_ONLY or (
                p.kind is p.POSITIONAL_OR_KEYWORD and p.name not in DATA.get(name, FIRST)
            ):
                found[p.name] = None
    return list(found)


# -- answers


@dataclass(frozen=True)
class Answer:
    """What a call gave: a result, or a sentence."""

    made: Any = None
    said: str = ""

    @property
    def sampled(self) -> bool:
        return isinstance(self.told, dict) and '"route": "sampled"' in json.dumps(self.told, default=str)

    @cached_property
    def result(self) -> Any:
        """What was made; of a posterior its score."""
        made = self.made
        return hs.score(made, metrics=made.default_metric) if isinstance(made, hs.Posterior) else made

    @cached_property
    def printed(self) -> str:
        """The table of a result: less to compute than its document."""
        return str(self.result) if isinstance(self.result, Result) else ""

    @cached_property
    def told(self) -> Any:
        """The document of a result, or the thing itself."""
        made = self.result
        return document(made.to_dict()) if isinstance(made, Result) else (made, getattr(made, "notes", None))


def answer(name: str, one: Call, form: str, more: dict[str, Any], data: Any = None) -> Answer:
    data = one.data(form) if data is None else data
    made = function(name)
    if name == "Tally.stratified":
        made, data = data[0].stratified, ()
    own = one.keywords if not METRIC & more.keys() else {k: v for k, v in one.keywords.items() if k not in METRIC}
    given = {k: v for k, v in {**own, **QUICK.get(name, {}), **more}.items() if v is not None}
    given = {k: _resolved(v, one, form) for k, v in given.items()}
    try:
        return Answer(made(*data, **given))
    except HowsureError as error:
        return Answer(said=str(error))


def _resolved(value: Any, one: Call, form: str) -> Any:
    if isinstance(value, Column):
        return table(form)[value.name] if one.arrays else value.name
    return {OTHER: one.other or NONE, SAMPLED: one.sampled}.get(value, value) if isinstance(value, str) else value


def differ(one: Answer, two: Answer) -> bool:
    return bool(one.said != two.said or one.printed != two.printed or one.told != two.told)


@cache
def found(name: str, kind: str, keyword: str) -> tuple[bool, list[str]]:
    """Whether a keyword is of use with a kind of input, and what was said where it was refused."""
    one, said = CALLS[name][kind], []
    asked = "metric" if name in ("compare", "leaderboard") else "metrics"
    for value in VALUES[keyword]:
        beside = _beside(name, one, value, asked)
        if beside is None:
            continue
        before = _without(name, kind, value, beside)
        after = answer(name, one, value.form, {**beside, keyword: value.value}, value.data)
        if not after.said and (differ(before, after) or (keyword in IDLE and not before.sampled)):
            return True, []
        if SPARK in after.said and after.said != before.said:
            return True, []
        named = bool(re.search(rf"\b{keyword}\b", after.said))
        if keyword in CHECKED and not before.said and named:
            return True, []
        said += [after.said or f"{value} {NOTHING}"]
    if keyword in one.keywords and differ(answer(name, one, "plain", {}), answer(name, one, "plain", {keyword: None})):
        return True, []
    return False, said


_made: dict[tuple[str, ...], Answer] = {}


def _without(name: str, kind: str, value: Value, beside: dict[str, Any]) -> Answer:
    """The answer without the keyword, which many keywords share."""
    if value.data is not None:
        return answer(name, CALLS[name][kind], value.form, beside, value.data)
    key = (name, kind, value.form, repr(sorted(beside.items())))
    if key not in _made:
        _made[key] = answer(name, CALLS[name][kind], value.form, beside)
    return _made[key]


def _beside(name: str, one: Call, value: Value, asked: str) -> dict[str, Any] | None:
    """What goes with a value and without it; None where the function does not take that."""
    known = keywords(name)
    if any(k not in known and k not in one.keywords for k in value.beside):
        return None
    metric = {SAMPLED: one.sampled}.get(value.metric, value.metric)
    return {**value.beside, **({asked: metric} if metric and asked in known else {})}


# -- the walk


def kinds_of(name: str) -> list[str]:
    """The kinds of input to walk over: compare and leaderboard share those of evidence, but for the deep tier."""
    alike = [kind for kind in CALLS[name] if kind in MEASURES]
    left = {"compare": alike[::2], "leaderboard": alike[1::2]}.get(name, []) if tiers.tier != "deep" else []
    return [kind for kind in CALLS[name] if kind not in left]


def places() -> dict[tuple[str, str], list[str]]:
    """The kinds of input on which each keyword is tried: each keyword and each kind, all with all when deep."""
    found: dict[tuple[str, str], list[str]] = {(name, keyword): [] for name in CALLS for keyword in keywords(name)}
    for name in CALLS:
        for one in spread(kinds_of(name), keywords(name)) if keywords(name) else ():
            kind, keyword = one.values
            if not any(mark.name == "deep" for mark in one.marks):
                found[name, keyword].append(kind)
    return found


PLACES = places()


def test_every_function_and_keyword_is_walked():
    """A function without calls, a keyword without values, and values of no keyword are mistakes of this test."""
    public = {name for name in hs.__all__ if inspect.isfunction(getattr(hs, name))} - set(NO_KEYWORDS)
    assert public == {name for name in CALLS if "." not in name}
    assert {keyword for name in CALLS for keyword in keywords(name)} == set(VALUES)


def metric_takers() -> list[str]:
    return [name for name in CALLS if METRIC & set(keywords(name))]


def test_both_keywords_of_metrics_are_taken_everywhere():
    """Who takes metric= takes metrics=."""
    assert {"score", "compare", "leaderboard", "forecast", "curve", "trec", "plan"} <= set(metric_takers())
    assert not [name for name in metric_takers() if not set(keywords(name)) >= METRIC]


@pytest.mark.parametrize("name", metric_takers())
def test_metric_and_metrics_mean_the_same(name):
    """One name by either keyword, and a list of it, is one answer; both at once are refused."""
    one = next(x for x in CALLS[name].values() if x.other)
    by = {k: answer(name, one, "plain", {k: one.other}) for k in METRIC}
    assert by["metric"].said == by["metrics"].said == ""
    assert not differ(by["metric"], by["metrics"])
    lists = [answer(name, one, "plain", {k: [one.other]}) for k in METRIC]
    assert not differ(*lists)
    assert lists[0].said == ""
    both = answer(name, one, "plain", dict.fromkeys(METRIC, one.other)).said
    assert both.startswith("metric= and metrics= mean the same; got ")


@pytest.mark.parametrize("name", ["plan", "compare_folds", "sklearn.scorer"])
def test_one_metric_is_not_several(name):
    """A verb that takes one metric refuses two, and says which it takes."""
    one = next(iter(CALLS[name].values()))
    said = answer(name, one, "plain", {"metrics": ["f1", "recall"]}).said
    assert said.endswith(" takes one metric; got 2: 'f1', 'recall'. Give metric='f1'.")


@pytest.mark.whole
@pytest.mark.parametrize(("name", "keyword"), list(PLACES))
def test_no_keyword_is_dropped(name, keyword):
    """It changes what comes back, or a sentence that names it says why not; and somewhere it is of use.

    Names of columns are shared by all functions, and may be refused by one.
    """
    used = []
    for kind in PLACES[name, keyword]:
        if keyword in IDLE or (kind, keyword) not in SAME:
            assert _without(name, kind, Value(None), {}).said == ""
            of_use, said = found(name, kind, keyword)
            named = any(re.search(rf"\b{keyword}\b|{NONE}", text) for text in said)
            assert of_use or (named and not any(NOTHING in text for text in said)), (kind, said)
            used.append(of_use)
    own = sorted(CALLS[name], key=lambda kind: keyword not in CALLS[name][kind].keywords)
    assert any(used) or keyword in NAMES or any(found(name, kind, keyword)[0] for kind in own)
