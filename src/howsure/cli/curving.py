"""The command `howsure curve`: files with truths and scores to the summary of their curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from howsure.cli.options import FORMAT, INTERVAL, LEVEL, OUT, POSITIVE, SEED
from howsure.cli.output import show
from howsure.errors import BadSetting


@click.command("curve")
@click.argument("files", nargs=-1, metavar="FILE...", required=True)
@click.option("--truth", required=True, metavar="COLUMN", help="The column of right answers.")
@click.option(
    "--score", "scores", multiple=True, required=True, metavar="COLUMN", help="A column of scores; repeat for more."
)
@POSITIVE
@click.option("--weight", metavar="COLUMN", help="The column of weights.")
@click.option("--where", multiple=True, metavar="COLUMN=VALUE", help="Rows to take; also != < <= > >=; repeat.")
@click.option(
    "--missing",
    type=click.Choice(["refuse", "drop"]),
    default="refuse",
    show_default=True,
    help="Rows without a truth or a score: refuse the data, or drop them.",
)
@click.option("--name", "names", multiple=True, metavar="NAME", help="The name of a system; one for each score.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="A measure such as auc, AP11, max-f1, f1@0.5 or precision@recall=0.9; repeat for more.",
)
@click.option("--bins", type=int, metavar="N", help="Count scores in so many bins; by itself from 1,000,000 on.")
@click.option(
    "--band",
    metavar="NAME",
    help="The interval of a measure of a 2x2 table at every threshold, in place of the summary.",
)
@click.option("--simultaneous", is_flag=True, help="With --band: hold the whole curve with that probability.")
@click.option("--best", metavar="NAME", help="The threshold at which a measure is best, in place of the summary.")
@click.option(
    "--cost", metavar="fp=1,fn=5", help="The threshold with the lowest cost an item, in place of the summary."
)
@click.option(
    "--at-least", multiple=True, metavar="recall=0.9", help="With --best or --cost: a limit; repeat for more."
)
@click.option(
    "--at-most", multiple=True, metavar="fallout=0.1", help="With --best or --cost: a limit; repeat for more."
)
@click.option(
    "--correct",
    type=click.Choice(["resample", "split", "none"]),
    default="resample",
    show_default=True,
    help="How the optimism of choosing on the same items is found.",
)
@click.option("--prior", default="even", show_default=True, help="even, none, or a weight a cell.")
@LEVEL
@INTERVAL
@SEED
@FORMAT
@OUT
def curve(
    files: tuple[str, ...],
    truth: str,
    scores: tuple[str, ...],
    names: tuple[str, ...],
    metrics: tuple[str, ...],
    band: str | None,
    simultaneous: bool,
    best: str | None,
    cost: str | None,
    at_least: tuple[str, ...],
    at_most: tuple[str, ...],
    correct: str,
    kind: str,
    out: Path | None,
    positive: str | None,
    weight: str | None,
    where: tuple[str, ...],
    missing: str,
    bins: int | None,
    **settings: Any,
) -> None:
    """Scores at every threshold: AUC, average precision, break-even, 11-point precision, best F1, with intervals.

    Such as: howsure curve preds.parquet --truth y --score p
    """
    from howsure.cli.progress import watcher
    from howsure.ingest.scorefiles import scored_files
    from howsure.ranking.curves import curve as run_curve

    if names and (len(names) != len(scores) or len(set(names)) != len(names)):
        raise BadSetting(f"--name is given once for each of the {len(scores)} scores, all different; got {len(names)}")
    if len(set(scores)) != len(scores):
        raise BadSetting("--score names a column twice")
    chosen = [name for name, x in (("--band", band), ("--best", best), ("--cost", cost)) if x is not None]
    if len(chosen) > 1:
        raise BadSetting(f"give one of {' and '.join(chosen)}")
    if chosen and len(scores) > 1:
        raise BadSetting(f"{chosen[0]} is for one score: give one --score")
    if (at_least or at_most) and not (best or cost):
        raise BadSetting("--at-least and --at-most go with --best or --cost")
    if simultaneous and band is None:
        raise BadSetting("--simultaneous goes with --band")
    items = scored_files(
        files, truth, scores, names=names, positive=positive, weight=weight, missing=missing, where=where, bins=bins,
        watch=watcher(files),
    )  # fmt: skip
    made = run_curve(items, metrics=metrics or None, **settings)
    if best is not None or cost is not None:
        from howsure.catalogue import utility

        measure: Any = best if cost is None else utility(**_weights(cost), cost=True)
        choice = made.choose(measure, at_least=_limits(at_least), at_most=_limits(at_most), correct=correct)
        show(choice, kind, out)
        return
    show(made if band is None else made.band(band, simultaneous=simultaneous), kind, out)


def _limits(texts: tuple[str, ...]) -> dict[str, float] | None:
    """recall=0.9 and the like."""
    return {name: value for text in texts for name, value in _numbers(text, "recall=0.9").items()} or None


def _weights(text: str) -> dict[str, float]:
    """fp=1,fn=5: what an item in each cell costs."""
    found = {k: v for part in text.split(",") for k, v in _numbers(part, "--cost fp=1,fn=5").items()}
    unknown = next((k for k in found if k not in ("tp", "fp", "fn", "tn")), None)
    if unknown is not None:
        raise BadSetting(f"--cost takes tp, fp, fn and tn, such as fp=1,fn=5; got {unknown!r}")
    return found


def _numbers(text: str, example: str) -> dict[str, float]:
    name, _, value = (x.strip() for x in text.partition("="))
    try:
        return {name: float(value)}
    except ValueError:
        raise BadSetting(f"a name and a number are needed, such as {example}; got {text!r}") from None
