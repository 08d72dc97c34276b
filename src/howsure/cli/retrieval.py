"""The command `howsure trec`: judgments and runs to one document of scores, ranks and comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from howsure.cli.options import FORMAT, INTERVAL, LEVEL, OUT, SEED
from howsure.cli.output import show
from howsure.errors import BadSetting, listing

if TYPE_CHECKING:
    from howsure.evidence.items import Items


@click.command("trec")
@click.argument("qrels", type=click.Path(path_type=Path))
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@click.option("--name", "names", multiple=True, metavar="NAME", help="The name of a run; one for each, in order.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="A measure, such as nDCG@10, AP, P(rel=2)@5 or ndcg_cut_10; repeat. The first one ranks the runs.",
)
@click.option("--only-common", is_flag=True, help="Leave out queries that a run lacks; by default they count as 0.")
@click.option(
    "--unjudged",
    type=click.Choice(["not", "bounds", "rate"]),
    default="not",
    show_default=True,
    help="Unjudged documents: not relevant; also as if all were; or relevant as often as judged ones.",
)
@click.option(
    "--ties",
    type=click.Choice(["score", "float32"]),
    default="score",
    show_default=True,
    help="Order by score as it is, or rounded to float32 as pytrec-eval does; then by document id.",
)
@click.option(
    "--compare",
    "pairs",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="Two runs to compare on every measure; repeat.",
)
@click.option("--equal-within", type=float, help="Also the probability that two runs differ by at most this much.")
@LEVEL
@INTERVAL
@SEED
@FORMAT
@OUT
def trec(
    qrels: Path,
    runs: tuple[Path, ...],
    names: tuple[str, ...],
    metrics: tuple[str, ...],
    only_common: bool,
    unjudged: str,
    ties: str,
    pairs: tuple[tuple[str, str], ...],
    equal_within: float | None,
    kind: str,
    out: Path | None,
    **settings: Any,
) -> None:
    """TREC runs against judgments: every measure with its interval over queries, P(best), and comparisons.

    Lines of QRELS are: query 0 document grade; lines of a RUN: query Q0 document rank score tag. Packed files
    (.gz, .bz2, .xz) are read too.
    """
    from howsure.ranking.queries import trec as run_trec

    given: Any = list(runs)
    if names:
        if len(names) != len(runs) or len(set(names)) != len(names):
            raise BadSetting(
                f"--name is given once for each run, {len(runs)} here, all different; got {listing(names)}"
            )
        given = dict(zip(names, runs, strict=True))
    items = run_trec(
        qrels, given, metrics=list(metrics) or None, only_common=only_common, unjudged=unjudged, ties=ties,
        seed=settings["seed"],
    )  # fmt: skip
    if not pairs and len(items.systems) == 2:
        pairs = ((items.systems[0], items.systems[1]),)
    show(document(items, pairs, equal_within, **settings), kind, out)


def document(
    items: Items, pairs: tuple[tuple[str, str], ...], equal_within: float | None, **settings: Any
) -> dict[str, Any]:
    """Rows of a leaderboard for every measure (of a report, for one run), and rows of the comparisons asked for."""
    from howsure.comparison.ranks import leaderboard
    from howsure.comparison.verbs import compare
    from howsure.scoring import score

    unknown = next((name for pair in pairs for name in pair if name not in items.systems), None)
    if unknown is not None:
        raise BadSetting(f"no run named {unknown!r}; there are {listing(items.systems)}")
    made = score(items, **settings).to_dict() | {"schema": "howsure.trec/1"}
    made["data"] |= {"measures": list(items.measures)}
    if len(items.systems) == 1:
        return made
    boards = {m: leaderboard(items, metric=m, **settings).to_dict() for m in items.measures}
    made["rows"] = [row for board in boards.values() for row in board["rows"]]
    made["pairs"] = [{"metric": m, **pair} for m, board in boards.items() for pair in board["pairs"]]
    made["verdict"] = boards[items.measures[0]]["verdict"]
    made["comparisons"] = [
        compare(items, a, b, metric=m, equal_within=equal_within, **settings).to_dict()["rows"][0]
        for a, b in pairs
        for m in items.measures
    ]
    ranked = {"code": "sampled", "text": boards[items.measures[0]]["notes"][0]["text"]}
    made["notes"] = [*map(_told, made["comparisons"]), *made["notes"], ranked]
    return made


def _told(row: dict[str, Any]) -> dict[str, str]:
    """A comparison in one sentence."""
    from howsure.render.numbers import short

    gap, wins = row["difference"], row["wins"]
    ends = f"{short(gap['mean'])} [{short(gap['low'])}, {short(gap['high'])}]"
    first, second = row["first"]["system"], row["second"]["system"]
    counts = f"queries won: {first} {wins['first']:,}, {second} {wins['second']:,}, same {wins['same']:,}"
    return {"code": "comparison", "text": f"{row['verdict']}; {first} - {second} {ends}; {counts}"}
