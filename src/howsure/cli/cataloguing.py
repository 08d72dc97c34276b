"""The commands `howsure metrics` and `howsure papers`: what there is, listed."""

from __future__ import annotations

from pathlib import Path

import click

from howsure.cli.options import LISTING, OUT_OF_LIST, PAGED
from howsure.cli.output import width, write
from howsure.papers.item import MEANINGS


@click.command("metrics")
@click.argument("name", required=False)
@LISTING
@OUT_OF_LIST
def metrics_command(name: str | None, kind: str, out: Path | None) -> None:
    """List every measure, or show one: formula, range, synonyms, meaning and source."""
    from howsure.ranking.names import described, listed
    from howsure.render import listing

    document = listing.document(described(name) if name else listed(), bool(name))
    write(listing.render(document, kind, width(out)), out, kind)


_PAPERS = """Recompute what the papers print, and set it beside the print.

ITEM is a paper (goutte, ishioka, powers, alvarez, zhang), an item of it (goutte-eq-9) or how some begin (goutte-table);
without it every item is computed. A page (--out papers.html) shows every figure, drawn again. Each gets a verdict:

"""


@click.command("papers", help=_PAPERS + "\n\n".join(f"{verdict}: {meaning}" for verdict, meaning in MEANINGS.items()))
@click.argument("item", required=False)
@PAGED
@OUT_OF_LIST
def papers_command(item: str | None, kind: str, out: Path | None) -> None:
    """Recompute what the papers print, and set it beside the print."""
    from howsure import papers

    write(papers.render(papers.select(item), kind), out, kind)
