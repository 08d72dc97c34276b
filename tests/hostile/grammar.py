"""Random command lines: a line that works, changed a few times in any way that click's own declarations allow.

python -m tests.hostile.grammar 5000 17: so many lines of a seed; every line that breaks a rule is made as small as it
can be and printed. An option that is declared tomorrow is tried tomorrow: values come from its name, or from its type.
"""

from __future__ import annotations

import os
import random
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from howsure.catalogue import metrics
from howsure.catalogue.retrieval import rankings
from howsure.cli.app import app
from tests.hostile import columns, files, trec_files
from tests.hostile.running import Ran, ran, wrong_with

_KINDS = {"whole": files.whole(), "damaged": files.damaged(), "trec": trec_files.made()}
NAMED = dict(columns.odd_files())
MADE = {x.name: x for made in (*_KINDS.values(), NAMED.values()) for x in made}
WHOLE, DAMAGED, TREC = ([x.name for x in _KINDS[kind]] for kind in ("whole", "damaged", "trec"))
ODD = [x.name for x in NAMED.values()]
STRAY = ["missing.csv", ".", "nothing-*.csv", "", "-", "/dev/null", "pla[i]n.csv"]
MOST_BAD = 20
STANDARD_INPUT = MADE["plain.csv"]

SEEDS: dict[str, list[str]] = {
    "score": [
        "{f} --truth y --pred z --metric f1", "{f} --truth k --pred l --metric accuracy", "{f} --outcome o",
        "{f} --value v", "{f} --truth y --score s --threshold 0.5 --metric recall", "{f} --truth y --pred z --by r",
        "{f} --truth y --score s --metric auc", "{f} --truth a --pred b --sep ; --metric micro-f1",
        "{f} --outcome o --cluster g", "{f} --value v --bounds 0,1", "{f} --judge o --human p",
        "{f} {f} --truth y --pred z --pool --metric f1",
        "{f} --truth y --pred z --metric accuracy --stratum r --population north=300,south=90",
        "{f} --truth y --pred odd --metric accuracy", "{f} --truth odd --pred odd --metric accuracy",
        "{f} --value odd", "{f} --outcome odd", "{f} --outcome o --by odd", "--counts 8,2,3,9 --metric f1",
        "--counts {n} --metric {m}", "--counts {n} --metric {m}", "--rate 7/9", "--matrix square.csv --metric accuracy",
    ],
    "compare": [
        "{f} --truth y --pred z --pred w --metric f1", "{f} --outcome o --outcome p", "{f} --value v --value u",
        "{f} {f} --on id --outcome o", "{f} {f} --on id --truth y --pred z --metric f1",
        "{f} {f} --outcome o --independent", "{f} {f} --outcome o --cluster g", "{f} {f} --value v --on id",
        "{f} --truth k --pred l --pred m --metric accuracy", "{f} --outcome o --outcome p --by r", "--wins 7,4,30",
        "--counts 8,2,3,9 --counts 4,5,6,7 --metric f1", "--rate 7/9 --rate 3/8",
        "--counts {n} --counts {n} --metric {m}", "--matrix square.csv --matrix square.csv --metric accuracy",
        "{f} --truth y --score s --score t --metric auc",
    ],
    "leaderboard": [
        "{f} --outcome o --outcome p", "{f} --truth y --pred z --pred w --metric f1", "{f} --value v --value u",
        "{f} {f} --on id --outcome o --name a --name b", "--counts 8,2,3,9 --counts 4,5,6,7 --metric f1",
        "{f} --outcome o --system r --cluster g", "--rate 7/9 --rate 3/8 --rate 2/5",
    ],
    "curve": [
        "{f} --truth y --score s --metric auc", "{f} --truth y --score s --score t --metric auc",
        "{f} --truth y --score s --band f1", "{f} --truth y --score s --best f1",
        "{f} --truth y --score odd --metric AP",
        "{f} --truth y --score s --cost fp=1,fn=3", "{f} --truth y --score s --cluster g --metric auc",
    ],
    "trec": ["qrels.txt {t} --metric AP", "{t} {t} --metric P@5", "qrels.txt one.run {t} --metric nDCG@3"],
    "solve": [
        "precision=.75 recall=.6 accuracy=.85 n=40", "f1=.8 recall=.7 n=30 --exact", "tp=3 fp=4 fn=2 tn=9",
        "P=.75 R=.6 n=40 --posterior f1", "acc=.9 prevalence=.2 --most 3",
        "--system 'x f1=.86' --system 'y f1=.80' n=30 positives=19",
    ],
    "tradeoff": ["accuracy=.9 prevalence=.2", "--counts 30,6,4,20"],
    "surface": ["fallout=.01 --size 4", "--break-even --size 4"],
    "gate": [
        "{f} --truth y --pred z --require 'f1 > 0.6'", "{f} --truth y --pred z --pred w --require 'f1 not worse by .1'",
        "{f} --truth y --pred z --require 'recall > .5 in r=north'", "{f} --outcome o --cluster g --require {q}",
        "{f} --value v --require 'mean > .5 with .9'", "--counts {n} --require {q}", "--counts 8,2,3,9 --require {q}",
        "--rate 7/9 --require 'rate > 70% with 90%'",
        "{f} --baseline {f} --on id --outcome o --require 'rate not worse'",
        "{f} --truth y --score s --require 'auc > .6'", "{f} --judge o --human p --require 'rate > .5'",
        "{f} --truth k --pred l --require {q} --require 'f1:x > .2'",
    ],
    "forecast": [
        "{f} --truth y --pred z --metric f1 --n 20", "{f} --outcome o --n 9", "{f} --value v --bounds 0,1 --n 9",
        "{f} --outcome o --outcome p --n 30 --below 0", "{f} --outcome o --cluster g --n 5", "--rate 7/9 --n 1",
        "--counts {n} --metric {m} --n 40", "--counts 8,2,3,9 --metric {m} --n 7", "{f} --outcome o --by r --n 6",
        "--rate 7/9 --rate 3/8 --n 12", "{f} {f} --outcome o --independent --n 8",
        "{f} --truth k --pred l --metric accuracy --n 11 --above .5", "{f} --truth y --pred z --by odd --n 4",
    ],
    "plan": [
        "--expected rate=.8 --width .2", "--expected recall=.8,precision=.7,prevalence=.3 --metric {m} --width .3",
        "--counts 8,2,3,9 --metric f1 --width .4", "--counts {n} --metric {m} --n 60", "--rate 7/9 --above .5",
        "{f} --truth y --pred z --metric f1 --above .2", "{f} --outcome o --outcome p --difference .3",
        "--expected rate=.7 --difference .3 --disagreement .4", "{f} --value v --bounds 0,1 --width .3",
        "{f} --outcome o --cluster g --width .5", "--matrix square.csv --metric accuracy --n 30",
        "--expected {e} --metric {m} --n 25",
    ],
    "metrics": ["", "f1", "auc"],
    "papers": ["goutte-table-1-micro", "no-such-item"],
}  # fmt: skip
WEIGHTS = {"score": 40, "compare": 22, "leaderboard": 12, "curve": 12, "trec": 8, "gate": 12, "forecast": 12, "plan": 8,
           "solve": 5, "tradeoff": 2, "surface": 2, "metrics": 1, "papers": 1}  # fmt: skip
OF_FILES = ("score", "compare", "leaderboard", "curve", "gate", "forecast")
REQUIRED = [
    "f1 > 0.8", "f1>.8 with .9", "recall >= 50%", "accuracy < 1", "f1 > 1", "f1 > 0", "f1 > nan", "f1 > 1e400", "f1",
    "rate > .5 with .5", "rate > .5 with 1", "rate > .5 with 95", "pass@2 > .5", "mean > 3", "f1:x > .1", "f1:* > .1",
    "macro-f1 > .2 in r=north", "f1 > .5 in odd=1", "f1 > .5 in r=", "f1 > .5 in ", "f1 not worse", "> 0.5", "",
    "f1 not worse by 0", "f1 not worse by -1", "rate not worse by 5%", "prevalence not worse", "odds-ratio > 1",
    "lr-plus > 1e300", "f1 > 0.8 and recall > 0.9", "f1 > 0.8 with", "nope > .5", "auc > .5", "kappa > -.5",
    "f1 is good", "f1 == .5", "\x1b[31m > .5", "f1 > .5 in r=\u202e", "phi > 0 with 0.999999999999",
]  # fmt: skip
EXPECTED = ["rate=.8", "recall=.8,precision=.7,prevalence=.1", "recall=1,precision=1,prevalence=.5", "rate=0", "rate=1",
            "accuracy=.9", "f1=.8", "recall=.8", "recall=nan,precision=.5,prevalence=.1", "rate=2", "x=.1", "=", "",
            "recall=.8,precision=.01,prevalence=.9", "recall=1e-300,precision=.5,prevalence=.5", "mean=.5", "rate=.8,",
            "tp=1,fp=2,fn=3,tn=4", "rate=.5,rate=.6", "recall=.5,specificity=.5,prevalence=1e-12"]  # fmt: skip
PLAIN = [*files.TABLE[0], "odd", "nope", "", "Y", "in.y", "n=1"]
NUMBERS = ["0", "1", "-1", "0.5", "2", "1e-300", "1e300", "1e400", "nan", "inf", "-0", "", "x", "0.95", "1e-9", "007"]
TEXTS = [
    "",
    "x",
    "a=b",
    "=",
    ",",
    "1,2",
    "north",
    "\x1b[31m",
    "é👩‍👩‍👧",
    "\u202e",
    "'; --",
    "--",
    "0",
    "9" * 40,
    "x" * 3000,
]
SIZES = [0, 0, 1, 2, 3, 7, 40, 1000, 10**6, 10**9, 10**12]
METRICS = [
    *(x.name for x in (*metrics(), *rankings())),
    "f1", "recall", "precision", "accuracy", "macro-f1", "f1:x", "f1:odd", "kappa", "phi", "lr-plus", "odds-ratio",
    "auc", "AP", "AP11", "f1@0.5", "precision@recall=0.9", "rate", "mean", "micro-f1", "samples-f1", "f0.5", "f1e9",
    "f11", "fbeta(3)", "fbeta(0)", "fbeta(", "macro-fbeta(3)", "fbeta(3):x", "fnan",
    "f-1", "utility", "tetrachoric", "P@5", "nDCG@10", "RR", "P@0", "P@-1", "precison", "f1:", ":", "@", "",
    "pass@2", "pass@0", "all-pass@3", "pass^2", "pass^", "pass@" + "9" * 40, "pass_at_1",
]  # fmt: skip
HOLDS: dict[str, Callable[[files.Row], bool]] = {  # conditions, and the same in plain Python
    "r=north": lambda row: row["r"] == "north",
    "k=x": lambda row: row["k"] == "x",
    "id=q1": lambda row: row["id"] == "q1",
    "age>=30": lambda row: float(row["age"]) >= 30,
    "age<25": lambda row: float(row["age"]) < 25,
    "y=1": lambda row: float(row["y"]) == 1,
    "z!=0": lambda row: float(row["z"]) != 0,
    "v>0.5": lambda row: float(row["v"]) > 0.5,
    "n>=2": lambda row: float(row["n"]) >= 2,
}
VALUES: dict[str, list[str]] = {  # where a type tells too little
    "--metric": METRICS, "--band": METRICS, "--best": METRICS, "--posterior": METRICS, "--x": METRICS, "--y": METRICS,
    "--z": METRICS,
    "--where": [*HOLDS, "odd=1", "odd<2", "nope=1", "r", "=1", "r=", "odd!=", "age>=x", "age=1e400", "odd==a",
                "r=\x1b[31m", "age<nan"],
    "--counts": ["8,2,3,9", "tp=1,fp=2,fn=3,tn=4", "0,0,0,0", "1,2,3", "-1,2,3,4", "1e18,1,1,1", "1.5,2,3,4",
                 "9007199254740993,1,1,1", "1e400,1,1,1", "nan,1,1,1", "0,0,0,5", "tp=1,tp=2,fn=3,tn=4", ",,,"],
    "--rate": ["7/9", "0/0", "0/5", "5/5", "9/7", "-1/5", "1e18/1e18", "x/y", "7", "1/1e400", "0.5/3"],
    "--wins": ["7,4,30", "0,0,0", "1,2", "1,2,3,4", "-1,2,3", "x,y=3,1", "1e18,1,1", "x,y=3", "1e400,1,1"],
    "--matrix": [x for x in TREC if x.endswith(".csv")],
    "--bounds": ["0,1", "1,0", "0,0", "0", "nan,1", "-inf,inf", "0,1e400", "0,1,2", "-1e300,1e300", "0.4,0.6"],
    "--population": ["north=300,south=90", "north=1,south=1", "north=300", "x=1", "north=nan,south=2", "=", "1=9,0=9",
                     "north=1e400,south=1", "north=-1,south=5", "north=0,south=50"],
    "--prior": ["even", "jeffreys", "uniform", "two-level", "none", "2", "0", "-1", "1e-300", "1e300", "nan", "inf",
                "x"],
    "--level": ["0.8", "0", "1", "-1", "1e-300", "0.999999999999", "nan", "95", "x"],
    "--tolerance": ["0.5", "0.2", "0", "-1", "nan", "1e-300", "1e300", "x"],
    "--draws": ["200", "1", "0", "-1", "x", "1000000000000"],
    "--bins": ["4", "2", "1", "0", "1000000", "1000001", "x"],
    "--size": ["3", "2", "1", "0", "-1", "x", "1000000000"],
    "--seed": ["0", "7", "-1", str(2**64), "x", str(2**31)],
    "--cost": ["fp=1,fn=5", "fp=0,fn=0", "fp=-1", "fp=nan", "fp=1e400", "x=1", "fp", "fp=1e300,fn=1e-300"],
    "--at-least": ["recall=0.9", "recall=2", "x=1", "recall=nan", "recall", "'recall=.5 with .6'", "'recall=1 with 2'",
                   "'recall with'"],
    "--at-most": ["fallout=0.1", "fallout=-1", "precision=0"],
    "--above": ["0.8", "f1=0.8", "nan", "inf", "x", "=", "f1=", "-5", "nope=1"],
    "--below": ["0.2", "f1=0.2", "nan", "-inf", "x", "1", "0", "1e300"],
    "--require": REQUIRED, "--expected": EXPECTED,
    "--n": ["1", "2", "33", "500", "0", "-1", "x", "1000000000000", "100000", "1.5"],
    "--width": ["0.3", "30%", "0", "1", "1e-12", "nan", "x", "-1", "2"],
    "--difference": ["0.2", "20%", "0", "1", "1e-12", "nan", "x", "-.1", "2"],
    "--disagreement": ["0.4", "0", "1", "nan", "x", "1e-12", "0.05"],
    "--assurance": ["0.5", "0", "1", "90%", "0.999999999999", "nan", "x"],
    "--baseline": ["plain.csv", "lines.jsonl", "missing.csv", "", ".", "-", "odd.csv"],
    "--config": ["missing.toml", ".", "", "plain.csv", "-"],
    "--prevalence": ["0.1", "1%", "0", "1", "0.2..0.4", "0.4..0.2", "3/30", "0/0", "nan", "x", "..", "1e-300", "9/3"],
    "--labels": ["0,1", "x,y,z", "a,b", "", "0,0", "x", ",", "1,0,2"],
    "--positive": ["1", "0", "x", "true", "", "1.0", "=1+1"],
    "--name": ["a", "b", "", "\x1b[31m", "é", "z"],
    "--compare": ["one two", "one one", "one nope"],
    "--system": ["r", "k", "odd", "'x f1=.8'", "'z tp=1 n=4'", "x"],
    "--x-values": ["0.2,0.5", "0", "nan", "2", "0.5,0.2", "x", ""], "--y-values": ["0.2,0.5", "1", "inf", ","],
    "--recall": ["0.7", "0", "1", "2", "nan", "x"],
    "--out": ["made.json", "made.csv", "made.parquet", "made.tex", "made.xml", "no/such/place.json", ".", "made.what",
              "made.html"],
    "--remote": ["sc://localhost:1"], "--engine": ["duckdb"],  # Spark has tests of its own
    "--most": ["1", "5", "0", "-1", "x"],
}  # fmt: skip
COLUMNS = ["--truth", "--pred", "--outcome", "--value", "--cluster", "--by", "--weight", "--count", "--score",
           "--stratum", "--on", "--judge", "--human"]  # fmt: skip


def options(command: str) -> dict[str, click.Parameter]:
    """The options of a command, as click declares them."""
    return {p.opts[0]: p for p in app.commands[command].params if p.opts[0].startswith("-")}


def values(rng: random.Random, name: str, option: Any) -> list[str]:
    """Values of an option: by its name, else by its type; now and then any text."""
    if option.is_flag:
        return []
    if rng.random() < 0.07:
        return [rng.choice(TEXTS) for _ in range(option.nargs)]
    if name in COLUMNS:
        return [rng.choice(PLAIN)]
    if name in ("--counts", "--rate", "--wins") and rng.random() < 0.6:
        return [_sizes(rng, name)]
    if name in VALUES and (name != "--system" or rng.random() < 0.9):
        chosen = rng.choice(VALUES[name])
        return shlex.split(chosen) if name in ("--compare", "--system") else [chosen]
    kind = option.type
    pool = list(kind.choices) if isinstance(kind, click.Choice) else TEXTS
    if isinstance(kind, (click.types.FloatParamType, click.types.IntParamType)):
        pool = NUMBERS
    return [str(rng.choice(pool)) for _ in range(option.nargs)]


def _sizes(rng: random.Random, name: str) -> str:
    """Counts of any size, none of them wrong in itself."""
    if name == "--rate":
        hits, more = (rng.choice(SIZES) for _ in range(2))
        return f"{hits}/{hits + more}"
    return ",".join(str(rng.choice(SIZES)) for _ in range(4 if name == "--counts" else 3))


Parts = list[list[str]]  # a line as parts that are taken or left whole: words, and options with their values


def parts_of(command: str, words: Sequence[str]) -> Parts:
    known, found, at = options(command), [], 0
    while at < len(words):
        own = known.get(words[at])
        many = 1 if own is None or own.is_flag else 1 + own.nargs  # type: ignore[attr-defined]
        found.append(list(words[at : at + many]))
        at += many
    return found


def file(rng: random.Random) -> str:
    pool = rng.choices([WHOLE, ODD, DAMAGED, STRAY, TREC], [60, 22, 12, 3, 3])[0]
    return rng.choice(pool)


def line(rng: random.Random) -> list[str]:
    """A random command line."""
    command = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    text = rng.choice(SEEDS[command])
    one = file(rng)
    words = [(one if rng.random() < 0.6 else file(rng)) if w == "{f}" else w for w in shlex.split(text)]
    pools = {"{t}": TREC, "{m}": METRICS, "{q}": REQUIRED, "{e}": EXPECTED}
    words = [rng.choice(pools[w]) if w in pools else _sizes(rng, "--counts") if w == "{n}" else w for w in words]
    parts = parts_of(command, words)
    known = options(command)
    for _ in range(min(6, int(rng.expovariate(0.6)))):
        _change(rng, command, parts, known)
    if "--tolerance" in known and not any(p[0] == "--tolerance" for p in parts):
        parts.append(["--tolerance", "0.5"])  # for time
    if "--format" in known and not any(p[0] in ("--format", "--out") for p in parts):
        kinds = list(known["--format"].type.choices)  # type: ignore[attr-defined]
        parts.append(["--format", "json" if rng.random() < 0.75 else rng.choice(kinds)])
    return [command, *(w for part in parts for w in part)]


def _change(rng: random.Random, command: str, parts: Parts, known: dict[str, Any]) -> None:
    what = rng.choices(["add", "drop", "other", "twice", "word", "file"], [60, 10, 14, 4, 3, 4])[0]
    if what == "add" or not parts:
        name = rng.choice(list(known))
        parts.append([name, *values(rng, name, known[name])])
    elif what == "drop":
        parts.pop(rng.randrange(len(parts)))
    elif what == "other":
        chosen = rng.choice(parts)
        if chosen[0] in known:
            chosen[1:] = values(rng, chosen[0], known[chosen[0]])
    elif what == "twice":
        parts.append(list(rng.choice(parts)))
    elif what == "word":
        parts.insert(rng.randrange(len(parts) + 1), [rng.choice([*TEXTS, *NUMBERS, "--nope", "-x"])])
    elif command in (*OF_FILES, "plan", "trec"):
        parts.insert(0, [file(rng)])


# -- trying


def given_for(words: Sequence[str]) -> bytes:
    return STANDARD_INPUT.data if "-" in words else b""


def rows_given(words: Sequence[str]) -> tuple[int, int] | None:
    """The rows of the files of a line, and those that its conditions leave out, by plain Python; None: cannot tell."""
    command = words[0]
    if command not in OF_FILES:
        return None
    parts = parts_of(command, words[1:])
    given = [p[0] for p in parts if not p[0].startswith("--")] + [p[1] for p in parts if p[0] == "--baseline"]
    found = [STANDARD_INPUT if name == "-" else MADE.get(name) for name in given]
    rows = [row for x in found if x is not None for row in x.rows or ()]
    if not found or any(x is None or x.rows is None for x in found):
        return None
    asked = [p[1] for p in parts if p[0] == "--where"]
    if not all(x in HOLDS for x in asked) or (asked and not all(x in WHOLE or x == "-" for x in given)):
        return len(rows), -1
    return len(rows), sum(not all(HOLDS[x](row) for x in asked) for row in rows)


def complaints(words: Sequence[str]) -> tuple[Ran, list[str]]:
    """What a line gave, and what is wrong with it."""
    r = ran(words, given_for(words))
    found = wrong_with(r)
    counted = rows_given(words)
    if not found and r.code != 2 and counted is not None and "json" in words and "--out" not in words:
        told = r.document["data"].get("rows")
        if told is None or told["read"] != counted[0]:
            found.append(f"rows: {told} read of {counted[0]}")
        elif counted[1] >= 0 and told["left_out"].get("where", 0) != counted[1]:
            found.append(f"rows: {told}, where conditions leave out {counted[1]}")
    return r, found


def smallest(words: Sequence[str], kind: str) -> list[str]:
    """A line as short as it can be with the same kind of complaint."""
    command, parts = words[0], parts_of(words[0], words[1:])
    changed = True
    while changed:
        changed = False
        for at in range(len(parts) - 1, -1, -1):
            fewer = parts[:at] + parts[at + 1 :]
            again = complaints([command, *(w for p in fewer for w in p)])[1]
            if any(_kind(x) == kind for x in again):
                parts, changed = fewer, True
    return [command, *(w for p in parts for w in p)]


def _kind(complaint: str) -> str:
    return complaint.partition(":")[0].partition(" = ")[0][:24]


def sweep(many: int, seed: int, tell: Callable[[str], object] = print) -> Iterator[tuple[list[str], list[str]]]:
    """Lines that break a rule, as small as can be, each with its complaints; files are in the current folder.

    It ends with the twentieth: they are one mistake then.
    """
    rng = random.Random(seed)
    bad = 0
    for i in range(many):
        if bad == MOST_BAD:
            return
        words = line(rng)
        r, found = complaints(words)
        if found:
            least = smallest(words, _kind(found[0]))
            again = complaints(least)[1] or found
            tell(f"line {i} of seed {seed}: howsure {shlex.join(least)}")
            bad += 1
            yield least, again
        elif r.seconds > 5:
            tell(f"slow, {r.seconds:.1f} s: howsure {shlex.join(words)}")


def main() -> int:
    many, seed = (int(x) for x in (*sys.argv[1:3], *("5000", "17")[len(sys.argv) - 1 :]))
    print(f"{many} lines of seed {seed}")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for x in MADE.values():
            x.write(Path(folder))
        os.chdir(folder)
        for _, found in sweep(many, seed):
            bad += 1
            for x in found[:3]:
                print("    ", x[:600], flush=True)
        os.chdir("/")
    print(f"{bad} of {many} lines break a rule")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
