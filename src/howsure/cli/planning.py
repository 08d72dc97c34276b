"""The command `howsure plan`: a pilot or expected measures, and a goal, to the number of items to label."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from howsure.cli import parse, sources
from howsure.cli.options import (
    FORMAT,
    INTERVAL,
    LABELS,
    LEVEL,
    OUT,
    POSITIVE,
    PRIOR,
    QUESTION,
    ROWS,
    SEED,
    SOURCES,
    FileName,
    Grouped,
    ShareOrPercent,
    option,
)
from howsure.cli.output import show
from howsure.errors import BadSetting

_EXAMPLE = "recall=.8,precision=.7,prevalence=.1"
_DIFFERENCE = "Goal: show which of two systems that differ by this is better (P(better) 0.975 at --level 0.95)."
_SETTINGS = ("level", "interval", "prior", "seed")


@click.command("plan", cls=Grouped)
@sources.taking(
    *sources.but(sources.COLUMNS, "by", "sep", "weight", "bins", "judge", "human"),
    *sources.but(sources.SYSTEMS, "independent", "names"),
    *sources.DATABASE,
    option("--expected", metavar=_EXAMPLE, group=SOURCES, help="Measures that you expect, in place of a pilot."),
    option("--counts", metavar="tp=80,fp=20,fn=30,tn=870", group=SOURCES, help="The four cells of a pilot."),
    option("--rate", metavar="47/50", group=SOURCES, help="Hits of trials of a pilot."),
    option("--matrix", type=FileName(), group=SOURCES, help="A CSV file with the confusion matrix of a pilot."),
    ROWS,
    LABELS,
    POSITIVE,
)
@option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    group=QUESTION,
    help="The one measure, such as f1.  [default: that of compare]",
)
@option("--width", type=ShareOrPercent(), group=QUESTION, help="Goal: an interval at most so wide.")
@option("--above", type=float, group=QUESTION, help="Goal: show that the measure is above this.")
@option("--below", type=float, group=QUESTION, help="Goal: show that the measure is below this.")
@option("--difference", type=ShareOrPercent(), group=QUESTION, help=_DIFFERENCE)
@option(
    "--disagreement",
    type=ShareOrPercent(),
    group=QUESTION,
    help="Two systems on the same items: the share on which their answers differ.",
)
@option("--n", type=int, group=QUESTION, help="What so many items give, in place of how many are needed.")
@option(
    "--assurance",
    type=ShareOrPercent(),
    default=0.8,
    show_default=True,
    group=QUESTION,
    help="Probability of reaching the goal.",
)
@PRIOR
@LEVEL
@INTERVAL
@SEED
@FORMAT
@OUT
def plan(
    given: sources.Inputs, expected: str | None, metrics: tuple[str, ...], kind: str, out: Path | None, **settings: Any
) -> None:
    """How many items to label.

    Give a pilot (a FILE, --counts, --rate, --matrix or --db) or what you expect (--expected), and one goal: --width,
    --above, --below or --difference. With --n it is the reverse: what so many items give.
    """
    from howsure._plan import plan as run_plan

    data = {"pilot": _pilot(given)} if expected is None else {"expected": _measures(expected, given)}
    show(run_plan(**data, metrics=metrics or None, **settings), kind, out)


def _pilot(given: sources.Inputs) -> Any:
    """The evidence of one or two systems."""
    if given == sources.Inputs():
        raise BadSetting(f"give a pilot (FILE, --counts, --rate, --matrix or --db), or --expected {_EXAMPLE}; got none")
    found = sources.evidence(given)
    return found[0] if isinstance(found, list) else found


def _refuse_beside(given: sources.Inputs) -> None:
    """What is expected takes the place of a pilot."""
    usual = sources.Inputs()
    own = {f.name: getattr(given, f.name) for f in fields(given)}
    stray = next((k for k, x in own.items() if k != "columns" and x != getattr(usual, k)), None)
    stray = next(iter(given.columns), stray)
    if stray is not None:
        named = "the FILE" if stray == "files" else f"--{stray.replace('_', '-')}"
        raise BadSetting(f"--expected takes the place of a pilot: leave out {named}")


def _measures(text: str, given: sources.Inputs) -> dict[str, float]:
    """recall=.8,precision=.7 as measures and values."""
    _refuse_beside(given)
    found: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = (x.strip() for x in part.partition("="))
        try:
            number = parse.number(value)
        except ValueError:
            number, equals = 0.0, ""
        if not equals or not name:
            raise BadSetting(f"--expected needs measures and values, such as {_EXAMPLE}; got {part.strip()!r}")
        if name in found:
            raise BadSetting(f"--expected gives {name} twice in {text!r}")
        found[name] = number
    return found
