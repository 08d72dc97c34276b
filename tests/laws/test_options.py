"""An option of the command and a keyword of Python are one thing: same name, same value, in every command.

What a keyword does is held by the walk over keywords (test_keywords.py). Here each option must reach its keyword: the
verbs are replaced by recorders, so that nothing is computed. Commands without data (solve, surface, ...) really run.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import pickle
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import howsure as hs
import howsure.cli.commands
import howsure.cli.parse
import howsure.io.entrance
import howsure.io.spark
from howsure.cli.app import app, run
from howsure.cli.output import show
from howsure.errors import BadSetting
from howsure.validate import NAMES
from tests.laws.command_lines import HOME, LINES, OWN, TRIES, Line, Try
from tests.laws.test_keywords import keywords
from tests.laws.walked_files import document, write_files
from tests.refusals import one_sentence
from tests.tiers import spread

OPTIONS = {
    command: {p.opts[0]: p for p in made.params if p.opts[0].startswith("-")}
    for command, made in app.commands.items()
    if command not in ("completion", "serve")  # they have no document; for serve see tests/web/test_serving.py
}
WRITTEN = ("--format", "--out", "--plot", "--columns", "--verbose", "--strict", "--all")  # not of the document
COMPUTED = ("solve", "surface", "tradeoff", "metrics", "papers")  # commands that run as they are
PASSED_ON = {  # functions that take what is given, and whether they are really called
    "_compare.leader_first": False, "posteriors.posterior.posterior": True, "evidence.shifted.shifted": True,
    "io.entrance.evidence": True, "cli.parse.tables": True, "cli.parse.sizes": True,
    "_trec.trec": False, "_plan.plan": False, "_score.score": False, "_compare.compare": False,
    "_compare.compare_wins": False, "_leaderboard.leaderboard": False, "_forecast.forecast": False, "_gate.gate": False,
    "_trec.evaluate": False,
}  # fmt: skip
LAST = ("score", "compare", "compare_wins", "leaderboard", "forecast", "gate", "plan", "evaluate")
DATA = {  # options of what is read, and of how: in Python other data, other functions, or the first argument
    "--counts", "--rate", "--matrix", "--wins", "--db", "--rows", "--stratum", "--population", "--pool",
    "--independent", "--expected", "--config", "--baseline", "--compare", "--require",
    "--best", "--cost", "--band", "--correct", "--simultaneous",
}  # fmt: skip
SPELLED = {"--name": {"names", "runs"}, "--metric": {"metrics", "metric"}, "--on": {"on", "item"},
           "--recall": {"recalls"}}  # fmt: skip


class Reached(BaseException):
    """The last function of a command was called: what it would compute is not asked."""


class Got(NamedTuple):
    """What a command line led to: the keywords that functions were called with, or the document or sentence."""

    given: dict[str, Any]
    text: str
    refused: bool


class NoSpark:
    """Stands for Spark, which is not started."""

    def __init__(self, paths: list[str], remote: str | None) -> None:
        raise BadSetting(f"Spark was asked to count {len(paths)} files at {remote}")


calls: dict[str, list[Any]] = {}


def note(given: Mapping[str, Any]) -> None:
    """Keep each argument by its name."""
    for key, value in given.items():
        if key not in ("kind", "watch"):
            calls.setdefault(key, []).append(seen(value))


def seen(value: Any) -> Any:
    """A value that can be compared; a posterior was recorded when it was made."""
    if isinstance(value, hs.Posterior):
        return "posterior"
    return repr(value) if isinstance(value, (str, int, float, list, tuple, dict, None.__class__)) else pickled(value)


def pickled(value: Any) -> Any:
    try:
        return pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError):
        return repr(value)


def recorder(name: str, real: Callable[..., Any], passed: bool) -> Callable[..., Any]:
    """Keeps the arguments of a function, by their names; what it gives is kept too, as files are read many times."""
    signature, kept = inspect.signature(real), {}

    def recorded(*arguments: Any, **given: Any) -> Any:
        bound = dict(signature.bind(*arguments, **given).arguments)
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                bound |= bound.pop(parameter.name, {})
        note(bound)
        if name in LAST:
            raise Reached
        if not passed:
            return ()
        key = repr((arguments, given))
        if key not in kept or name != "evidence":
            kept[key] = real(*arguments, **given)
        return kept[key]

    return wraps(real)(recorded)


def record(patch: pytest.MonkeyPatch, home: Any, name: str, stub: Callable[..., Any]) -> None:
    """Put a stub in the place of a function, and of the function of the verb of that name."""
    declared = getattr(home, "VERB", None)
    if declared is not None and declared.function is getattr(home, name):
        patch.setitem(vars(declared), "function", stub)
    patch.setattr(home, name, stub)


class Curve:
    """Stands for a curve: what is asked of it is recorded."""

    systems = ("one",)

    def choose(self, metric: Any, **given: Any) -> None:
        """The best threshold."""
        note({"metric": metric, **given})
        raise Reached

    def band(self, metric: Any, **given: Any) -> None:
        """The interval at every threshold."""
        note({"metric": metric, **given})
        raise Reached


def a_curve(data: Any, **given: Any) -> Curve:
    note({"data": data, **given})
    return Curve()


def no_curve(made: Any, *shown: Any) -> None:
    """Show a result, unless it is the stub of a curve."""
    if isinstance(made, Curve):
        raise Reached
    show(made, *shown)


@pytest.fixture(scope="module", autouse=True)
def _files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("walk")
    write_files(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(howsure.io.spark, "SparkFiles", NoSpark)
        for path, passed in PASSED_ON.items():
            where, _, name = path.rpartition(".")
            home = importlib.import_module(f"howsure.{where}")
            record(patch, home, name, recorder(name, getattr(home, name), passed))
        record(patch, importlib.import_module("howsure._curve"), "curve", a_curve)
        patch.setattr(howsure.cli.commands, "show", no_curve)
        yield


@cache
def led_to(*words: str) -> Got:
    """What a line leads to; one that is refused says so in one sentence."""
    calls.clear()
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run([*words, "--format", "json"])
    except Reached:
        return Got(dict(calls), "", False)
    assert code in (0, 2), err.getvalue()
    if code == 0:
        return Got({}, json.dumps(document(json.loads(out.getvalue()))), False)
    assert not out.getvalue()
    assert one_sentence(err.getvalue())
    return Got(dict(calls), err.getvalue(), True)


# -- lines


def without(words: list[str], option: Any) -> list[str]:
    """The same words without an option and its value."""
    kept, at = [], 0
    while at < len(words):
        if words[at] == option.opts[0]:
            at += 1 if option.is_flag else 1 + option.nargs
        else:
            kept.append(words[at])
            at += 1
    return kept


def lines(command: str, line: Line, one: Try, option: Any) -> tuple[list[str], list[str]]:
    """A line without a value of an option, and with it."""
    before = [command, *shlex.split(one.line or line.text), *shlex.split(one.beside)]
    metric = one.metric.format(sampled=line.sampled)
    if metric and "--metric" in before:
        before = [*without(before, OPTIONS[command]["--metric"]), "--metric", metric]
    if one.form:
        before = [re.sub(r"\.(jsonl|db)$", rf".{one.form}.\1", w) for w in before]
    values = shlex.split(one.values.format(other=line.other))
    kept = before if option.multiple else without(before, option)
    return before, [*kept, option.opts[0], *values]


def changed(before: Got, after: Got) -> set[str]:
    """The keywords that are given otherwise."""
    return {k for k in before.given.keys() | after.given.keys() if before.given.get(k) != after.given.get(k)}


def reaches(name: str, option: Any, one: Try, before: Got, after: Got) -> bool:
    """Whether an option changes the document, or the keyword of its name, which has its value."""
    if not after.given:
        sampled = '"route": "sampled"' in before.text
        return not after.refused and (after.text != before.text or (name == "--seed" and not sampled))
    own = changed(before, after) & SPELLED.get(name, {name[2:].replace("-", "_")})
    if name in DATA:
        return not after.refused and bool(changed(before, after))
    value = "True" if option.is_flag else one.values.format(other="").strip("'")
    plain = re.fullmatch(r"[\w.]+", value) is not None and name not in SPELLED and name != "--query"
    told = "".join(str(x) for k in own for x in after.given.get(k, ()))
    return bool(own) and (not plain or value in told)


@cache
def tried(command: str, kind: str, name: str) -> tuple[bool, list[str]]:
    """Whether an option reaches its keyword in a kind of source, and what was said where it was refused."""
    line, option, said = LINES[command][kind], OPTIONS[command][name], []
    for one in OWN.get((command, kind, name), TRIES[name]):
        before, after = (led_to(*words) for words in lines(command, line, one, option))
        if reaches(name, option, one, before, after):
            return True, []
        said.append(after.text if after.refused else f"{one} changes nothing: {after}")
    words = [command, *shlex.split(line.text)]
    if name in words and changed(led_to(*without(words, option)), led_to(*words)):
        return True, []
    return False, said


# -- the tests

WALKED = {command: [name for name in options if name not in WRITTEN] for command, options in OPTIONS.items()}


def places() -> dict[tuple[str, str], list[str]]:
    """The kinds of source on which each option is tried: each option and each kind, all with all when deep."""
    found: dict[tuple[str, str], list[str]] = {(c, name): [] for c, names in WALKED.items() for name in names}
    for command, names in WALKED.items():
        for one in spread(LINES[command], names) if names else ():
            kind, name = one.values
            if not any(mark.name == "deep" for mark in one.marks):
                found[command, name].append(kind)
    return found


PLACES = places()


def test_every_option_has_values() -> None:
    """A command without lines, an option without values, and values of no option are mistakes of this test."""
    assert set(LINES) == set(OPTIONS)
    assert {name for names in WALKED.values() for name in names} == set(TRIES)
    assert all(kind in LINES[command] and name in WALKED[command] for command, kind, name in OWN)


@pytest.mark.whole
@pytest.mark.parametrize(("command", "name"), list(PLACES))
def test_every_option_reaches_its_keyword(command: str, name: str) -> None:
    """With some source it does; with any other it does too, or one sentence names it and says that it does not go."""
    for kind in PLACES[command, name]:
        used, said = tried(command, kind, name)
        assert used or any(name in text for text in said if "changes nothing" not in text), (kind, said)
    texts = {kind: LINES[command][kind].text for kind in LINES[command]}
    own = sorted(texts, key=lambda kind: kind != HOME.get(name) and f"{name} " not in f"{texts[kind]} ")
    assert any(tried(command, kind, name)[0] for kind in [*PLACES[command, name], *own])


@pytest.mark.parametrize(
    "line", ["solve precision=.75 recall=.6 n=40", "metrics f1", "tradeoff accuracy=.9 prevalence=.2"]
)
def test_format_and_out(line: str, tmp_path: Path) -> None:
    """--format changes the text; --out writes it to a file, in the format of its suffix."""
    words, found = line.split(), []
    for more in ([], ["--format", "markdown"], ["--format", "json"]):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            assert run([*words, *more]) == 0
        found.append(text.getvalue())
    assert len(set(found)) == 3
    path = tmp_path / "made.json"
    with contextlib.redirect_stdout(io.StringIO()) as nothing:
        assert run([*words, "--out", str(path)]) == 0
    assert nothing.getvalue() == ""
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(found[2])


ELSEWHERE = {  # options that are keywords of another function of Python
    "prevalence": "shift", "names": "the keys of a mapping", "runs": "the keys of a mapping",
    "at_least": "Curve.choose", "at_most": "Curve.choose",
}  # fmt: skip
ONLY_COMMAND = {
    "plan": set(NAMES),  # of the pilot, which in Python is a tally
    "trec": {"level", "interval", "prior", "equal_within"},  # of what is made of the queries
}
ONLY_PYTHON = {
    "compare": {"method", "draws"},
    "leaderboard": {"by"},  # refused with a hint
    "forecast": {"bins", "judge", "human"},
    "curve": set(NAMES),  # refused by name, but for those of scores
    "gate": {"by", "baseline"},  # a requirement names its slice; the baseline is a file
    "plan": {"pilot", "expected"},
}


@pytest.mark.parametrize("command", ["score", "compare", "leaderboard", "forecast", "curve", "gate", "plan", "trec"])
def test_options_and_keywords_have_the_same_names(command: str) -> None:
    """--equal-within is equal_within=: what only the command or only Python has is named here."""
    named = {k for x in WALKED[command] if x not in DATA for k in SPELLED.get(x, {x[2:].replace("-", "_")})}
    known = set(keywords(command))
    assert named - known - ELSEWHERE.keys() <= ONLY_COMMAND.get(command, set())
    assert known - named <= ONLY_PYTHON.get(command, set())
