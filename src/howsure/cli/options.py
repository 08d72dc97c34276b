"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

OUT = click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file, whole or not at all."
)

PRIOR = click.option(
    "--prior",
    default="even",
    show_default=True,
    help="even, jeffreys, uniform, two-level or a weight a cell.",
)
LEVEL = click.option("--level", type=float, default=0.95, show_default=True, help="Probability of the interval.")
INTERVAL = click.option(
    "--interval",
    default="equal-tailed",
    show_default=True,
    metavar="equal-tailed|hdi",
    help="Kind of interval.",
)
SEED = click.option("--seed", type=int, default=0, show_default=True, help="Seed of sampled measures.")
FORMAT = click.option(
    "--format",
    "kind",
    type=click.Choice(["table", "json", "markdown", "latex", "csv", "html"]),
    default="table",
    show_default=True,
    help="Format of the output.",
)
LISTING = click.option(
    "--format",
    "kind",
    type=click.Choice(["table", "json", "markdown"]),
    default="table",
    show_default=True,
    help="Format of the output.",
)
MATRICES = click.option(
    "--matrix",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A CSV file with the confusion matrix of a system; repeat.",
)
ROWS = click.option(
    "--rows",
    type=click.Choice(["truth", "pred"]),
    default="truth",
    show_default=True,
    help="What the rows of the matrix are.",
)
LABELS = click.option("--labels", metavar="a,b,c", help="Names of the classes of the matrix.")
POSITIVE = click.option("--positive", metavar="LABEL", help="The positive class.")
