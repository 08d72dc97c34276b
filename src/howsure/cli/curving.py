"""The command `howsure curve`: files with truths and scores to the summary of their curves."""

from __future__ import annotations

import re
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
from howsure.render.formats import Detail

_OTHERS = ("pred", "outcome", "judge", "human", "value", "bounds", "better", "by", "sep", "score", "threshold")
_EXAMPLE = "recall=0.9, or 'recall=0.9 with 0.95' for a limit in the population with that probability"


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
    help="Best with that on these items, or 'recall=.9 with .95': in the population, with that probability.",
)
@option(
    "--at-most",
    multiple=True,
    metavar="fallout=0.1",
    group=QUESTION,
    help="The same from above; repeat both for more.",
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
    from howsure._curve import curve as run_curve

    chosen = [name for name, x in (("--band", band), ("--best", best), ("--cost", cost)) if x is not None]
    if len(chosen) > 1:
        raise BadSetting(f"give one of {' and '.join(chosen)}")
    limited = bool(at_least or at_most)
    if band is not None and (limited or correct):
        raise BadSetting("--at-least, --at-most and --correct choose a threshold: leave out --band")
    if correct and not (best or cost or limited):
        raise BadSetting("--correct goes with --best, --cost, --at-least or --at-most")
    chosen += ["--at-least" if at_least else "--at-most"] if limited and not chosen else []
    least, most = _limits("--at-least", at_least, given), _limits("--at-most", at_most, given)
    if simultaneous and band is None:
        raise BadSetting("--simultaneous goes with --band")
    if chosen and metrics:
        raise BadSetting(f"{chosen[0]} replaces the summary: leave out --metric")
    if band is not None and settings["interval"] == "hdi":
        raise BadSetting("a band is equal-tailed: leave out --interval")
    found = sources.evidence(given, "scores")
    made = run_curve(found, metrics=metrics or None, **settings)
    if chosen and len(made.systems) > 1:
        raise BadSetting(f"{chosen[0]} is for one score: give one --score")
    if best is not None or cost is not None or limited:
        from howsure.catalogue import utility

        measure: Any = best if cost is None else utility(**_weights(cost), cost=True)
        show(made.choose(measure, at_least=least, at_most=most, correct=correct or "folds"), kind, out, view)
        return
    show(made if band is None else made.band(band, simultaneous=simultaneous), kind, out, view)


def _limits(option_name: str, texts: tuple[str, ...], given: sources.Inputs) -> dict[str, Any] | None:
    """recall=0.9, or 'recall=0.9 with 0.95': a number, or a pair of a number and a probability."""
    if texts and "with" in given.files:
        raise BadSetting(f"put the limit in quotes: {option_name} '{texts[-1]} with 0.9'")
    found: dict[str, Any] = {}
    for text in texts:
        limit, *asked = re.split(r"\s+with\b", text, maxsplit=1)
        ((name, value),) = _numbers(limit, _EXAMPLE, text).items()
        if name in found:
            raise BadSetting(f"{option_name} has two limits on {name}: give one")
        found[name] = (value, *(_numbers(f"with={x}", _EXAMPLE, text)["with"] for x in asked)) if asked else value
    return found or None


def _weights(text: str) -> dict[str, float]:
    """fp=1,fn=5: what an item in each cell costs."""
    found = {k: v for part in text.split(",") for k, v in _numbers(part, "--cost fp=1,fn=5").items()}
    unknown = next((k for k in found if k not in ("tp", "fp", "fn", "tn")), None)
    if unknown is not None:
        raise BadSetting(f"--cost needs tp, fp, fn or tn, such as fp=1,fn=5; got {unknown!r}")
    return found


def _numbers(text: str, example: str, whole: str | None = None) -> dict[str, float]:
    name, _, value = (x.strip() for x in text.partition("="))
    try:
        return {name: float(value)}
    except ValueError:
        raise BadSetting(f"give a name and a number, such as {example}; got {(whole or text)!r}") from None
