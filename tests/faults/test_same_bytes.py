"""The same bytes from the same seed: whatever the number of threads, the environment, the home and the terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import howsure as hs
from tests.faults.lines import WRITE, words
from tests.faults.nursery import ROOT, Line, ran
from tests.tiers import tier

THREADED = ("score", "compare", "leaderboard", "curve", "trec", "surface")  # these read files or sample; deep: all


def test_threads_change_no_byte(tmp_path) -> None:
    """One thread of the libraries of matrices and of DuckDB, or seven: a command writes the same file."""
    names = WRITE if tier == "deep" else THREADED
    made = []
    for n in (1, 7):
        folder = tmp_path / str(n)
        folder.mkdir()
        lines = [Line(words(name, "--out", f"{name}.json"), str(folder), threads=n, most_bytes=10**8) for name in names]
        left = ran(lines, OMP_NUM_THREADS=str(n), OPENBLAS_NUM_THREADS=str(n))
        wanted = [(0, f"wrote {name}.json\n", [f"{name}.json"]) for name in names]
        assert [(x.code, x.err, x.files) for x in left] == wanted
        made.append({x.name: x.read_bytes() for x in folder.iterdir()})
    assert made[0] == made[1]


ENVIRONMENTS = (
    {},
    {"LANG": "C", "LC_ALL": "C", "HOME": "/proc/no-home", "TERM": "dumb"},
    {"LANG": "tr_TR.UTF-8", "LC_ALL": "C.UTF-8", "HOME": "/dev/null", "TZ": "Pacific/Kiritimati"},
)


def test_the_environment_changes_no_byte() -> None:
    """No home, one that cannot be written to, another language, no terminal, no place of one's own."""
    line = [sys.executable, "-m", "howsure", *words("score", "--by", "size", "--format", "json")]
    kernels = {k: x for k, x in os.environ.items() if k.startswith("OPENBLAS_")}  # other machine code rounds otherwise
    path = {"PYTHONPATH": str(ROOT / "src"), **kernels}
    usual = {**os.environ, **path, "LC_ALL": "C.UTF-8"}
    first, *others = (
        subprocess.run(
            line, capture_output=True, cwd=cwd, env=env, stdin=subprocess.DEVNULL, start_new_session=True, check=False
        )
        for cwd, env in ((ROOT, usual), *(("/proc", x | path) for x in ENVIRONMENTS))
    )
    assert json.loads(first.stdout)
    for made, environment in zip(others, ENVIRONMENTS, strict=True):
        assert (made.returncode, made.stderr, made.stdout) == (0, b"", first.stdout), environment


def test_eight_threads_on_one_posterior() -> None:
    """Numbers asked by eight threads at once, of exact and sampled measures, are those that one thread gets."""
    names = ["f1", "f2", "informedness", "phi", "kappa", "odds-ratio", "tetrachoric", "a-measure"]
    batch = hs.Tally.binary(tp=np.arange(40, 60), fp=20, fn=30, tn=870)

    def numbers(p: hs.Posterior, name: str) -> list[float]:
        d = p[name]
        return np.concatenate(
            [np.atleast_1d(x) for x in (d.mean, d.median, *d.interval(), d.cdf(0.5), d.draws(50))], axis=None
        ).tolist()

    shared = hs.posterior(batch, tolerance=0.2)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda i: numbers(shared, names[i % len(names)]), range(2 * len(names))))
    for i, found in enumerate(made):
        assert found == numbers(hs.posterior(batch, tolerance=0.2), names[i % len(names)])
