"""The command `howsure curve`: files with truths and scores to the summary of their curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from howsure.cli import sources
from howsure.cli.options import (
    COLUMNS,
    FORMAT,
    INTERVAL,
    LEVEL,
    OUT,
    POSITIVE,
    QUESTION,
    SEED,
    TOLERANCE,
    VIEW,
    Grouped,
    option,
)
from howsure.cli.output import show
from howsure.errors import BadSetting
from howsure.render.view import Detail

_OTHERS = ("pred", "outcome", "value", "bounds", "better", "by", "sep", "score", "threshold")


@click.command("curve", cls=Grouped)
@sources.taking(
    sources.COLUMNS[0],
    option("--score", multiple=True, metavar="COLUMN", group=COLUMNS, help="Scores; repeat for more systems."),
    *sources.but(sources.COLUMNS[1:], *_OTHERS),
    *sources.but(sources.SYSTEMS, "on", "system", "unmatched", "independent"),
    *sources.DATABASE,
    POSITIVE,
)
@option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    group=QUESTION,
    help="A measure, such as auc, AP, f1@0.5 or precision@recall=0.9; repeat for more.",
)
@option("--best", metavar="NAME", group=QUESTION, help="The threshold at which a measure is best.")
@option("--cost", metavar="fp=1,fn=5", group=QUESTION, help="The threshold with the lowest cost per item.")
@option(
    "--at-least",
    multiple=True,
    metavar="recall=0.9",
    group=QUESTION,
    help="A limit for --best or --cost; repeat.",
)
@option(
    "--at-most",
    multiple=True,
    metavar="fallout=0.1",
    group=QUESTION,
    help="A limit for --best or --cost; repeat.",
)
@option("--band", metavar="NAME", group=QUESTION, help="The interval of a measure at every threshold.")
@option("--simultaneous", is_flag=True, help="With --band: for the whole curve at once.")
@option(
    "--correct",
    type=click.Choice(["folds", "resample", "split", "none"]),
    metavar="HOW",
    help="With --best or --cost: how choosing on the same items is corrected: folds (default), resample, split, none.",
)
@option("--prior", default="even", show_default=True, help="even, none, or a weight per cell.")
@LEVEL
@INTERVAL
@TOLERANCE
@SEED
@FORMAT
@VIEW
@OUT
def curve(
    given: sources.Inputs,
    metrics: tuple[str, ...],
    band: str | None,
    simultaneous: bool,
    best: str | None,
    cost: str | None,
    at_least: tuple[str, ...],
    at_most: tuple[str, ...],
    correct: str | None,
    kind: str,
    out: Path | None,
    view: Detail,
    **settings: Any,
) -> None:
    """Scores at every threshold, and the best threshold.

    `howsure curve preds.csv` finds columns with the usual names, such as truth or label, and score or prob; name others
    with --truth and --score. It shows AUC, average precision, break-even, 11-point precision and the best F1.
    """
    from howsure.ranking.curves import curve as run_curve

    chosen = [name for name, x in (("--band", band), ("--best", best), ("--cost", cost)) if x is not None]
    if len(chosen) > 1:
        raise BadSetting(f"give one of {' and '.join(chosen)}")
    if (at_least or at_most or correct) and not (best or cost):
        raise BadSetting("--at-least, --at-most and --correct go with --best or --cost")
    if simultaneous and band is None:
        raise BadSetting("--simultaneous goes with --band")
    if chosen and metrics:
        raise BadSetting(f"{chosen[0]} replaces the summary: leave out --metric")
    if band is not None and settings["interval"] != "equal-tailed":
        raise BadSetting("a band is equal-tailed: leave out --interval")
    found = sources.evidence(given, "scores")
    made = run_curve(found, metrics=metrics or None, **settings)
    if chosen and len(made.systems) > 1:
        raise BadSetting(f"{chosen[0]} is for one score: give one --score")
    if best is not None or cost is not None:
        from howsure.catalogue import utility

        measure: Any = best if cost is None else utility(**_weights(cost), cost=True)
        least, most = _limits(at_least), _limits(at_most)
        show(made.choose(measure, at_least=least, at_most=most, correct=correct or "folds"), kind, out, view)
        return
    show(made if band is None else made.band(band, simultaneous=simultaneous), kind, out, view)


def _limits(texts: tuple[str, ...]) -> dict[str, float] | None:
    """recall=0.9 and the like."""
    return {name: value for text in texts for name, value in _numbers(text, "recall=0.9").items()} or None


def _weights(text: str) -> dict[str, float]:
    """fp=1,fn=5: what an item in each cell costs."""
    found = {k: v for part in text.split(",") for k, v in _numbers(part, "--cost fp=1,fn=5").items()}
    unknown = next((k for k in found if k not in ("tp", "fp", "fn", "tn")), None)
    if unknown is not None:
        raise BadSetting(f"--cost needs tp, fp, fn or tn, such as fp=1,fn=5; got {unknown!r}")
    return found


def _numbers(text: str, example: str) -> dict[str, float]:
    name, _, value = (x.strip() for x in text.partition("="))
    try:
        return {name: float(value)}
    except ValueError:
        raise BadSetting(f"give a name and a number, such as {example}; got {text!r}") from None
