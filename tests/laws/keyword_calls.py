"""For every public function: calls with each kind of input; for every keyword: values that matter there."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import howsure as hs
from tests.laws.kinds import KINDS
from tests.laws.walked_files import rows


@dataclass(frozen=True)
class Call:
    """What a function is given: data, made in a form (see walked_files.FORMS), and keywords.

    `other` is a second measure, `sampled` one by draws; `arrays`: weights and clusters are no columns.
    """

    data: Callable[[str], tuple[Any, ...]]
    keywords: dict[str, Any] = field(default_factory=dict)
    other: str = ""
    sampled: str = ""
    arrays: bool = False


@dataclass(frozen=True)
class Value:
    """A value of a keyword; `form` is that of the data, `beside` goes with it and without it, `metric` is asked for.

    `data` are other data of the same kind.
    """

    value: Any
    form: str = "plain"
    beside: dict[str, Any] = field(default_factory=dict)
    metric: str = ""
    data: tuple[Any, ...] | None = None


@dataclass(frozen=True)
class Column:
    """The name of a column, or the column where there are arrays."""

    name: str


# -- data


@cache
def table(form: str, which: str = "rows") -> dict[str, list[Any]]:
    """Columns by name."""
    own = rows(which, form)
    return {name: [row[name] for row in own] for name in own[0]}


def pandas(form: str) -> tuple[Any, ...]:
    return (pd.DataFrame(table(form)),)


def polars(form: str) -> tuple[Any, ...]:
    return (pl.DataFrame(table(form)),)


def long(form: str) -> tuple[Any, ...]:
    return (pl.DataFrame(table(form, "long")),)


def lists(form: str) -> tuple[Any, ...]:
    """Sets of labels as columns of lists."""
    sets = {k: [None if x is None else x.split(";") for x in table(form)[k]] for k in ("tags", "ta", "tb", "tc")}
    return (pl.DataFrame(table(form) | sets),)


def mapping(form: str) -> tuple[Any, ...]:
    return (table(form),)


def database(form: str) -> tuple[Any, ...]:
    made = sqlite3.connect(":memory:")
    for name, own in (("answers", form), ("others", "twice")):
        pd.DataFrame(table(own)).to_sql(name, made)
    return (made,)


def file(form: str) -> tuple[Any, ...]:
    return ("rows.jsonl" if form == "plain" else f"rows.{form}.jsonl",)


def systems(form: str) -> tuple[Any, ...]:
    return ({x: f"run-{x}.jsonl" if form == "plain" else f"run-{x}.{form}.jsonl" for x in "ab"},)


def arrays(truth: str | None, *names: str) -> Callable[[str], tuple[Any, ...]]:
    """Truths and answers; several, or those without truths, by name."""

    def made(form: str) -> tuple[Any, ...]:
        own = table(form)
        answers = own[names[0]] if len(names) == 1 else {x: own[x] for x in names}
        return (answers,) if truth is None else (own[truth], answers)

    return made


class Answering:
    """An estimator that answers with a column of its items."""

    classes_ = (0, 1)

    def predict(self, items: list[list[Any]]) -> list[Any]:
        return [row[0] for row in items]


def estimator(form: str) -> tuple[Any, ...]:
    own = table(form)
    return (Answering(), [[x] for x in own["a"]], own["label"])


@cache
def evidence(kind: str) -> Any:
    return KINDS[kind]()


def given(*data: Any) -> Callable[[str], tuple[Any, ...]]:
    """Data that have one form only; of those that take time to make, how."""
    return lambda _form: tuple(x() if callable(x) else x for x in data)


@cache
def a_curve() -> Any:
    return hs.curve(*arrays("label", "pa", "pb")("plain"), tolerance=0.5)


# -- calls

OTHER, SAMPLED = "another measure", "a measure by draws"  # stand for those of the call
ONE = {  # one system
    "arrays": Call(arrays("label", "a"), {"metrics": "f1"}, "recall", "kappa", arrays=True),
    "arrays of labels": Call(arrays("kind", "ka"), {"metrics": "accuracy"}, "f1:x", "macro-f1", arrays=True),
    "pandas": Call(pandas, {"truth": "label", "pred": "a", "metrics": "f1"}, "recall", "kappa"),
    "polars": Call(polars, {"truth": "kind", "pred": "ka", "metrics": "accuracy"}, "f1:x", "macro-f1"),
    "columns": Call(mapping, {"truth": "label", "pred": "a", "metrics": "f1"}, "recall", "kappa"),
    "slices": Call(pandas, {"truth": "label", "pred": "a", "by": "region", "metrics": "f1"}, "recall", "kappa"),
    "outcomes": Call(polars, {"outcome": "oa"}, "accuracy"),
    "verdicts": Call(polars, {"judge": "oa", "human": "ha"}, "error-rate", "rate"),
    "judged classes": Call(pandas, {"judge": "judge", "human": "human", "pred": "a", "metrics": "f1"}, "recall", "f1"),
    "values": Call(polars, {"value": "va"}),
    "slices of values": Call(polars, {"value": "va", "by": "region"}),
    "scores": Call(polars, {"truth": "label", "score": "pa", "metrics": "auc"}, "AP", "auc"),
    "a threshold": Call(
        pandas, {"truth": "label", "score": "pa", "threshold": 0.5, "metrics": "f1"}, "recall", "kappa"
    ),
    "lists": Call(lists, {"truth": "tags", "pred": "ta", "metrics": "micro-f1"}, "f1:x", "samples-f1"),
    "texts": Call(polars, {"truth": "tags", "pred": "ta", "sep": ";", "metrics": "micro-f1"}, "f1:x", "samples-f1"),
    "clusters": Call(polars, {"outcome": "oa", "cluster": "question"}, "accuracy", "rate"),
    "repeated samples": Call(polars, {"outcome": "oa", "cluster": "question", "metrics": "pass@2"}, "all-pass@3"),
    "file": Call(file, {"truth": "label", "pred": "a", "metrics": "f1"}, "recall", "kappa"),
    "database": Call(database, {"truth": "label", "pred": "a", "table": "answers", "metrics": "f1"}, "recall", "kappa"),
}
SEVERAL = {  # several systems
    "mapping of arrays": Call(arrays("label", "a", "b"), {"metric": "f1"}, "recall", "f1", arrays=True),
    "columns of classes": Call(pandas, {"truth": "kind", "pred": ["ka", "kb"], "metric": "accuracy"}, "f1:x", "macro-f1"),  # noqa: E501 - one call a line
    "columns of outcomes": Call(polars, {"outcome": ["oa", "ob"]}, "accuracy"),
    "columns of verdicts": Call(polars, {"judge": ["oa", "ob"], "human": ["ha", "hb"]}, "error-rate", "rate"),
    "columns of values": Call(polars, {"value": ["va", "vb"]}),
    "columns of scores": Call(polars, {"truth": "label", "score": ["pa", "pb"]}, "AP", "auc"),
    "columns of lists": Call(lists, {"truth": "tags", "pred": ["ta", "tb"], "metric": "micro-f1"}, "f1:x", "samples-f1"),  # noqa: E501 - one call a line
    "columns with clusters": Call(polars, {"outcome": ["oa", "ob"], "cluster": "question"}, "accuracy", "rate"),
    "long frame": Call(long, {"truth": "label", "pred": "answer", "item": "id", "system": "model"}, "recall", "f1"),
    "long frame with clusters": Call(long, {"outcome": "passed", "cluster": "question", "system": "model"}, "accuracy"),
    "long frame of values": Call(long, {"value": "grade", "item": "id", "system": "model"}),
    "file of systems": Call(file, {"truth": "label", "pred": ["a", "b"]}, "recall", "f1"),
    "files of systems": Call(systems, {"outcome": "passed", "on": "id"}, "accuracy"),
    "files with clusters": Call(systems, {"outcome": "passed", "cluster": "question"}, "accuracy"),
    "database of systems": Call(database, {"outcome": ["oa", "ob"], "table": "answers"}, "accuracy"),
}  # fmt: skip
CURVES = {
    "arrays": Call(arrays("label", "pa"), {"metrics": "auc"}, "AP", "auc", arrays=True),
    "mapping of arrays": Call(arrays("label", "pa", "pb"), {"metrics": "auc"}, "AP", "auc", arrays=True),
    "frame": Call(pandas, {"truth": "label", "score": "pa", "metrics": "auc"}, "AP", "auc"),
    "frame with clusters": Call(
        polars, {"truth": "label", "score": "pa", "cluster": "question", "metrics": "auc"}, "AP"
    ),
    "file": Call(file, {"truth": "label", "score": "pa", "metrics": "auc"}, "AP", "auc"),
    "database": Call(database, {"truth": "label", "score": "pa", "table": "answers", "metrics": "auc"}, "AP", "auc"),
    "scored items": Call(given(lambda: evidence("scored items")), {"metrics": "auc"}, "AP", "auc"),
    "curve": Call(given(a_curve), {"metrics": "auc"}, "AP", "auc"),
    "posterior": Call(given(lambda: a_curve().posterior), {"metrics": "auc"}, "AP", "auc"),
}
MEANS = {
    "array": Call(arrays(None, "va"), arrays=True),
    "mapping of arrays": Call(arrays(None, "va", "vb"), arrays=True),
    "frame": Call(polars, {"value": "va"}),
    "long frame": Call(long, {"value": "grade", "item": "id", "system": "model"}),
    "clusters": Call(pandas, {"value": "va", "cluster": "question"}),
    "file": Call(file, {"value": "va"}),
    "database": Call(database, {"value": "va", "table": "answers"}),
}
MEASURES = {  # of each kind of evidence: one, another, and one by draws
    "classes of two": ("f1", "recall", "kappa"),
    "classes in a target": ("f1", "recall", "phi"),
    "classes in a target between": ("f1", "recall", "phi"),
    "classes of three": ("accuracy", "f1:0", "macro-f1"),
    "outcomes": ("rate", "accuracy", ""),
    "label sets": ("micro-f1", "f1:x", "samples-f1"),
    "strata of classes": ("accuracy", "recall", "f1"),
    "strata of outcomes": ("rate", "accuracy", "rate"),
    "clusters of outcomes": ("rate", "accuracy", "rate"),
    "clusters of two classes": ("f1", "recall", "f1"),
    "clusters of three classes": ("accuracy", "f1:0", "accuracy"),
    "clusters of label sets": ("micro-f1", "f1:x", "micro-f1"),
    "graded items": ("mean", "", ""),
    "graded items with bounds": ("mean", "", ""),
    "graded items in clusters": ("mean", "", ""),
    "queries": ("AP", "P@5", ""),
    "verdicts": ("rate", "error-rate", "rate"),
    "verdicts from elsewhere": ("rate", "error-rate", "rate"),
    "judged classes": ("f1", "recall", "f1"),
    "scored items": ("auc", "AP", "auc"),
    "scored items in clusters": ("auc", "AP", "auc"),
}
TWO = hs.Tally.binary(tp=30, fp=6, fn=4, tn=20), hs.Tally.binary(tp=20, fp=9, fn=14, tn=17)
QRELS = {f"q{q}": {f"d{d}": (q * d + d) % 3 for d in range(6)} for q in range(5)}
RUNS = {
    name: {q: {f"d{d}": (step * d + i) % 7 + d * 1e-9 for d in range(8)} for i, q in enumerate(QRELS) if i < most}
    for name, step, most in (("x", 3, 5), ("y", 5, 4))
}
FOLDS = {"a": [0.8, 0.7, 0.9, 0.8, 0.6, 0.7, 0.8, 0.9], "b": [0.7, 0.7, 0.8, 0.9, 0.5, 0.6, 0.8, 0.7]}
VERDICTS = {"a": [1, 0, 1, 1] * 9, "b": [0, 1, 1, 0] * 9}
VALIDATED = {"a": ([1, 0, 1, 1, 0, 0, 1, 0], [1, 0, 1, 1] * 2), "b": ([0, 1, 1, 0, 1, 1, 1, 0], [0, 1, 1, 0] * 2)}
EXPECTED = {"recall": 0.8, "precision": 0.7, "prevalence": 0.3}
JOINT = hs.tally([1, 0, 1, 1, 0, 1] * 5, {"a": [1, 0, 1, 0, 0, 1] * 5, "b": [1, 1, 0, 1, 0, 1] * 5})
SETS = [{"x", "y"}, {"y"}, {"x"}, {"z", "x"}, {"y"}], [{"x"}, {"y"}, {"x", "z"}, {"z"}, {"y", "x"}]


def _asked(calls: dict[str, Call], to: str) -> dict[str, Call]:
    """The same calls, with the measure under another keyword; none where it is not asked for."""
    found = {}
    for kind, one in calls.items():
        own = {to if k in ("metric", "metrics") else k: v for k, v in one.keywords.items()}
        own = {k: v for k, v in own.items() if k}
        found[kind] = Call(one.data, own, one.other, one.sampled, one.arrays)
    return found


def _made(to: str, *names: str) -> dict[str, Call]:
    """Evidence of every kind."""
    return {
        kind: Call(given(lambda kind=kind: evidence(kind), *names), {to: one} if to else {}, other, sampled)
        for kind, (one, other, sampled) in MEASURES.items()
    }


def _posteriors(*names: str) -> Call:
    return Call(given(lambda: hs.posterior(evidence("classes of two"), tolerance=0.5), *names), {}, "recall", "kappa")


def _curves(*names: str) -> Call:
    return Call(given(a_curve, *names), {}, "AP", "auc")


def _gated(calls: dict[str, Call], limit: str, *kinds: str) -> dict[str, Call]:
    """The same data with a requirement in the place of the measure."""

    def required(one: Call) -> Call:
        own = {k: v for k, v in one.keywords.items() if k not in ("metric", "metrics")}
        name = one.keywords.get("metrics", one.keywords.get("metric", "mean" if "value" in own else "rate"))
        return Call(lambda form: (*one.data(form), f"{name} {limit}"), own)

    return {kind: required(calls[kind]) for kind in kinds}


def _two(kind: str) -> Call:
    name = MEASURES[kind][0]
    return Call(given(lambda: evidence(kind).pick(("a", "b")), f"{name} not worse by 0.1"))


PREDICTED = (
    "arrays", "arrays of labels", "pandas", "slices", "outcomes", "values", "slices of values", "a threshold", "texts",
    "clusters", "file", "database", "mapping of arrays", "columns of outcomes", "columns of values", "files of systems",
)  # fmt: skip


def _coming(one: Call) -> Call:
    """The same, of items to come."""
    return Call(one.data, one.keywords | {"n": 12}, one.other, one.sampled, one.arrays)


_TALLIED = {
    k: v for k, v in (ONE | SEVERAL).items() if not {"value", "on", "judge"} & set(v.keywords) and "scores" not in k
}
CALLS: dict[str, dict[str, Call]] = {
    "score": ONE | _asked(SEVERAL, "metrics") | _made("metrics") | {
        "posterior": _posteriors(),
        "curve": _curves(),
        "estimator": Call(estimator, {"metrics": "f1"}, "recall", "kappa", arrays=True),
    },
    "compare": SEVERAL | _made("metric", "a", "b") | {
        "slices": Call(
            pandas, {"truth": "label", "pred": ["a", "b"], "by": "region", "metric": "f1"}, "recall", "f1"
        ),
        "slices of values": Call(polars, {"value": ["va", "vb"], "by": "region"}),
        "compared slices": Call(
            pandas, {"truth": "label", "pred": "a", "between": "region", "metric": "f1"}, "recall", "kappa"
        ),
        "two tallies": Call(given(*TWO), {"metric": "f1"}, "recall", "tetrachoric"),
        "two posteriors": Call(given(lambda: hs.posterior(TWO[0]), lambda: hs.posterior(TWO[1])), {}, "recall", "phi"),
        "posterior": _posteriors("a", "b"),
        "curve": _curves("pa", "pb"),
    },
    "leaderboard": SEVERAL | _made("metric") | {
        "mapping of tallies": Call(given(dict(zip("ab", TWO, strict=True))), {"metric": "f1"}, "recall", "tetrachoric"),
        "posterior": _posteriors(),
        "curve": _curves(),
    },
    "forecast": {k: _coming(one) for k, one in (ONE | _asked(SEVERAL, "metrics")).items() if k in PREDICTED} | {
        "two tallies": _coming(Call(given(*TWO), {"metrics": "f1"}, "recall", "tetrachoric")),
        "posterior": _coming(_posteriors("a", "b")),
        "estimator": _coming(Call(estimator, {"metrics": "f1"}, "recall", "kappa", arrays=True)),
    },
    "correct_judge": {
        "arrays": Call(given(VERDICTS["a"], VALIDATED["a"])),
        "systems": Call(given(VERDICTS, VALIDATED)),
        "one validation": Call(given(VERDICTS, VALIDATED["a"])),
        "counts": Call(given(hs.Tally.rate(hits=30, of=50), TWO[0])),
    },
    "curve": CURVES,
    "gate": {
        **_gated(ONE, "> 0.5", "pandas", "columns", "outcomes", "values", "scores", "a threshold", "lists", "clusters",
                 "file", "database"),
        **_gated(SEVERAL, "not worse by 0.1", "columns of classes", "columns of values", "columns with clusters",
                 "long frame with clusters", "long frame of values", "files of systems"),
        **{f"two of {kind}": _two(kind) for kind in ("classes of two", "graded items", "queries")},
        "slices": Call(lambda form: (*pandas(form), "f1 > 0.5 in region=north"), {"truth": "label", "pred": "a"}),
        "two tallies": Call(given(TWO[0], "f1 not worse"), {"baseline": TWO[1]}),
        "two files": Call(given("run-a.jsonl", "rate not worse"), {"baseline": "run-b.jsonl", "outcome": "passed"}),
        "posterior": Call(given(lambda: hs.posterior(TWO[0], tolerance=0.5), "kappa > 0.5")),
    },
    "tally": _asked(_TALLIED, ""),
    "graded": MEANS,
    "posterior": _made("") | {"curve": _curves()},
    "trec": {"dicts": Call(given(QRELS, RUNS), {"metrics": "AP"}, "P@3"),
             "files": Call(given("qrels.txt", ["bm25.run", "dense.run"]), {"metrics": "AP"}, "P@3")},
    "compare_wins": {"numbers": Call(given(17, 4)), "arrays": Call(given(np.array([17, 3]), np.array([4, 5])))},
    "solve": {
        "exact values": Call(given({"precision": 0.75, "recall": 0.6, "accuracy": 0.85}), {"n": 200}),
        "whole numbers": Call(given({"precision": "0.75", "recall": "0.6"}), {"n": 40, "integers": True}),
        "systems": Call(given({"x": {"f1": ".86", "recall": ".84"}, "y": {"f1": ".80"}}), {"n": 30, "positives": 19}),
    },
    "tradeoff": {
        "values": Call(given(), {"accuracy": 0.9, "prevalence": 0.2}),
        "tally": Call(given(TWO[0])),
        "posterior": Call(given(lambda: hs.posterior(TWO[0]))),
    },
    "surface": {"fallout": Call(given(), {"fixed": {"fallout": 0.01}, "size": 5})},
    "shift": {
        "tally": Call(given(TWO[0]), {"prevalence": 0.1}),
        "posterior": Call(given(lambda: hs.posterior(TWO[0], 2)), {"prevalence": (0.1, 0.2)}),
    },
    "compare_folds": {
        "lists": Call(given(FOLDS), {"test_share": 0.25}, "recall"),
        "arrays": Call(given({k: np.reshape(v, (2, 4)) for k, v in FOLDS.items()})),
    },
    "plan": {
        "tally": Call(given(), {"pilot": TWO[0], "metric": "f1", "n": 60}, "recall"),
        "expected": Call(given(), {"expected": EXPECTED, "n": 60}, "recall"),
        "outcomes": Call(given(), {"pilot": hs.Tally.rate(hits=14, of=20), "n": 60}, "accuracy"),
        "graded items": Call(given(), {"pilot": hs.graded([0.1, 0.4, 0.5, 0.7, 0.9, 0.2]), "n": 60}),
        "two systems": Call(given(), {"pilot": JOINT, "metric": "accuracy", "difference": 0.1, "n": 60}, "recall"),
    },
    "two_level": {"nothing": Call(given())},
    "fbeta": {"nothing": Call(given(), {"beta": 2})},
    "utility": {"nothing": Call(given(), {"tp": 2})},
    "Tally.binary": {"counts": Call(given(), {"tp": 1, "fp": 2, "fn": 3, "tn": 4})},
    "Tally.matrix": {"counts": Call(given([[9, 1, 2], [3, 8, 1], [0, 2, 7]]))},
    "Tally.rate": {"counts": Call(given(), {"hits": 3, "of": 9})},
    "Tally.multilabel": {"sets": Call(given(*SETS))},
    "Tally.stratified": {"tallies": Call(given(hs.Tally.binary(tp=[3, 4], fp=2, fn=1, tn=5)), {"sizes": {0: 10, 1: 20}})},  # noqa: E501 - one call a line
    "sklearn.classification_report": {"labels": Call(arrays("kind", "ka"), arrays=True)},
    "sklearn.scorer": {"an end": Call(given(), {"metric": "f1", "of": "low"}, "recall")},
    "Outcomes.rate": {"counts": Call(given(), {"hits": 3, "of": 9})},
}  # fmt: skip

VALUES: dict[str, tuple[Value, ...]] = {
    "test_share": (Value(0.2),),
    # columns
    "truth": (Value("other"), Value("tb"), Value("kb")),
    "pred": (Value("c"), Value("kc"), Value("tc"), Value(["b", "a"]), Value(["kb", "ka"]), Value(["tb", "ta"])),
    "outcome": (Value("oc"), Value(["ob", "oa"])),
    "value": (Value("vc"), Value(["vb", "va"])),
    "score": (Value("pc"), Value(["pb", "pa"])),
    "judge": (Value("oc"), Value("oc", beside={"human": "hc"})),
    "human": (Value("hc"), Value("hb", beside={"judge": "ob"})),
    "external": (Value(True),),
    "threshold": (Value(0.3, metric="f1"),),
    "by": (Value("other"),),
    "cluster": (Value(Column("question")), Value(Column("region"))),
    "weight": (Value(Column("w")),),
    "count": (Value("n"),),
    "item": (Value("id", "twice"), Value("other")),
    "system": (Value("region"), Value("region", metric="pass@1")),
    "on": (Value("id"), Value("other")),
    "unmatched": (Value("drop", "short"),),
    "where": (Value("other=1"), Value("other=1", metric="pass@1")),
    "missing": (Value("drop", "holes"),),
    "positive": (Value(0), Value(1, metric="f1"), Value("y", metric="f1")),
    "labels": (
        Value(["x", "y", "z", "u"], metric="macro-f1"),
        Value([0, 1, 2], metric="macro-f1"),
        Value(["p", "q", "r"]),
    ),
    "bounds": (Value((0, 2)),),
    "better": (Value("lower"),),
    "bins": (Value(4),),
    "sep": (Value(";", metric="macro-f1"),),
    "table": (Value("others"),),
    "query": (Value("select * from others"), Value("select * from others", beside={"table": None})),
    "engine": (Value("spark"),),
    "task": (Value("sums"),),
    "filter": (Value("strict-match"),),
    "scorer": (Value("match"),),
    "remote": (Value("sc://here", beside={"engine": "spark"}), Value("sc://here")),
    # settings
    "metrics": (Value(OTHER),),
    "metric": (Value(OTHER),),  # in the place of the other keyword, which means the same
    "above": (Value(0.7),),
    "below": (Value(0.7),),
    "width": (Value(0.3),),
    "difference": (Value(0.2),),
    "disagreement": (Value(0.35, beside={"difference": 0.1}), Value(0.35)),
    "assurance": (Value(0.6),),
    "pilot": (Value(hs.Tally.binary(tp=9, fp=1, fn=4, tn=20)),),
    "expected": (Value({"recall": 0.7, "precision": 0.7, "prevalence": 0.3}),),
    "level": (Value(0.8),),
    "interval": (Value("hdi"),),
    "prior": (Value(2), Value("none"), Value("none", beside={"bounds": (0, 1)}), Value((2, 2, 2))),
    "tolerance": (Value(0.1, beside={"tolerance": 0.03}, metric=SAMPLED),),
    "seed": (Value(7, metric=SAMPLED), Value(7, beside={"unjudged": "rate"})),
    "chance": (Value(True),),
    "shrink": (Value(True), Value(True, metric="recall")),
    "sort": (Value("better"),),
    "equal_within": (Value(0.05),),
    "names": (Value(("x", "y")),),
    "method": (Value("sample"),),
    "draws": (Value(300), Value(300, beside={"method": "sample"})),
    "apart": (Value(0.501), Value(0.99999)),
    "baseline": (Value(hs.Tally.binary(tp=20, fp=9, fn=10, tn=17)), Value("run-b.short.jsonl")),
    # others
    "only_common": (Value(True),),
    "no_relevant": (Value("zero"),),
    "unjudged": (Value("bounds"),),
    "ties": (
        Value("float32"),
        Value("either", beside={"n": 20}, data=({"tp": 1, "fp": 2, "positives": 8, "recall": ".12"},)),
        Value("either", beside={"n": 20, "positives": 8}, data=({"x": {"tp": 1, "fp": 2, "recall": ".12"}},)),
        Value("either"),
    ),
    "same": (Value(9),),
    "n": (Value(80),),
    "integers": (Value(True),),
    "most": (Value(2),),
    "wins": (Value({("x", "y"): (3, 1)}),),
    "recalls": (Value([0.7]),),
    "fixed": (Value({"fallout": 0.2}),),
    "size": (Value(7),),
    "x_values": (Value([0.3, 0.6]),),
    "y_values": (Value([0.3, 0.6]),),
    "x": (Value("specificity"),),
    "y": (Value("npv"),),
    "z": (Value("kappa"),),
    "prevalence": (Value(0.3),),
    "within": (Value(2.0),),
    "between": (Value(2.0), Value("region"), Value("other")),  # two_level, compare
    "beta": (Value(3),),
    "cost": (Value(True),),
    "rows": (Value("pred"),),
    "independent": (Value(True),),
    "independent_rows": (Value(True),),
    "sizes": (Value({0: 20, 1: 10}),),
    "hits": (Value(4),),
    "of": (Value(7), Value("high")),
    "sample_weight": (Value(Column("w")),),
    "target_names": (Value(["p", "q", "r"]),),
    "digits": (Value(4),),
    "output_dict": (Value(True),),
    "zero_division": (Value(0, beside={"labels": ["x", "y", "z", "u"]}),),
    **{cell: (Value(5),) for cell in ("tp", "fp", "fn", "tn")},
}
