"""The corpus reaches all that is public: functions, commands, options, metrics, priors, intervals and formats."""

from __future__ import annotations

import inspect
import re
import shlex

import pytest

import howsure as hs
from howsure.cli.app import app, run
from tests.answers.calls import CALLS, COMMANDS, EVERY, REFUSED

LEFT_OUT = {  # what no call names, and why
    "serve": "a server does not end; the page asks the same functions (tests/web)",
    "--engine": "Spark takes a JVM; tests/engines asks it, and here one score is refused",
    "--remote": "goes with --engine",
}
PRIORS = {  # how a call gives each kind
    "even": 'prior="even"', "jeffreys": 'prior="jeffreys"', "uniform": 'prior="uniform"', "none": 'prior="none"',
    "two-level": 'prior="two-level"', "two-level of weights": "prior=hs.two_level(", "a weight": "prior=0.25",
    "cells": "prior=[[", "an array": "prior=np.", "a posterior": "prior=hs.posterior(",
}  # fmt: skip
EVIDENCE = {
    "Clustered": "cluster=", "Graded": "hs.graded(", "Multilabel": "hs.Tally.multilabel(", "Outcomes": "outcome=",
    "Scored": "score=", "Stratified": "stratified(", "Tally": "hs.Tally.",
}  # fmt: skip
PYTHON = "\n".join(CALLS)
TYPED = [shlex.split(x.removeprefix("$ ")) for x in COMMANDS]
OPTIONS = [
    (name, parameter)
    for name, command in app.commands.items()
    for parameter in command.params
    if parameter.opts[0].startswith("-") and not {name, *parameter.opts} & LEFT_OUT.keys()
]


@pytest.mark.parametrize("name", [x for x in hs.__all__ if inspect.isfunction(getattr(hs, x))])
def test_every_function_is_called(name):
    """A public function without a call is held by nothing."""
    assert f"hs.{name}(" in PYTHON


@pytest.mark.parametrize("name", [x for x in hs.relations.__all__ if inspect.isfunction(getattr(hs.relations, x))])
def test_every_relation_is_called(name):
    """Those that hs has too are called there."""
    assert f"hs.relations.{name}(" in PYTHON or (name in hs.__all__ and f"hs.{name}(" in PYTHON)


@pytest.mark.parametrize("command", [x for x in app.commands if x not in LEFT_OUT])
def test_every_command_is_typed(command):
    """With an answer, not only with a refusal."""
    assert any(words[0] == command for words in TYPED)


@pytest.mark.parametrize(("command", "option"), [pytest.param(c, p, id=f"{c} {p.opts[0]}") for c, p in OPTIONS])
def test_every_option_is_typed(command, option):
    """Each option of each command is in a line of that command."""
    assert any(words[0] == command and set(option.opts) & set(words) for words in TYPED)


@pytest.mark.parametrize(("name", "written"), [*PRIORS.items(), *EVIDENCE.items()])
def test_every_kind_is_given(name, written):
    """Each kind of prior and of evidence, as it is written in a call."""
    assert written in PYTHON


@pytest.mark.parametrize("kind", ["auto", "hdi", "equal-tailed"])
def test_every_interval_is_given(kind):
    assert f'"{kind}"' in PYTHON


def test_every_metric_is_asked_for(capsys):
    """All of the 2x2 table by a walk over hs.metrics(); of the others each base name that `howsure metrics` lists."""
    assert run(["metrics"]) == 0
    listed = re.findall(r"^  (\S+) {2,}", capsys.readouterr().out, re.MULTILINE)
    two_by_two = {str(x) for x in hs.metrics() if x.needs_positive}
    asked = "\n".join(EVERY)
    assert len(listed) > 60
    assert [x for x in listed if x not in two_by_two and not _asked(x, asked)] == []


def _asked(name: str, calls: str) -> bool:
    """With any number after it, such as P@5 for P@10."""
    base = re.escape(re.sub(r"[\d.]+$", "", name) if "@" in name else name)
    return re.search(rf'["\s]{base}', calls) is not None


def test_what_is_left_out_is_there():
    """A reason for nothing is a mistake of this test."""
    names = {x for command in app.commands.values() for p in command.params for x in p.opts}
    assert LEFT_OUT.keys() <= names | app.commands.keys()


def test_every_exit_code_is_met():
    """0, 1, 2, 3, 70 and 130."""
    from tests.answers import kept

    heads = [places.get(".", "") for places in kept.read("structure").values()]
    assert {x.removeprefix("exit=").split()[0] for x in heads if x.startswith("exit=")} == {
        "0",
        "1",
        "2",
        "3",
        "70",
        "130",
    }


def test_only_what_is_to_be_refused_is():
    """A call that is refused by a slip holds a message in the place of an answer."""
    from tests.answers import kept

    heads = {call: places["."] for call, places in kept.read("structure").items()}
    refused = {x for x, head in heads.items() if head.startswith(("class=", "exit=2")) and "message=text" in head}
    assert refused == set(REFUSED)
