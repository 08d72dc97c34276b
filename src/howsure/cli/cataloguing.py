"""The command `howsure metrics`: what there is, listed."""

from __future__ import annotations

from pathlib import Path

import click

from howsure.cli.options import Command, check_written, listed
from howsure.cli.output import width, write
from howsure.render import listing
from howsure.render.formats import named


@click.command(
    "metrics",
    cls=Command,
    examples=("f1",),
    params=[click.Argument(["name"], required=False), *listed([named(name) for name in listing.FORMATS])],
)
def metrics_command(name: str | None, kind: str, out: Path | None) -> None:
    """List every measure, or show one: formula, range, synonyms, meaning and source."""
    check_written(click.get_current_context())
    from howsure.ranking.names import described, listed

    document = listing.document(described(name) if name else listed(), bool(name))
    write(listing.render(document, kind, width(out)), out, kind)
