"""No option is dropped: every option of every command changes the document of every source, or is refused there.

The walk is over click's own commands and their options, so that a new option without values in command_lines.py fails.
Seed and tolerance may leave what is computed as it is; what is sampled they must change.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import pytest

import howsure.io.spark
import howsure.verbs.future_widths
from howsure.cli.app import app, run
from howsure.errors import BadSetting
from tests.laws.command_lines import HOME, LINES, OWN, TRIES, Line, Try
from tests.laws.walked_files import document, write_files
from tests.refusals import one_sentence
from tests.tiers import spread

OPTIONS = {
    command: {p.opts[0]: p for p in made.params if p.opts[0].startswith("-")}
    for command, made in app.commands.items()
    if command not in ("completion", "serve")  # they have no document; for serve see tests/web/test_serving.py
}
WRITTEN = ("--format", "--out", "--plot", "--columns", "--verbose", "--strict")  # not of the document
IDLE = ("--seed", "--tolerance")  # of what is sampled
CHECKED = ("--on",)  # what ids tell must fit, or is refused; where it fits there may be nothing more to say
NOTHING = "changes nothing"
SPARK = "Spark was asked to count"


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


@dataclass(frozen=True)
class Answer:
    """What a command line gave."""

    code: int
    out: str
    err: str

    @cached_property
    def told(self) -> Any:
        """The document, or the sentence."""
        return document(json.loads(self.out)) if self.code == 0 else self.err

    @property
    def sampled(self) -> bool:
        return '"route": "sampled"' in self.out

    @property
    def refused(self) -> bool:
        """One sentence, and nothing else."""
        return self.code == 2 and not self.out and one_sentence(self.err)


@cache
def answer(*words: str) -> Answer:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([*words, "--format", "json"])
    done = (0, 1, 3) if words[0] == "gate" else (0,)  # what fails a gate is an answer too
    return Answer(0 if code in done else code, out.getvalue(), err.getvalue())


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
    if metric and "--require" in before:
        limit = "not worse by 0.1" if "not worse" in before[before.index("--require") + 1] else "> 0.5"
        before = [*without(before, OPTIONS[command]["--require"]), "--require", f"{metric} {limit}"]
    if one.form:
        before = [re.sub(r"\.(jsonl|db)$", rf".{one.form}.\1", w) for w in before]
    values = shlex.split(one.values.format(other=line.other))
    kept = before if option.multiple else without(before, option)
    return before, [*kept, option.opts[0], *values]


@cache
def found(command: str, kind: str, name: str) -> tuple[bool, list[str]]:
    """Whether an option is of use in a kind of source, and what was said where it was refused."""
    line, option = LINES[command][kind], OPTIONS[command][name]
    said = []
    for one in OWN.get((command, kind, name), TRIES[name]):
        before, after = (answer(*words) for words in lines(command, line, one, option))
        assert after.code == 0 or after.refused, (one, after)
        if after.code == 0 and (after.told != before.told or (name in IDLE and not before.sampled)):
            return True, []
        if SPARK in after.err and after.err != before.err:
            return True, []
        if name in CHECKED and before.code == 0 and name in after.err:
            return True, []
        said += [after.err or f"{one} {NOTHING}"]
    words = [command, *shlex.split(line.text)]
    if name in words and answer(*without(words, option)).told != answer(*words).told:
        return True, []
    return False, said


# -- the walk

WALKED = {command: [name for name in options if name not in WRITTEN] for command, options in OPTIONS.items()}


def places():
    """Every option on every kind of source of its command when deep; else each option and each kind."""
    for command, names in WALKED.items():
        for one in spread(LINES[command], names) if names else ():
            kind, name = one.values
            yield pytest.param(command, kind, name, id=f"{command}-{one.id}", marks=one.marks)


def test_every_option_has_values():
    """A command without lines, an option without values, and values of no option are mistakes of this test."""
    assert set(LINES) == set(OPTIONS)
    assert {name for names in WALKED.values() for name in names} == set(TRIES)
    assert all(kind in LINES[command] and name in WALKED[command] for command, kind, name in OWN)


@pytest.mark.whole
@pytest.mark.parametrize(("command", "kind"), [(c, k) for c, own in LINES.items() for k in own])
def test_every_line_works(command, kind):
    """The lines themselves give documents."""
    assert answer(command, *shlex.split(LINES[command][kind].text)).code == 0


@pytest.mark.whole
@pytest.mark.parametrize(("command", "kind", "name"), list(places()))
def test_no_option_is_dropped(command, kind, name):
    """It changes the document, or one sentence says that it does not belong there, and names it."""
    used, said = found(command, kind, name)
    assert used or (any(name in text for text in said) and not any(NOTHING in text for text in said)), said


@pytest.mark.whole
@pytest.mark.parametrize(("command", "name"), [(c, name) for c, names in WALKED.items() for name in names])
def test_every_option_is_of_use(command, name):
    """An option that is refused everywhere is none."""
    own = sorted(
        LINES[command], key=lambda kind: kind != HOME.get(name) and f"{name} " not in LINES[command][kind].text
    )
    assert any(found(command, kind, name)[0] for kind in own)


@pytest.mark.parametrize("command", OPTIONS)
def test_format_and_out(command, tmp_path):
    """--format changes the text; --out writes it to a file, in the format of its suffix."""
    kind, line = next(iter(LINES[command].items()))
    words = [command, *shlex.split(line.text)]
    made = answer(*words)
    plain, marked = io.StringIO(), io.StringIO()
    for text, more in ((plain, []), (marked, ["--format", "markdown"])):
        with contextlib.redirect_stdout(text):
            assert run([*words, *more]) == 0, kind
    assert len({plain.getvalue(), marked.getvalue(), made.out}) == 3
    path = tmp_path / "made.json"
    with contextlib.redirect_stdout(io.StringIO()) as nothing:
        assert run([*words, "--out", str(path)]) == 0
    assert nothing.getvalue() == ""
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(made.out)
