"""The core: arrays, reports, many tables at once, starting up, and the exactness of one interval."""

from __future__ import annotations

import itertools
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import howsure as hs
from bench import exact, peers
from bench.registry import AtLeast, Row, Run, Target, Under, Within, group
from bench.timing import Rules, commands, race

SEED = 20
TABLES = ((80, 20, 30, 870), (7, 0, 1, 2), (10, 0, 0, 10))


# -- (a) and (b): two arrays -----------------------------------------------------------------------


@group("core-a", "The F1 interval from two arrays, against scikit-learn's point score")
def arrays(run: Run) -> Iterator[Row]:
    from sklearn.metrics import f1_score

    for kind, target in (("int", AtLeast(10)), ("text", AtLeast(5))):
        for n in run.sizes:
            run.say(f"core-a: {kind} labels, n = {n:,}")
            y, z, change = _labels(n, kind)
            yes: Any = "spam" if kind == "text" else 1

            def ours(y: Any = y, z: Any = z, given: Any = yes if kind == "text" else None) -> hs.Interval:
                return hs.posterior(hs.tally(y, z, positive=given))["f1"].interval(kind="equal-tailed")

            def peer(y: Any = y, z: Any = z, yes: Any = yes) -> float:
                return float(f1_score(y, z, pos_label=yes))

            laps = race({"ours": ours, "peer": peer}, _rules(run, n), before=change)
            if laps["peer"].value not in laps["ours"].value:
                raise RuntimeError(f"the interval {laps['ours'].value} leaves out the score {laps['peer'].value}")
            what = f"F1 interval, {kind} labels, n = {n:,}"
            yield Row(what, laps["ours"], "sklearn f1_score", laps["peer"], target)


@group(
    "core-b",
    "A report from two arrays, against scikit-learn's",
    "classification_report returns text, and so does str(); to_dict() returns all rows and notes as data.",
    "hs.score alone counts the items and checks the settings: it computes no row before one is asked for.",
)
def reports(run: Run) -> Iterator[Row]:
    from sklearn.metrics import classification_report

    for n in run.sizes:
        run.say(f"core-b: n = {n:,}")
        y, z, change = _labels(n, "int")
        contenders: dict[str, Callable[[], Any]] = {
            "ours, text": partial(_printed, y, z),
            "ours, alone": partial(hs.score, y, z),
            "peer": partial(classification_report, y, z),
        }
        if n == run.sizes[0]:
            contenders["ours, data"] = partial(_data, y, z)
        laps = race(contenders, _rules(run, n), before=change)
        against, peer = "sklearn classification_report", laps["peer"]
        target: Target = AtLeast(3) if n == 10**5 else Within(1)
        yield Row(f"str(hs.score(y, z)), n = {n:,}", laps["ours, text"], against, peer, target)
        if "ours, data" in laps:
            yield Row(f"hs.score(y, z).to_dict(), n = {n:,}", laps["ours, data"], against, peer)
        yield Row(f"hs.score alone, no rows, n = {n:,}", laps["ours, alone"], against, peer)


@group(
    "core-f",
    "A report of many classes from two arrays, everything in the default table as text, against scikit-learn's",
    "Labels of classes of equal size, 85% right. Interval ends of macro and weighted averages are within 2% of a "
    "standard deviation.",
)
def many_classes(run: Run) -> Iterator[Row]:
    from sklearn.metrics import classification_report

    for k, n, target in ((10, 1_000, 3), (10, 100_000, 1), (100, 1_000, 10), (100, 100_000, 10)):
        run.say(f"core-f: {k} classes, n = {n:,}")
        rng = np.random.default_rng(SEED)
        y = rng.integers(0, k, n)
        z = np.where(rng.random(n) < 0.85, y, rng.integers(0, k, n))
        peer = partial(classification_report, y, z, zero_division=0)

        def change(z: Any = z, rng: Any = rng, k: int = k) -> None:
            at = int(rng.integers(0, z.size))
            z[at] = (z[at] + 1) % k

        contenders: dict[str, Callable[[], Any]] = {"ours, text": partial(_printed, y, z), "peer": peer}
        if (k, n) == (10, 1_000):
            contenders["ours, data"] = partial(_data, y, z)
        laps = race(contenders, _rules(run, n), before=change)
        against, of = "sklearn classification_report", f"{k} classes, n = {n:,}"
        yield Row(f"str(hs.score(y, z)), {of}", laps["ours, text"], against, laps["peer"], Within(target))
        if "ours, data" in laps:
            yield Row(f"hs.score(y, z).to_dict(), {of}", laps["ours, data"], against, laps["peer"])


def _printed(y: Any, z: Any) -> str:
    return str(hs.score(y, z))


def _data(y: Any, z: Any) -> dict[str, Any]:
    return hs.score(y, z).to_dict()


def _rules(run: Run, n: int) -> Rules:
    """Many repeats of what is short, few of what takes seconds."""
    rounds = 200 if n <= 10**4 else 50 if n <= 10**6 else 3
    return run.rules(rounds=rounds, seconds=15, slot=0.02)


def _labels(n: int, kind: str) -> tuple[NDArray[Any], NDArray[Any], Callable[[], None]]:
    """Truths and answers in the proportions 80, 20, 30, 870, and a function that turns an answer round.

    It runs before every timed call, so that nothing kept from the last call can help the next one.
    """
    rng = np.random.default_rng(SEED)
    truth = rng.random(n) < 110 / 1000
    answer = rng.random(n) < np.where(truth, 80 / 110, 20 / 890)
    names: NDArray[Any] = np.array(["ham", "spam"]) if kind == "text" else np.array([0, 1])
    y, z = names[truth.astype(np.intp)], names[answer.astype(np.intp)]
    places = itertools.cycle(rng.permutation(n)[:8].tolist())

    def change() -> None:
        i = next(places)
        z[i] = names[0] if z[i] == names[1] else names[1]

    return y, z, change


@group("core-g", "phi: its interval for one table and for many, nothing drawn")
def agreement(run: Run) -> Iterator[Row]:
    tables = itertools.cycle([(80, 20, 30, 870 + i) for i in range(8)])

    def one() -> hs.Interval:
        tp, fp, fn, tn = next(tables)
        return hs.posterior(hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn))["phi"].interval()

    laps = race({"ours": one}, _rules(run, 1000))
    yield Row("phi interval of one table", laps["ours"], target=Under(0.003))
    rng = np.random.default_rng(SEED)
    tp, fp, fn, tn = rng.multinomial(1000, rng.dirichlet([8, 2, 3, 80], 10_000)).T
    batch = hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn)

    def many() -> hs.Interval:
        return hs.posterior(batch)["phi"].interval()

    laps = race({"ours": many}, run.rules(rounds=3, seconds=20))
    yield Row("phi intervals of 10,000 tables", laps["ours"], target=Under(2))


# -- (c): many tables ------------------------------------------------------------------------------


@group(
    "core-c",
    "Many tables at once: counts from 0 to 1e7, drawn evenly on the log scale",
    "The loops are timed on some of the tables and extrapolated to all of them.",
    "`expect` is the only way from scipy.stats.beta itself to the mean of F1; the other loops take the mean "
    "from one hypergeometric function, which is far cheaper.",
    "The row of the cheapest loop has no target; it shows what care alone would gain.",
)
def many(run: Run) -> Iterator[Row]:
    n, part = (2_000, 20) if run.quick else (100_000, 300)
    rng = np.random.default_rng(SEED)
    counts = np.floor(np.expm1(rng.random((4, n)) * np.log1p(1e7))).astype(np.int64)
    tp, fp, fn, _ = counts[:, :part].tolist()
    shapes = [(a + 0.5, b + c + 1.0) for a, b, c in zip(tp, fp, fn, strict=True)]

    def ours() -> NDArray[np.float64]:
        d = _f1_of(counts)
        low, high = d.interval(0.95, kind="equal-tailed")
        return np.stack([d.mean, low, high], axis=-1)

    loops: dict[str, tuple[Callable[[peers.Shapes], peers.Summary], Target | None]] = {
        "loop: beta(a, b), interval, expect": (peers.loop_expect, AtLeast(40)),
        "loop: beta(a, b), interval; mean by hyp2f1": (peers.loop_frozen, AtLeast(40)),
        "loop: beta.ppf(both, a, b); mean by hyp2f1": (peers.loop_lean, None),
    }
    run.say(f"core-c: F1 mean and interval of {n:,} tables")
    calls = {name: partial(loop, shapes) for name, (loop, _) in loops.items()}
    laps = race({"ours": ours, **calls}, run.rules(rounds=5, seconds=60))
    for name, (_, target) in loops.items():
        note = f"timed on {part} tables; {_differences(laps['ours'].value[:part], laps[name].value)}"
        peer = laps[name].times(n / part)
        yield Row(f"F1 mean and interval, {n:,} tables", laps["ours"], name, peer, target, note=note)
    run.say(f"core-c: HDI of {n:,} tables")
    hdi = race({"ours": lambda: _f1_of(counts).interval(0.95, kind="hdi")}, run.rules(rounds=3))
    yield Row(f"F1 HDI, {n:,} tables", hdi["ours"], target=Under(10))


def _f1_of(counts: NDArray[np.int64]) -> hs.Distribution:
    tp, fp, fn, tn = counts
    return hs.posterior(hs.Tally.binary(tp=tp, fp=fp, fn=fn, tn=tn))["f1"]


def _differences(ours: NDArray[np.float64], peer: NDArray[np.float64]) -> str:
    """How far two summaries of the same tables lie apart, in widths of the interval."""
    width = (ours[:, 2] - ours[:, 1])[:, None]
    apart = np.abs(ours - peer) / width
    ends, means = float(apart[:, 1:].max()), int((apart[:, 0] > 0.01).sum())
    more = f", and its mean lies more than 1% of the width from ours in {means} of them" if means else ""
    return f"its ends lie within {max(ends, 1e-15):.0e} widths of ours{more}"


# -- (d): starting up ------------------------------------------------------------------------------


@group(
    "core-d",
    "Starting up: whole processes, from start to end",
    "The command itself asks for one BLAS thread before it imports numpy; the others start as they are.",
    "`import howsure` loads its parts when they are first used; the row of a first interval has their cost.",
)
def starting(run: Run) -> Iterator[Row]:
    counts = "tp=80, fp=20, fn=30, tn=870"
    numpy, special = "import numpy", "import numpy, scipy.special"
    first = f"import howsure as hs; hs.posterior(hs.Tally.binary({counts}))['f1'].interval()"
    lines = {
        "ours, import": importing("import howsure"),
        numpy: importing(numpy),
        "ours, command": [*command(), "score", "--counts", counts.replace(" ", "")],
        special: importing(special),
        "ours, interval": importing(first),
    }
    run.say("core-d: fresh interpreters")
    with tempfile.TemporaryDirectory() as folder:
        best = race(commands(lines, folder), run.rules(rounds=7, seconds=1e9))
    yield Row("import howsure", best["ours, import"], numpy, best[numpy], Within(1.3))
    yield Row("howsure score --counts …", best["ours, command"], special, best[special], Within(2.5))
    yield Row("import howsure and a first F1 interval", best["ours, interval"], special, best[special])


def command() -> list[str]:
    """The start of a command line of howsure."""
    script = Path(sysconfig.get_path("scripts")) / "howsure"
    return [str(script)] if script.exists() else [sys.executable, "-m", "howsure"]


def importing(text: str) -> list[str]:
    """A Python process that runs a line of text."""
    return [sys.executable, "-c", text]


# -- (e): one interval -----------------------------------------------------------------------------


@group(
    "core-e",
    "The 95% interval of F1 from two arrays: time, and distance from the exact ends",
    "Exact: the equal-tailed interval under weight 1/2 a cell, from mpmath with 40 digits.",
    "The bootstrap and the delta method (confidenceinterval) aim at a confidence interval, so not all of "
    "their distance is numerical; prob_conf_mat aims at the same posterior. One seed each. No target is set.",
)
def one(run: Run) -> Iterator[Row]:
    methods: dict[str, Callable[[Any, Any], Callable[[], peers.Ends]]] = {
        "scipy bootstrap (1,000) of sklearn f1_score": peers.bootstrap_sklearn,
        "scipy bootstrap (1,000), vectorised": peers.bootstrap_arrays,
        "confidenceinterval": peers.confidenceinterval,
        "prob_conf_mat (10,000 draws)": peers.prob_conf_mat,
    }
    for tp, fp, fn, tn in TABLES[:1] if run.quick else TABLES:
        shown = f"{tp}, {fp}, {fn}, {tn}"
        run.say(f"core-e: tp, fp, fn, tn = {shown}")
        y = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
        z = np.repeat([1, 1, 0, 0], [tp, fp, fn, tn])

        def ours(y: Any = y, z: Any = z) -> peers.Ends:
            low, high = hs.posterior(hs.tally(y, z))["f1"].interval(kind="equal-tailed")
            return low, high

        calls = {name: method(y, z) for name, method in methods.items()}
        laps = race({"ours": ours, **calls}, run.rules(rounds=7, seconds=30, slot=0.1))
        ends = exact.f1_interval(tp, fp, fn)
        own, mine = laps["ours"], exact.error(laps["ours"].value, ends)
        for name in methods:
            peer, theirs = laps[name], exact.error(laps[name].value, ends)
            yield Row(f"F1 of {shown}", own, name, peer, our_error=mine, peer_error=theirs)
