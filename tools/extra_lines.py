"""One use of every extra, run in an environment that has this extra and no other: `extra_lines.py EXTRA PROGRAM`.

Exit code 77: left out, and the last line says why.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path

LEFT_OUT = 77


class Absent(Exception):
    """What is needed, beside the extra, is not here."""


def charts(program: str) -> None:  # noqa: ARG001 - one shape for all
    if importlib.util.find_spec("howsure.charts") is None:
        raise Absent("this version has no howsure.charts")
    import howsure as hs

    hs.score(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)).plot().save("chart.svg")  # type: ignore[attr-defined]
    assert "<svg" in Path("chart.svg").read_text(encoding="utf-8")


def web(program: str) -> None:
    if importlib.util.find_spec("howsure.web") is None:
        raise Absent("this version has no howsure.web")
    assert importlib.util.find_spec("altair"), "the extra web does not bring charts along"
    line = [program, "serve", "--no-browser", "--port", "0"]
    server = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    stop = threading.Timer(60, server.terminate)
    stop.start()
    try:
        told = (re.search(r"http://127\.0\.0\.1:\d+\S*", text) for text in server.stdout or ())
        address = next((x[0] for x in told if x), None)
        assert address, "howsure serve told no address on 127.0.0.1 within a minute"
        with urllib.request.urlopen(address.rstrip(".,"), timeout=30) as page:
            assert page.status == 200
            assert b"<html" in page.read().lower()
    finally:
        stop.cancel()
        server.terminate()
        server.wait(30)


def postgres(program: str) -> None:
    """The driver is there and tries: nobody listens at port 1, and the sentence says so."""
    address = "postgresql://127.0.0.1:1/none"
    line = [program, "score", "--db", address, "--table", "t", "--outcome", "passed"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "pip install" not in done.stderr, done.stderr


def spark(program: str) -> None:
    if shutil.which("java") is None:
        raise Absent("Spark needs java, which is not here")
    Path("runs.csv").write_text("passed\n" + "1\n" * 47 + "0\n" * 3, encoding="utf-8")
    line = [program, "score", "runs.csv", "--outcome", "passed", "--engine", "spark", "--format", "csv"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ",0.94," in done.stdout, done.stdout


def arviz(program: str) -> None:  # noqa: ARG001
    import howsure as hs

    data = hs.posterior(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)).to_arviz()
    assert "f1" in data.posterior


def trec(program: str) -> None:  # noqa: ARG001
    import howsure as hs

    judged = {query: {"a": 1, "b": 0} for query in ("p", "q")}
    run = {"p": {"a": 2.0, "b": 1.0}, "q": {"b": 2.0}}
    assert abs(float(hs.trec(judged, {"run": run}, metrics=["infAP"]).values.mean()) - 0.5) < 1e-3


def every(program: str) -> None:
    """All of them side by side; what one of them lacks is said when the others have been tried."""
    lacking = []
    for name, use in EXTRAS.items():
        try:
            if use is not every:
                use(program)
        except Absent as why:
            lacking.append(f"{name}: {why}")
    if lacking:
        raise Absent("; ".join(lacking))


EXTRAS: dict[str, Callable[[str], None]] = {
    "charts": charts, "web": web, "postgres": postgres, "spark": spark, "arviz": arviz, "trec": trec, "all": every,
}  # fmt: skip


def main() -> int:
    try:
        EXTRAS[sys.argv[1]](sys.argv[2])
    except Absent as why:
        print(why)
        return LEFT_OUT
    return 0


if __name__ == "__main__":
    sys.exit(main())
