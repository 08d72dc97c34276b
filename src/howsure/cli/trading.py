"""The command `howsure tradeoff`: texts to measures or counts, and recalls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from howsure.cli import parse
from howsure.cli.options import FORMAT, INTERVAL, LEVEL, OUT, PRIOR, SEED, Command, option
from howsure.cli.output import show
from howsure.cli.solving import pairs
from howsure.errors import BadSetting


@click.command("tradeoff", cls=Command)
@click.argument("values", nargs=-1, metavar="NAME=VALUE...")
@option(
    "--counts",
    metavar="tp=80,fp=20,fn=30,tn=870",
    help="The four cells of a tested system: the curve with its posterior.",
)
@option("--recall", "recalls", multiple=True, metavar="0.8", help="Show precision at this recall; repeat for more.")
@PRIOR
@LEVEL
@INTERVAL
@SEED
@FORMAT
@OUT
def tradeoff(
    values: tuple[str, ...], counts: str | None, recalls: tuple[str, ...], kind: str, out: Path | None,
    **settings: Any,
) -> None:  # fmt: skip
    """What recall costs in precision at constant accuracy: howsure tradeoff accuracy=.9 prevalence=.2

    Other measures do if they settle accuracy and prevalence. With --counts the answer is a posterior: precision at
    each recall, P(feasible), and P(trade-off).
    """
    from howsure.evidence.classes import Tally
    from howsure.relations import tradeoff as run_tradeoff

    at = [_recall(x) for text in recalls for x in text.split(",")] or None
    if counts is not None:
        if values:
            raise BadSetting(f"--counts cannot be combined with measures: leave out {' '.join(values)}")
        t = Tally.binary(**parse.cells(counts))
        show(run_tradeoff(t, recalls=at, **settings), kind, out)
        return
    context = click.get_current_context()
    changed = [k for k in settings if context.get_parameter_source(k) != click.core.ParameterSource.DEFAULT]
    if changed:
        names = " and ".join(f"--{k}" for k in changed)
        needs = "needs" if len(changed) == 1 else "need"
        raise BadSetting(f"{names} {needs} --counts: a curve from given measures is exact and has no posterior")
    found = pairs(values, False, "tradeoff", "accuracy=.9 prevalence=.2")
    show(run_tradeoff(None, recalls=at, **found), kind, out)


def _recall(text: str) -> float:
    try:
        return parse.number(text)
    except ValueError:
        raise BadSetting(f"--recall needs a number from 0 to 1; got {text!r}") from None
