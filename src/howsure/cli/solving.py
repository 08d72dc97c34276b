"""The command `howsure solve`: texts to reported values."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from howsure.cli.options import FORMAT, INTERVAL, LEVEL, OUT, PRIOR, SEED, Command, option
from howsure.cli.output import show
from howsure.errors import BadSetting

_END = r"([-+−]?(?:[\d_]+\.?[\d_]*|\.[\d_]+)\s*%?)"
_RANGE = re.compile(rf"\s*{_END}\s*(?:\.\.|-|–|to)\s*{_END}\s*")


@click.command("solve", cls=Command)
@click.argument("values", nargs=-1, metavar="NAME=VALUE...")
@option("--exact", is_flag=True, help="Values are exact, and cells need not be whole.")
@option("--rounded", is_flag=True, hidden=True, help="No longer needed: what --exact does not ask for.")
@option("--integers", is_flag=True, hidden=True, help="No longer needed: what --exact does not ask for.")
@option(
    "--ties",
    type=click.Choice(["up", "either"]),
    default="up",
    show_default=True,
    help="How a tie such as 0.125 is printed: up, or either way.",
)
@option(
    "--most",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="List at most this many whole-number tables.",
)
@option(
    "--system",
    "systems",
    multiple=True,
    metavar="'NAME f1=.87'",
    help="A system and its values, in quotes; repeat. What all share is given without --system.",
)
@option("--wins", multiple=True, metavar="a,b=21,15", help="Items that only a and only b gets right; repeat.")
@option(
    "--posterior",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="The posterior of a measure over all tables found; repeat for more.",
)
@PRIOR
@LEVEL
@INTERVAL
@SEED
@FORMAT
@OUT
def solve(
    values: tuple[str, ...],
    exact: bool,
    rounded: bool,
    integers: bool,
    ties: str,
    most: int,
    systems: tuple[str, ...],
    wins: tuple[str, ...],
    metrics: tuple[str, ...],
    kind: str,
    out: Path | None,
    **settings: Any,
) -> None:
    """The tables behind reported measures, such as: howsure solve P=.75 R=.60 acc=.85 n=200

    Digits are read as printed: .75 is anything from 0.745 to 0.755, and so is 75%. Where n is given (n=100-200 is a
    range), the tables of whole numbers that have these digits are listed, or their ranges where they are many.

    Names are P, R, F, acc, sens, spec, those of howsure metrics, and tp, fp, fn, tn, n, positives, negatives,
    predicted-positives, predicted-negatives, right, wrong and chi-square. That values contradict each other
    (infeasible), or leave the table open (undetermined), is an answer too, with exit code 0.
    """
    old = [name for name, x in (("--rounded", rounded), ("--integers", integers)) if x]
    if exact and (old or systems):
        other = old[0] if old else "--system"
        raise BadSetting(f"{other} reads values as printed digits: leave out --exact, or {other}")
    if old and systems:
        raise BadSetting(f"--system already means printed digits and whole numbers: leave out {old[0]}")
    shared_values = pairs(values, not exact)
    laws = [k for k in settings if _was_given(k)]
    if laws and not metrics:
        raise BadSetting(f"--{laws[0]} needs a posterior: give --posterior NAME too")
    how: dict[str, Any] = {k: x for k, x in (("ties", ties), ("most", most)) if _was_given(k)}
    if systems:
        if metrics:
            raise BadSetting("--posterior is for one system: leave out --system, and solve each alone")
        show(_several(systems, wins, shared_values, how), kind, out)
        return
    if wins:
        raise BadSetting("--wins is for several systems: give each with --system 'NAME f1=.87'")
    from howsure._solve import solve as run_solve
    from howsure._solve import solve_printed
    from howsure.messages.notes import note
    from howsure.relations.posterior_over_tables import check_asked

    if metrics:
        check_asked(metrics, **settings)
    found = run_solve(shared_values, **how) if exact else solve_printed(shared_values, **how)
    late = (note("deprecated", option=name, instead="digits are read as printed, and n whole") for name in old)
    found = replace(found, remarks=(*found.remarks, *late))
    if metrics and found.status in ("unique", "several"):
        found = found.with_posterior(metrics, **settings)
    elif metrics:
        found = replace(found, unanswered=True)
    show(found, kind, out)


def _was_given(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) != click.core.ParameterSource.DEFAULT


def _several(systems: tuple[str, ...], wins: tuple[str, ...], shared: dict[str, Any], how: dict[str, Any]) -> Any:
    from howsure.relations import solve as run_solve
    from howsure.relations.quantities import full_name, quantity

    named = {}
    for text in systems:
        name, *parts = text.split() or [""]
        if not parts or "=" in name:
            raise BadSetting(f"--system needs a name and its values, such as 'ltc f1=.8696'; got {text!r}")
        if name in named:
            raise BadSetting(f"--system gives {name!r} twice")
        named[name] = pairs(tuple(parts), True)
    links: dict[tuple[str, str], tuple[int, ...]] = {}
    for pair, counts in map(_wins, wins):
        if pair in links:
            raise BadSetting(f"--wins gives {','.join(pair)} twice")
        links[pair] = counts
    for name in shared:
        quantity(full_name(name))  # a name such as most= is a setting of solve in Python, no measure
    return run_solve(named, **how, wins=links, n=shared.pop("n", None), **shared)


def pairs(
    values: tuple[str, ...], digits: bool, command: str = "solve", example: str = "precision=.75"
) -> dict[str, Any]:
    """precision=.75 and the like; exact fractions, or the digits as they stand."""
    from howsure.relations.values import as_printed, decimal

    found: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for text in values:
        name, equals, value = (x.strip() for x in text.partition("="))
        if not equals or not name or not value:
            raise BadSetting(f"{command} needs name=value, such as {example}; got {text!r}")
        if texts.setdefault(name, value) != value:
            raise BadSetting(f"{name} is given twice, as {texts[name]} and as {value}")
        pair = _RANGE.fullmatch(value)
        if pair:
            found[name] = (decimal(pair[1], name), decimal(pair[2], name))
        else:
            found[name] = as_printed(value, name) if digits else decimal(value, name)
    return found


def _wins(text: str) -> tuple[tuple[str, str], tuple[int, ...]]:
    """ltc,nnn=21,15: a pair of systems and what each alone gets right."""
    pair, _, counts = text.rpartition("=")
    names = tuple(x.strip() for x in pair.split(","))
    numbers = [x.strip() for x in counts.split(",")]
    if len(names) != 2 or not all(names) or not all(x.isdecimal() for x in numbers):
        raise BadSetting(f"--wins needs two systems and their wins, such as ltc,nnn=21,15; got {text!r}")
    return (names[0], names[1]), tuple(int(x) for x in numbers)
