"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from howsure import render
from howsure.errors import BadSetting

OUT = click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    is_eager=True,  # --format looks at it
    help="Write to this file, whole or not at all; its suffix is the format.",
)


def _format(among: Sequence[render.Format], more: str = "") -> Callable[[Any], Any]:
    """The option --format; without it the suffix of --out tells, and where there is none it is a table."""

    def settled(context: click.Context, _option: click.Parameter, kind: str | None) -> str:
        out: Path | None = context.params.get("out")
        if kind is None:
            return "table" if out is None or not out.suffix else render.by_suffix(out, among, "give --format").name
        if out is None and render.named(kind).file is not None:
            raise BadSetting(f"--format {kind} is a file: name it with --out")
        return kind

    return click.option(
        "--format",
        "kind",
        type=click.Choice([form.name for form in among]),
        callback=settled,
        help=f"Format of the output; by default that of the suffix of --out, or table{more}.",
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
FORMAT = _format(render.TEXTS)
COLUMNAR = _format(render.REGISTRY, "; parquet (with --out) is for millions of slices")
LISTING = _format([render.named(name) for name in ("table", "json", "markdown")])
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
