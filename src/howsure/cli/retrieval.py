"""The command `howsure trec`: judgments and runs to one document of scores, ranks and comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from howsure.cli.options import FORMAT, INTERVAL, LEVEL, OUT, SEED, VIEW, Command, FileName, option
from howsure.cli.output import show
from howsure.errors import BadSetting, listing
from howsure.render.formats import Detail


@click.command("trec", cls=Command)
@click.argument("qrels", type=FileName())
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=FileName())
@option("--name", "names", multiple=True, metavar="NAME", help="The name of a run; one per run, in order.")
@option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="A measure, such as nDCG@10, AP, P(rel=2)@5 or ndcg_cut_10; repeat. The first one ranks the runs.",
)
@option("--only-common", is_flag=True, help="Leave out queries that a run lacks; by default they count as 0.")
@option(
    "--no-relevant",
    type=click.Choice(["drop", "zero"]),
    default="drop",
    show_default=True,
    help="Queries without a relevant document: leave them out of AP, R, nDCG and their like, or count 0 as trec_eval.",
)
@option(
    "--unjudged",
    type=click.Choice(["not", "bounds", "rate"]),
    default="not",
    show_default=True,
    help="Unjudged documents: not relevant; also as if all were; or relevant as often as judged ones.",
)
@option(
    "--ties",
    type=click.Choice(["score", "float32"]),
    default="score",
    show_default=True,
    help="Order by score as it is, or rounded to float32 as pytrec-eval does; then by document id.",
)
@option(
    "--compare",
    "pairs",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="Two runs to compare on every measure; repeat.",
)
@option("--equal-within", type=float, help="Also the probability that two runs differ by at most this much.")
@option("--prior", default="even", show_default=True, help="even, none or a weight on either end of the values seen.")
@LEVEL
@INTERVAL
@SEED
@FORMAT
@VIEW
@OUT
def trec(
    qrels: Path,
    runs: tuple[Path, ...],
    names: tuple[str, ...],
    metrics: tuple[str, ...],
    only_common: bool,
    no_relevant: str,
    unjudged: str,
    ties: str,
    pairs: tuple[tuple[str, str], ...],
    equal_within: float | None,
    kind: str,
    out: Path | None,
    view: Detail,
    **settings: Any,
) -> None:
    """TREC runs against judgments: every measure with its interval over queries, P(best), and comparisons.

    Lines of QRELS are: query 0 document grade; lines of a RUN: query Q0 document rank score tag. Packed files
    (.gz, .bz2, .xz) are read too.
    """
    from howsure._trec import evaluate
    from howsure._trec import trec as run_trec

    given: Any = list(runs)
    if names:
        if len(names) != len(runs) or len(set(names)) != len(names):
            raise BadSetting(f"give one different --name per run, {len(runs)} here; got {listing(names)}")
        given = dict(zip(names, runs, strict=True))
    items = run_trec(
        qrels, given, metrics=list(metrics) or None, only_common=only_common, no_relevant=no_relevant,
        unjudged=unjudged, ties=ties, seed=settings["seed"],
    )  # fmt: skip
    show(evaluate(items, pairs, equal_within=equal_within, **settings), kind, out, view)
