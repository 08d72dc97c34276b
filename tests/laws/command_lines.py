"""For every command: a line that reads each kind of source; for every option: values that matter there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from howsure.results import verbs
from howsure.results.verbs import Verb


@dataclass(frozen=True)
class Line:
    """A command line that works; `other` is a second measure it may be asked for, `sampled` one by draws."""

    text: str
    other: str = ""
    sampled: str = ""


@dataclass(frozen=True)
class Try:
    """A value of an option, and where it matters.

    `form` is that of the files (holes, short, twice), `beside` what goes with the option and without it, `metric` the
    measure in place of the line's own, `line` another line of the same kind.
    """

    values: str = ""
    form: str = ""
    beside: str = ""
    metric: str = ""
    line: str = ""


_TOLERANCE = "--tolerance 0.5"


def _asked(text: str, metric: str, other: str = "", sampled: str = "") -> Line:
    return Line(f"{text} --metric {metric} {_TOLERANCE}", other, sampled)


def _planned(text: str, other: str) -> Line:
    return Line(f"{text} --n 60", other)


_DATABASE = "--db sqlite:///rows.db"
_STRATA = "--stratum region --population north=30,south=90"
_ONE = {  # one system
    "counts": _asked("--counts 30,6,4,20", "f1", "recall", "tetrachoric"),
    "rate": _asked("--rate 14/20", "rate", "accuracy"),
    "matrix": _asked("--matrix three.csv", "accuracy", "f1:0", "macro-f1"),
    "two classes": _asked("rows.jsonl --truth label --pred a", "f1", "recall", "kappa"),
    "three classes": _asked("rows.jsonl --truth kind --pred ka", "accuracy", "f1:x", "macro-f1"),
    "outcomes": _asked("rows.jsonl --outcome oa", "rate", "accuracy"),
    "verdicts": _asked("rows.jsonl --judge oa --human ha", "rate", "error-rate", "rate"),
    "judged classes": _asked("rows.jsonl --judge judge --human human --pred a", "f1", "recall", "f1"),
    "values": _asked("rows.jsonl --value va", "mean", "mean"),
    "scores": _asked("rows.jsonl --truth label --score pa", "auc", "f1@0.5", "auc"),
    "scores and a threshold": _asked("rows.jsonl --truth label --score pa --threshold 0.5", "f1", "recall", "kappa"),
    "label sets": _asked("rows.jsonl --truth tags --pred ta --sep ;", "micro-f1", "f1:x", "samples-f1"),
    "slices": _asked("rows.jsonl --truth label --pred a --by region", "f1", "recall", "kappa"),
    "slices of values": _asked("rows.jsonl --value va --by region", "mean", "mean"),
    "strata": _asked(f"rows.jsonl --truth label --pred a {_STRATA}", "accuracy", "recall", "f1"),
    "clusters of outcomes": _asked("rows.jsonl --outcome oa --cluster question", "rate", "accuracy", "rate"),
    "repeated samples": _asked("rows.jsonl --outcome oa --cluster question", "pass@2", "all-pass@3"),
    "clusters of classes": _asked("rows.jsonl --truth label --pred a --cluster question", "f1", "recall", "f1"),
    "clusters of values": _asked("rows.jsonl --value va --bounds 0,1 --cluster question", "mean", "mean"),
    "clusters of scores": _asked("rows.jsonl --truth label --score pa --cluster question", "auc", "AP", "auc"),
    "pooled files": _asked("run-a.jsonl run-b.jsonl --truth label --pred answer --pool", "f1", "recall", "kappa"),
    "a database": _asked(f"{_DATABASE} --table items --truth label --pred a", "f1", "recall", "kappa"),
}
_RUNS = "run-a.jsonl run-b.jsonl"
_LONG = "long.jsonl --system model"
_TWO = "rows.jsonl --outcome oa --outcome ob"
_GRADES = "rows.jsonl --value va --value vb"
_FILES = {  # several systems, in files
    "two classes": _asked("rows.jsonl --truth label --pred a --pred b", "f1", "recall", "f1"),
    "three classes": _asked("rows.jsonl --truth kind --pred ka --pred kb", "accuracy", "f1:x", "macro-f1"),
    "outcomes": _asked(_TWO, "rate", "accuracy"),
    "verdicts": _asked("rows.jsonl --judge oa --judge ob --human ha --human hb", "rate", "error-rate", "rate"),
    "judged classes": _asked("rows.jsonl --judge judge --human human --pred a --pred b", "f1", "recall", "f1"),
    "values": _asked(_GRADES, "mean", "mean", "mean"),
    "scores": _asked("rows.jsonl --truth label --score pa --score pb", "auc", "AP", "auc"),
    "label sets": _asked("rows.jsonl --truth tags --pred ta --pred tb --sep ;", "micro-f1", "f1:x", "samples-f1"),
    "strata": _asked(f"{_TWO} {_STRATA}", "rate", "accuracy", "rate"),
    "clusters of outcomes": _asked(f"{_TWO} --cluster question", "rate", "accuracy", "rate"),
    "repeated samples": _asked(f"{_TWO} --cluster question", "pass@2", "all-pass@3", "pass@2"),
    "clusters of values": _asked(f"{_GRADES} --bounds 0,1 --cluster question", "mean", "mean", "mean"),
    "files of classes": _asked(f"{_RUNS} --truth label --pred answer --on id", "f1", "recall", "f1"),
    "files of outcomes": _asked(f"{_RUNS} --outcome passed --on id", "rate", "accuracy"),
    "files of values": _asked(f"{_RUNS} --value grade --on id", "mean", "mean", "mean"),
    "files with clusters": _asked(f"{_RUNS} --outcome passed --cluster question", "rate", "accuracy", "rate"),
    "long file of classes": _asked(f"{_LONG} --truth label --pred answer --on id", "f1", "recall", "f1"),
    "long file of values": _asked(f"{_LONG} --value grade --on id", "mean", "mean", "mean"),
    "a database": _asked(f"{_DATABASE} --table items --truth label --pred a --pred b", "f1", "recall", "f1"),
    "long file with clusters": _asked(f"{_LONG} --outcome passed --cluster question", "rate", "accuracy", "rate"),
}
_TABLES = {  # several systems, tested on different items
    "counts": _asked("--counts 30,6,4,20 --counts 20,9,14,17", "f1", "recall", "tetrachoric"),
    "rates": _asked("--rate 14/20 --rate 9/20", "rate", "accuracy"),
    "matrices": _asked("--matrix three.csv --matrix other.csv", "accuracy", "f1:0", "macro-f1"),
    "independent files": _asked(f"{_RUNS} --outcome passed --independent", "rate", "accuracy"),
    "independent scores": _asked(f"{_RUNS} --truth label --score p --threshold 0.5 --independent", "f1", "recall"),
    "pooled files": _asked(f"{_RUNS} --outcome oa --outcome ob --pool", "rate", "accuracy"),
}
_CURVES = {
    "scores": _asked("rows.jsonl --truth label --score pa", "auc", "AP", "auc"),
    "two scores": _asked("rows.jsonl --truth label --score pa --score pb", "auc", "AP", "auc"),
    "clusters of scores": _asked("rows.jsonl --truth label --score pa --cluster question", "auc", "AP", "auc"),
    "pooled files": _asked(f"{_RUNS} --truth label --score p --pool", "auc", "AP", "auc"),
    "a database": _asked(f"{_DATABASE} --table items --truth label --score pa", "auc", "AP", "auc"),
    "a band": Line("rows.jsonl --truth label --score pa --band f1"),
    "a band of clusters": Line("rows.jsonl --truth label --score pa --band f1 --cluster question"),
    "a choice": Line("rows.jsonl --truth label --score pa --best f1 --tolerance 0.05"),
    "a cost": Line("rows.jsonl --truth label --score pa --cost fp=1,fn=3 --tolerance 0.05"),
}
_SLICES = _asked("rows.jsonl --truth label --pred a --pred b --by region", "f1", "recall", "f1")
_BETWEEN = {
    "compared slices": _asked("rows.jsonl --truth label --pred a --between region", "f1", "recall", "kappa"),
    "compared slices of clusters": _asked("rows.jsonl --outcome oa --cluster question --between region", "rate"),
}
_SLICED_GRADES = _asked(f"{_GRADES} --by region", "mean", "mean")


def _gated(line: Line, limit: str = "> 0.5") -> Line:
    """The same with a requirement in the place of the measure."""
    return Line(re.sub(r"--metric (\S+)", rf"--require '\1 {limit}'", line.text), line.other, line.sampled)


_AGAINST = f"run-a.jsonl --baseline run-b.jsonl {_TOLERANCE}"
_GATES = {
    **{
        kind: _gated(_ONE[kind])
        for kind in (
            "counts",
            "rate",
            "matrix",
            "two classes",
            "outcomes",
            "values",
            "scores",
            "scores and a threshold",
            "label sets",
            "strata",
            "clusters of classes",
            "pooled files",
            "a database",
        )
    },
    "verdicts": _gated(_ONE["verdicts"]),
    "judged classes": _gated(_FILES["judged classes"], "not worse by 0.1"),
    "slices": _gated(_ONE["two classes"], "> 0.5 in region=north"),
    "slices of values": _gated(_ONE["values"], "> 0.5 in region=north"),
    "two columns": _gated(_FILES["two classes"], "not worse by 0.1"),
    "long file": _gated(_FILES["long file of classes"], "not worse by 0.1"),
    "a baseline": Line(
        f"{_AGAINST} --truth label --pred answer --on id --require 'f1 not worse by 0.1'", "recall", "f1"
    ),
    "a baseline of outcomes": Line(f"{_AGAINST} --outcome passed --require 'rate not worse'", "accuracy"),
    "a baseline of other items": Line(f"{_AGAINST} --value grade --independent --require 'mean not worse'", "mean"),
}
_PREDICTED = (
    "counts", "rate", "matrix", "two classes", "three classes", "outcomes", "values", "scores and a threshold",
    "label sets", "slices", "slices of values", "clusters of outcomes", "clusters of classes", "clusters of values",
    "pooled files", "a database", "two: two classes", "two: outcomes", "two: values", "two: files of outcomes",
    "two: long file of classes", "two: clusters of outcomes", "two: counts", "two: rates", "two: independent files",
)  # fmt: skip

LINES: dict[str, dict[str, Line]] = {
    "score": _ONE | {kind: line for kind, line in _FILES.items() if kind not in _ONE},
    "compare": _FILES
    | _TABLES
    | _BETWEEN
    | {"slices": _SLICES, "slices of values": _SLICED_GRADES, "wins": Line("--wins 17,4,30", "f1")},
    "leaderboard": {
        kind: Line(f"{line.text} --draws 200", line.other, line.sampled) for kind, line in (_FILES | _TABLES).items()
    },
    "forecast": {
        kind: Line(f"{line.text} --n 12", line.other, line.sampled)
        for kind, line in (_ONE | {f"two: {k}": x for k, x in (_FILES | _TABLES).items()}).items()
        if kind in _PREDICTED
    },
    "curve": _CURVES,
    "gate": _GATES,
    "trec": {
        "one run": Line("qrels.txt dense.run --metric AP", "P@5"),
        "two runs": Line("qrels.txt bm25.run dense.run --metric AP", "P@5"),
        "three runs": Line("qrels.txt bm25.run dense.run mixed.run --metric AP", "P@5"),
    },
    "solve": {
        "exact values": Line("precision=.75 recall=.6 accuracy=.85 n=200 --exact"),
        "digits without n": Line("precision=.75 recall=.60"),
        "whole numbers": Line("precision=.75 recall=.6 n=40"),
        "a posterior": Line("precision=.75 recall=.6 n=40 --posterior f1"),
        "systems": Line("--system 'x f1=.86 recall=.84' --system 'y f1=.80' n=30 positives=19"),
    },
    "tradeoff": {"values": Line("accuracy=.9 prevalence=.2"), "counts": Line("--counts 30,6,4,20")},
    "surface": {
        "a fixed measure": Line("fallout=.01 --size 5"),
        "break-even": Line("--break-even --size 5"),
        "given values": Line("fallout=.01 --x-values 0.2,0.5 --y-values 0.2,0.5"),
    },
    "plan": {
        "counts": _planned("--counts 30,6,4,20 --metric f1", "recall"),
        "rate": _planned("--rate 14/20 --metric rate", "accuracy"),
        "matrix": _planned("--matrix three.csv --metric accuracy", "f1:0"),
        "expected": _planned("--expected recall=.8,precision=.7,prevalence=.3 --metric f1", "recall"),
        "scores and a threshold": _planned("rows.jsonl --truth label --score pa --threshold 0.5 --metric f1", "recall"),
        "values": _planned("rows.jsonl --value va --bounds 0,1", "mean"),
        "clusters of outcomes": _planned("rows.jsonl --outcome oa --cluster question --metric rate", "accuracy"),
        "two systems": _planned(f"{_TWO} --difference .1 --metric rate", "accuracy"),
        "pooled files": _planned(f"{_RUNS} --truth label --pred answer --pool --metric accuracy", "recall"),
        "long file of values": _planned(f"{_LONG} --value grade --on id --difference .1", "mean"),
        "a database": _planned(f"{_DATABASE} --table items --truth label --pred a --metric f1", "recall"),
    },
    "metrics": {"all": Line(""), "one": Line("f1")},
    "papers": {"an item": Line("goutte-table-1-micro")},
}
HOME = {  # a kind in which an option is at home, where its line does not name it
    "--threshold": "independent scores", "--unmatched": "files of outcomes", "--missing": "outcomes",
    "--rows": "matrices",
    "--population": "strata", "--stratum": "strata", "--bins": "scores", "--sep": "label sets", "--better": "values",
    "--bounds": "values", "--labels": "matrices", "--positive": "counts", "--weight": "outcomes", "--count": "outcomes",
}  # fmt: skip

TRIES: dict[str, tuple[Try, ...]] = {
    # columns
    "--truth": (Try("other"),),
    "--pred": (Try("c"), Try("kc"), Try("tc")),
    "--outcome": (Try("oc"),),
    "--judge": (Try("oc"),),
    "--human": (Try("hc"),),
    "--value": (Try("vc"),),
    "--score": (Try("pc"),),
    "--bounds": (Try("0,2"),),
    "--cluster": (Try("question"),),
    "--better": (Try("lower"),),
    "--by": (Try("region"),),
    "--where": (Try("other=1"),),
    "--weight": (Try("w"),),
    "--count": (Try("n"),),
    "--sep": (Try(";", metric="macro-f1"),),
    "--missing": (Try("drop", "holes"),),
    "--threshold": (Try("0.5", metric="f1"),),
    "--bins": (Try("4"),),
    "--engine": (Try("spark"),),
    "--remote": (Try("sc://here", beside="--engine spark"), Try("sc://here")),
    "--task": (Try("sums"),),
    "--filter": (Try("strict-match"),),
    "--scorer": (Try("match"),),
    "--stratum": (Try("region", beside="--population north=30,south=90"), Try("region")),
    "--population": (Try("north=30,south=90", beside="--stratum region"), Try("north=30,south=90")),
    "--on": (Try("id", "twice"), Try("other")),
    "--system": (Try("region"),),
    "--pool": (Try(),),
    "--unmatched": (Try("drop", "short"),),
    "--independent": (Try(),),
    "--independent-rows": (Try(),),
    "--name": (Try("one --name two"), Try("alone"), Try("b --name a")),
    "--db": (Try("sqlite:///rows.twice.db"),),
    "--table": (Try("fewer"),),
    "--query": (Try("'select * from items limit 40'"),),
    # tables
    "--counts": (Try("3,4,5,6"),),
    "--rate": (Try("3/4"),),
    "--matrix": (Try("other.csv"),),
    "--wins": (Try("3,4,5"),),
    "--rows": (Try("pred"),),
    "--labels": (Try("x,y,z,u", metric="macro-f1"), Try("0,1,2", metric="macro-f1"), Try("p,q,r", metric="f1:p")),
    "--positive": (Try("0"), Try("1", metric="f1"), Try("y", metric="f1")),
    "--prevalence": (Try("0.1"), Try("0.1", metric="f1:y")),
    # settings
    "--metric": (Try("{other}"),),
    "--above": (Try("0.7"),),
    "--below": (Try("0.9"),),
    "--width": (Try("0.3"),),
    "--difference": (Try("0.05"),),
    "--disagreement": (Try("0.35", beside="--difference .1"), Try("0.35")),
    "--n": (Try("50"),),
    "--assurance": (Try("0.6"),),
    "--expected": (Try("recall=.7,precision=.7,prevalence=.3"),),
    "--chance": (Try(),),
    "--shrink": (Try(), Try(metric="recall")),
    "--prior": (Try("2"), Try("none"), Try("none", beside="--bounds 0,1")),
    "--level": (Try("0.8"),),
    "--interval": (Try("hdi"),),
    "--seed": (Try("7", metric="{sampled}"),),
    "--tolerance": (Try("0.03", metric="{sampled}"),),
    "--sort": (Try("better"),),
    "--between": (Try("region"), Try("other")),
    "--equal-within": (Try("0.05"),),
    "--apart": (Try("0.501"), Try("0.99999")),
    "--draws": (Try("300"),),
    # gate
    "--require": (Try("'{other} > 0.6'"), Try("'{other} not worse by 0.2'")),
    "--baseline": (Try("run-b.jsonl"),),
    "--config": (Try("options.toml"),),
    # curve
    "--band": (Try("recall"),),
    "--simultaneous": (Try(),),
    "--best": (Try("informedness"),),
    "--cost": (Try("fp=1,fn=7"),),
    "--at-least": (Try("recall=0.95"), Try("'recall=0.7 with 0.8'")),
    "--at-most": (Try("fallout=0.05"), Try("'fallout=0.6 with 0.8'")),
    "--correct": (Try("split"),),
    # trec
    "--only-common": (Try(),),
    "--no-relevant": (Try("zero"),),
    "--unjudged": (Try("bounds"),),
    "--ties": (Try("float32"),),
    "--compare": (Try("dense bm25"),),
    # solve
    "--exact": (Try(),),
    "--most": (Try("2"),),
    "--posterior": (Try("f1"),),
    # surface and tradeoff
    "--z": (Try("kappa"),),
    "--x": (Try("specificity"),),
    "--y": (Try("npv"),),
    "--break-even": (Try(), Try(line="--size 5")),
    "--x-values": (Try("0.3,0.6"),),
    "--y-values": (Try("0.3,0.6"),),
    "--size": (Try("7"),),
    "--recall": (Try("0.7"),),
}
_TIE = "tp=1 fp=2 recall=.12 positives=8 n=20"  # 1/8 is printed as .13, or as .12 if ties go either way
OWN: dict[tuple[str, str, str], tuple[Try, ...]] = {  # where an option needs other values
    **{(command, "a database", "--query"): (Try("'select * from items limit 40'", line=f"{_DATABASE} {columns}"),)
       for command, columns in (("score", "--truth label --pred a"), ("curve", "--truth label --score pa"),
                                ("plan", "--truth label --pred a --n 60"),
                                ("forecast", "--truth label --pred a --n 12"),
                                *((x, "--truth label --pred a --pred b") for x in ("compare", "leaderboard")))},
    **{("gate", kind, "--system"): (Try("region", line=f"{line} --cluster question --require 'f1 not worse'"),)
       for kind, line in (("clusters of classes", "rows.jsonl --truth label --pred a"),
                          ("pooled files", f"{_RUNS} --pool --truth label --pred answer"))},
    ("gate", "matrix", "--rows"): (Try("pred", metric="recall:1"),),
    ("gate", "a database", "--query"): (
        Try("'select * from items limit 40'", line=f"{_DATABASE} --truth label --pred a --require 'f1 > 0.5'"),
    ),
    **{("forecast", kind, "--sep"): (Try(";", metric="micro-f1"),) for kind in _PREDICTED},
    ("forecast", "matrix", "--rows"): (Try("pred", metric="recall:1"),),
    ("score", "verdicts", "--pred"): (Try("oc", beside="--positive pass", metric="f1"),),
    **{("plan", kind, "--pred"): (Try("c", metric="accuracy"),)  # of f1, a plan of two systems takes seconds
       for kind in ("a database", "scores and a threshold", "counts", "expected")},
    ("plan", "matrix", "--labels"): (Try("p,q,r", metric="f1:p"),),
    ("solve", "exact values", "--exact"): (Try(line="precision=.75 recall=.6 accuracy=.85 n=200"),),
    ("solve", "a posterior", "--exact"): (Try(line="precision=.75 recall=.6 accuracy=.85 n=200 --posterior f1"),),
    ("solve", "exact values", "--ties"): (Try("either"),),
    ("solve", "digits without n", "--ties"): (Try("either"),),
    ("solve", "whole numbers", "--ties"): (Try("either", line=_TIE),),
    ("solve", "a posterior", "--ties"): (Try("either", line=f"{_TIE} --posterior f1"),),
    ("solve", "systems", "--ties"): (Try("either", line="--system 'x tp=1 fp=2 recall=.12' positives=8 n=20"),),
    ("solve", "systems", "--system"): (Try("'z f1=.8'"),),
    **{("solve", kind, "--system"): (Try("'z f1=.8'", line=f"n=30 positives=19 {more}"),)
       for kind, more in (("exact values", "--exact"), ("digits without n", ""), ("whole numbers", ""),
                          ("a posterior", ""))},
    **{("solve", kind, "--wins"): (Try("x,y=3,1"),)
       for kind in ("exact values", "digits without n", "whole numbers", "a posterior", "systems")},
}  # fmt: skip


# -- verbs without lines of their own: what their declaration tells


def _declared(verb: Verb) -> dict[str, Line]:
    """The lines of one system, without a metric if the verb takes none, and with what it needs."""
    needed = " ".join(f"--{x.flag or k} {x.shown}" for k, x in verb.options.items() if x.required)
    lacks = [rf" --{name} \S+" for name, k in (("metric", "metrics"), ("tolerance",) * 2) if k not in verb.options]
    texts = {kind: re.sub("|".join(lacks) or r"(?!)", "", line.text) for kind, line in _ONE.items()}
    return {kind: Line(f"{text} {needed}".strip()) for kind, text in texts.items()}


_VALUES = {"flag": "", "whole": "2", "number": "0.3", "limits": "0.3", "numbers": "0.3", "text": "x", None: "x"}
for _name in verbs.names():
    _verb = verbs.verb(_name)
    if _name not in LINES and _verb.data is not None:
        LINES[_name] = _declared(_verb)
        for _keyword, _option in _verb.options.items():
            TRIES.setdefault(f"--{_option.flag or _keyword.replace('_', '-')}", (Try(_VALUES[_option.reads]),))
