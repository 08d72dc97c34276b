"""The command `howsure forecast`: what the next items will show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from howsure.cli import parse, sources
from howsure.cli.options import (
    EACH_COUNTS,
    EACH_RATE,
    FORMAT,
    LEVEL,
    MATRICES,
    METRICS,
    OUT,
    PRIOR,
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


@click.command("forecast", cls=Grouped)
@sources.taking(
    *sources.but(sources.COLUMNS, "bins", "judge", "human"),
    *sources.SYSTEMS,
    *sources.DATABASE,
    EACH_COUNTS,
    EACH_RATE,
    MATRICES,
    *sources.TABLES,
)
@option("--n", type=int, required=True, metavar="500", group=QUESTION, help="How many items come next.")
@METRICS
@option("--below", multiple=True, metavar="0.75|f1=0.75", group=QUESTION, help="Also the chance of less than this.")
@option("--above", multiple=True, metavar="0.8|f1=0.8", group=QUESTION, help="Also the chance of more than this.")
@LEVEL
@PRIOR
@TOLERANCE
@SEED
@FORMAT
@VIEW
@OUT
def forecast(
    given: sources.Inputs,
    metrics: tuple[str, ...],
    below: tuple[str, ...],
    above: tuple[str, ...],
    kind: str,
    out: Path | None,
    view: Detail,
    **settings: Any,
) -> None:
    """What the next test will show: the score of the next items, with the interval that will hold it.

    `howsure forecast preds.csv --n 500 --below 0.75` finds columns that have the usual names. Two systems give their
    next difference, first less second. With --cluster, --n counts clusters.
    """
    from howsure._forecast import forecast as verb

    run: Any = verb  # its overloads take no mapping of settings
    found = sources.evidence(given)
    asked: dict[str, Any] = {"metrics": metrics} if metrics else {}
    for name, texts in (("below", below), ("above", above)):
        if texts:
            asked[name] = parse.limits(texts, f"--{name}")
    parts = list(found.values()) if isinstance(found, dict) else found if isinstance(found, list) else [found]
    if len(parts) > 2:
        raise BadSetting(f"forecast takes one system, or the difference of two; got {len(parts)}")
    if isinstance(found, dict) and len(parts) == 1:
        raise BadSetting("forecast takes one system, or the difference of two; got one file twice")
    if len(parts) == 2:
        usual = tuple(found) if isinstance(found, dict) else ("first", "second")
        names = parse.system_names(() if isinstance(found, dict) else given.names, 2, usual)
        asked["names"] = (names[0], names[1])
    elif isinstance(found, list) and given.names:
        raise BadSetting("--name is for several systems; there is only one")
    show(run(*parts, **asked, **settings), kind, out, view)
