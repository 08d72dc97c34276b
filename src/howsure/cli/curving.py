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
    if simultaneous and band is None:
        raise BadSetting("--simultaneous goes with --band")
    items = scored_files(
        files, truth, scores, names=names, positive=positive, weight=weight, missing=missing, where=where, bins=bins,
        watch=watcher(files),
    )  # fmt: skip
    made = run_curve(items, metrics=metrics or None, **settings)
    if band is None:
        show(made.to_dict(), kind, out)
        return
    if len(scores) > 1:
        raise BadSetting("--band is for one score: give one --score")
    found = made.band(band, simultaneous=simultaneous)
    show(found.to_dict() if kind in ("json", "csv") else found.page(), kind, out)
