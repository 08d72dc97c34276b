"""The command `howsure papers`: what the papers print, recomputed."""

from __future__ import annotations

from pathlib import Path

import click

from howsure import papers
from howsure.cli.options import Command, check_written, listed
from howsure.cli.output import width, write
from howsure.papers import show
from howsure.render.formats import named

_PAPERS = """Recompute what the papers print, and set it beside the print.

ITEM is a paper (goutte, ishioka, powers, alvarez, zhang), an item of it (goutte-eq-9) or how some begin (goutte-table);
without it every item is computed. A page (--out papers.html) shows every figure, drawn again. Each gets a verdict:

"""


@click.command(
    "papers",
    cls=Command,
    examples=("goutte-eq-9",),
    params=[
        click.Argument(["item"], required=False),
        click.Option(["--all", "every"], is_flag=True, help="List every item, not only the summary."),
        *listed([named(name) for name in show.FORMATS]),
    ],
    help=_PAPERS + "\n\n".join(f"{verdict}: {meaning}" for verdict, meaning in papers.MEANINGS.items()),
)
def papers_command(item: str | None, every: bool, kind: str, out: Path | None) -> None:
    """Recompute what the papers print, and set it beside the print."""
    check_written(click.get_current_context())
    if item is None and not every and kind == "table":
        write(show.summary(show.document(papers.select(None)), width(out)), out, kind)
        return
    write(papers.render(papers.select(item), kind, None if out else width(most=132)), out, kind)
