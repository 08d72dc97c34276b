"""The command `howsure metrics`: what there is, listed."""

from __future__ import annotations

from pathlib import Path

import click

from howsure.cli.options import OUT_OF_LIST, Command, format_option
from howsure.cli.output import width, write
from howsure.render import listing
from howsure.render.formats import named


@click.command("metrics", cls=Command, examples=("f1",))
@click.argument("name", required=False)
@format_option([named(name) for name in listing.FORMATS])
@OUT_OF_LIST
def metrics_command(name: str | None, kind: str, out: Path | None) -> None:
    """List every measure, or show one: formula, range, synonyms, meaning and source."""
    from howsure.ranking.names import described, listed

    document = listing.document(described(name) if name else listed(), bool(name))
    write(listing.render(document, kind, width(out)), out, kind)
