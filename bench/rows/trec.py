"""TREC runs: from files, from dicts in memory, and as a whole process, against the packages people use."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import howsure as hs
from bench.memory import OWN_PEAK, Peak
from bench.registry import AtLeast, Row, Run, Under, Within, group
from bench.timing import Cost, commands, race

SEED = 11
OURS = ("P@10", "R@100", "AP", "RR", "nDCG@10", "nDCG", "Rprec", "Bpref", "IPrec@0.1", "11pt_avg", "BEP", "SetP",
        "SetR", "SetF", "Judged@10")  # fmt: skip
THEIRS = ("P_10", "recall_100", "map", "recip_rank", "ndcg_cut_10", "ndcg", "Rprec", "bpref", "iprec_at_recall_0.10",
          "11pt_avg", "set_P", "set_recall", "set_F")  # fmt: skip
RANX = ("precision@10", "recall@100", "map", "mrr", "ndcg@10", "r-precision", "bpref", "f1")
AGAINST_RANX = ("P@10", "R@100", "AP", "RR", "nDCG@10", "Rprec", "Bpref", "SetF")


def _files(folder: Path, queries: int, documents: int) -> tuple[str, str]:
    """A run of so many documents a query, 40 of them and 20 others judged; some scores tie."""
    rng = np.random.default_rng(SEED)
    qrels, run = folder / "qrels.txt", folder / "run.txt"
    pool = 100 * documents
    with qrels.open("w") as judged, run.open("w") as ranked:
        for q in range(queries):
            chosen = rng.choice(pool, documents, replace=False)
            scores = np.round(np.sort(rng.normal(20.0, 5.0, documents))[::-1], 6)
            ranked.writelines(
                f"{q} Q0 doc{d:07d} {i} {s} bm25\n"
                for i, (d, s) in enumerate(zip(chosen, scores.tolist(), strict=True))
            )
            some = np.unique(
                np.concatenate([rng.choice(chosen, 40, replace=False), rng.choice(pool, 20, replace=False)])
            )
            grades = rng.integers(0, 4, len(some))
            judged.writelines(f"{q} 0 doc{d:07d} {g}\n" for d, g in zip(some, grades, strict=True))
    return str(qrels), str(run)


def _pytrec_files(qrels: str, run: str) -> dict[str, float]:
    import pytrec_eval  # type: ignore[import-untyped]

    with Path(qrels).open() as f:
        judged = pytrec_eval.parse_qrel(f)
    with Path(run).open() as f:
        ranked = pytrec_eval.parse_run(f)
    return _pytrec(judged, ranked)


def _pytrec(judged: Any, ranked: Any) -> dict[str, float]:
    import pytrec_eval

    found = pytrec_eval.RelevanceEvaluator(judged, set(THEIRS)).evaluate(ranked)
    return {name: float(np.mean([x[name] for x in found.values()])) for name in ("map", "ndcg_cut_10", "bpref")}


def _ir_measures(qrels: str, run: str) -> dict[str, float]:
    import ir_measures

    names = ["P@10", "R@100", "AP", "RR", "nDCG@10", "nDCG", "Rprec", "Bpref", "IPrec@0.1", "SetP", "SetR", "SetF"]
    measures = [ir_measures.parse_measure(name) for name in names]
    found = ir_measures.calc_aggregate(measures, ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run))
    return {str(m): float(x) for m, x in found.items()}


def _ours(qrels: Any, run: Any) -> hs.Graded:
    return hs.trec(qrels, {"run": run}, metrics=OURS, ties="float32")


def _check(items: hs.Graded, theirs: dict[str, float]) -> None:
    for name, value in theirs.items():
        if name in items and abs(float(items.only(name).values.mean()) - value) > 1e-9:
            raise RuntimeError(f"{name} is {items.only(name).values.mean()} here and {value} there")


@group(
    "trec",
    "TREC runs: values of every query and measure",
    "15 measures of ours against the 13 that pytrec-eval has of them, 12 of ir-measures; ranx with 8, ours with"
    " the same 8. Means agree to 1e-9, or the row fails.",
)
def trec(run: Run) -> Iterator[Row]:
    size = (100, 1000) if run.quick else (1000, 1000)
    what = f"{size[0]:,} queries x {size[1]:,} documents"
    with tempfile.TemporaryDirectory() as name:
        run.say(f"trec: writing {what}")
        qrels, ranked = _files(Path(name), *size)
        yield from _from_files(run, what, qrels, ranked)
        yield from _from_memory(run, what, qrels, ranked)
        yield from _fresh(run, what, qrels, ranked, name)
        yield _bomb(run, Path(name), qrels)


def _from_files(run: Run, what: str, qrels: str, ranked: str) -> Iterator[Row]:
    run.say("trec: from files")
    racers: dict[str, Callable[[], Any]] = {
        "ours": lambda: _ours(qrels, ranked),
        "pytrec-eval": lambda: _pytrec_files(qrels, ranked),
        "ir-measures": lambda: _ir_measures(qrels, ranked),
    }
    laps = race(racers, run.rules(rounds=5, seconds=40))
    for peer in ("pytrec-eval", "ir-measures"):
        _check(laps["ours"].value, laps[peer].value)
        yield Row(f"from files, {what}", laps["ours"], peer, laps[peer], Within(1))


def _from_memory(run: Run, what: str, qrels: str, ranked: str) -> Iterator[Row]:
    import pytrec_eval

    run.say("trec: from memory")
    with Path(qrels).open() as f:
        judged = dict(pytrec_eval.parse_qrel(f))
    with Path(ranked).open() as f:
        scored = dict(pytrec_eval.parse_run(f))
    racers: dict[str, Callable[[], Any]] = {
        "ours": lambda: _ours(judged, scored), "peer": lambda: _pytrec(judged, scored)
    }  # fmt: skip
    laps = race(racers, run.rules(rounds=9, seconds=20))
    _check(laps["ours"].value, laps["peer"].value)
    yield Row(f"from dicts, {what}", laps["ours"], "pytrec-eval", laps["peer"], AtLeast(5))


def _fresh(run: Run, what: str, qrels: str, ranked: str, folder: str) -> Iterator[Row]:
    try:
        import ranx  # type: ignore[import-untyped]  # noqa: F401 - only whether it is there
    except ImportError:
        return
    run.say("trec: fresh processes")
    here = f"import howsure as hs; hs.trec({qrels!r}, {{'run': {ranked!r}}}, metrics={list(AGAINST_RANX)!r})"
    there = (
        f"from ranx import Qrels, Run, evaluate; "
        f"evaluate(Qrels.from_file({qrels!r}, kind='trec'), Run.from_file({ranked!r}, kind='trec'), {list(RANX)!r})"
    )
    lines = {"ours": [sys.executable, "-c", here], "peer": [sys.executable, "-c", there]}
    laps = race(commands(lines, folder), run.rules(rounds=2, seconds=60))
    yield Row(f"fresh process, from files, {what}", laps["ours"], "ranx", laps["peer"], AtLeast(10))


MEMORY = 250  # MB of a whole process
_BOMB = """
import json, sys, time
import howsure as hs
start = time.perf_counter()
try:
    hs.trec(sys.argv[1], [sys.argv[2]])
    said = "taken"
except hs.errors.HowsureError as error:
    said = str(error)
print(json.dumps([time.perf_counter() - start, OWN_PEAK // 1024, said]))
""".replace("OWN_PEAK", OWN_PEAK)


def _bomb(run: Run, folder: Path, qrels: str) -> Row:
    """A small packed file that unpacks to gigabytes of one line over and over."""
    times = 30 if run.quick else 300
    run.say("trec: a file that unpacks to gigabytes")
    path = folder / "bomb.gz"
    path.write_bytes(gzip.compress(b"q1 Q0 d1 1 1.0 t\n" * 600_000, 9) * times)
    line = [sys.executable, "-c", _BOMB, qrels, str(path)]
    took, peak, said = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    if "line 2" not in said or peak > MEMORY:
        raise RuntimeError(f"peak memory {peak} MB, and: {said}")
    packed, held = path.stat().st_size / 1e6, 17 * 600_000 * times / 1e9
    note = f"peak memory {peak} MB (limit {MEMORY}); refused at its second line"
    cost = Cost(took, Peak(peak, whole=True))
    return Row(f"{packed:.1f} MB packed, {held:.1f} GB unpacked", cost, target=Under(10), note=note)
