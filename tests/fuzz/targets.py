"""Parsers that take what users write, each as a function of bytes: whether it read them, or refused in a sentence.

Anything that it raises is a find. `python -m tests.fuzz.run NAME` looks for bytes that break one, and
tests/fuzz/test_corpus.py tries those that are kept. To add one: a function of bytes here, a line in TARGETS, and a few
inputs in a folder of its name in tests/fuzz/corpus; sound ones are "plain".
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import howsure as hs
from howsure import HowsureError
from howsure._wins import win_counts
from howsure.catalogue import described, parse, repeated, retrieval
from howsure.cli import parse as parsing
from howsure.evidence.classes import typed_cells
from howsure.io import where
from howsure.ranking import names
from howsure.verbs.requirements import requirements
from tests.fuzz import requests
from tests.hostile.running import ran, wrong_with

MOST = 4096  # bytes: what is longer says nothing new


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="surrogateescape")


def _refusal(error: HowsureError) -> bool:
    """A refusal is a sentence or more, not a bare word of Python's."""
    assert len(str(error)) > 10, str(error)
    return False


def _command(*words: str) -> bool:
    """The command on files: what it says keeps all rules of tests/hostile, and its exit is never 70."""
    made = ran(words)
    wrong = wrong_with(made)
    assert not wrong, wrong
    return made.code == 0


_CSV_OPTIONS: tuple[tuple[str, ...], ...] = (
    ("--truth", "y", "--pred", "z"),
    ("--truth", "y", "--pred", "z", "--by", "g", "--missing", "drop"),
    ("--truth", "y", "--pred", "z", "--weight", "w", "--metric", "f2"),
    ("--outcome", "z"),
    ("--truth", "y", "--pred", "z", "--where", "g=a", "--where", "w>1"),
    (),
)


def _in_a_file(data: bytes, suffix: str) -> bool:
    """The first byte is the options; the rest is the file."""
    options = _CSV_OPTIONS[data[0] % len(_CSV_OPTIONS)] if data else ()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{suffix}"
        path.write_bytes(data[1:])
        return _command("score", str(path), *options, "--tolerance", "0.5", "--format", "json")


def csv_files(data: bytes) -> bool:
    """CSV files, and options that name their columns."""
    return _in_a_file(data, ".csv")


def json_lines(data: bytes) -> bool:
    """Files of one JSON object a line."""
    return _in_a_file(data, ".jsonl")


def trec_files(data: bytes) -> bool:
    """Judgments and a run, a line of `----` apart."""
    qrels, _, run = data.partition(b"----\n")
    with tempfile.TemporaryDirectory() as folder:
        judged, ranked = Path(folder) / "qrels", Path(folder) / "run"
        judged.write_bytes(qrels)
        ranked.write_bytes(run)
        return _command("trec", str(judged), str(ranked), "--metric", "AP", "--format", "json")


def matrices(data: bytes) -> bool:
    """Confusion matrices in files."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.csv"
        path.write_bytes(data)
        return _command(
            "score", "--matrix", str(path), "--tolerance", "0.5", "--metric", "accuracy", "--format", "json"
        )


def requirement_texts(data: bytes) -> bool:
    """Requirements of gates: what is read is written as it can be read again."""
    try:
        found = requirements(_text(data))
    except HowsureError as error:
        return _refusal(error)
    for one in found:
        assert requirements(str(one)) == (one,), (one, str(one))
    return True


def measure_names(data: bytes) -> bool:
    """Names of measures of tables, scores, repeated answers and runs: what is read of str(m) is m.

    Whoever asks for the page of a measure may mean any of the first three.
    """
    text, read = _text(data), False
    for way in (parse, retrieval.parse, repeated.parse, names.parse, described):
        try:
            found = way(text)
        except HowsureError as error:
            _refusal(error)
            continue
        assert way(str(found)) == found, (found, str(found))
        read = True
    return read


def option_texts(data: bytes) -> bool:
    """Counts, wins, rates, shares, sizes, limits and conditions of the command line; the first byte is which."""
    ways: tuple[Callable[[str], object], ...] = (
        typed_cells,
        win_counts,
        parsing.outcome,
        parsing.prevalence,
        parsing.sizes,
        parsing.bounds,
        lambda text: parsing.limits((text,)),
        lambda text: where.parse(text, ("g", "age", "a b")),
        lambda text: hs.posterior(hs.Tally.rate(hits=1, of=2), text),
    )
    if not data:
        return True
    try:
        ways[data[0] % len(ways)](_text(data[1:]))
    except HowsureError as error:
        return _refusal(error)
    return True


def tally_documents(data: bytes) -> bool:
    """Tallies as JSON: what is read can be written, read again and scored, or says why not."""
    try:
        found = hs.Tally.from_json(data)
    except HowsureError as error:
        return _refusal(error)
    assert hs.Tally.from_json(found.to_json()).to_json() == found.to_json()
    try:
        json.dumps(hs.score(found, tolerance=0.5).to_dict(), allow_nan=False)
    except HowsureError as error:
        return _refusal(error)
    return True


def uploads(data: bytes) -> bool:
    """Files sent to the page, and what is asked of them: an answer, or a refusal that blames the request."""
    asked = requests.read(data, b"application/octet-stream")
    return requests.check(asked, requests.answered(asked))


def questions(data: bytes) -> bool:
    """Questions in JSON to the page, and all that it is asked without a file."""
    asked = requests.read(data, b"application/json")
    return requests.check(asked, requests.answered(asked))


TARGETS: dict[str, Callable[[bytes], bool]] = {
    "csv": csv_files,
    "jsonl": json_lines,
    "trec": trec_files,
    "matrix": matrices,
    "requirement": requirement_texts,
    "measure": measure_names,
    "option": option_texts,
    "tally": tally_documents,
    "upload": uploads,
    "api": questions,
}
