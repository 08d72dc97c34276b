"""Commands and options; every message is one sentence, every output is written whole or not at all."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from howsure.cli import curving, parsing, retrieval, solving, sources, surfacing, trading
from howsure.cli.options import (
    COLUMNAR,
    FORMAT,
    INTERVAL,
    LABELS,
    LEVEL,
    LISTING,
    MATRICES,
    OUT,
    POSITIVE,
    PRIOR,
    ROWS,
    SEED,
)
from howsure.cli.output import show, write
from howsure.errors import HowsureError

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    debug = "--debug" in arguments
    try:
        result = app.main(args=[a for a in arguments if a != "--debug"], prog_name="howsure", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.exceptions.Abort:
        return 130
    except KeyboardInterrupt:
        return 130
    except click.ClickException as error:
        return _complain(error.format_message(), 2)
    except HowsureError as error:
        return _complain(str(error), 2)
    except BrokenPipeError:
        return _silence()
    except SystemExit as error:  # click ends a closed pipe this way
        return _silence() if error.code == 1 else int(error.code or 0)
    except Exception as error:
        if debug:
            raise
        return _complain(
            f"this is an error of howsure's own ({type(error).__name__}: {error}); "
            "run again with --debug for the trace",
            70,
        )


def _complain(message: str, code: int) -> int:
    text = " ".join(message.split()).rstrip(".")
    click.echo(f"howsure: {text}{'' if text.endswith('?') else '.'}", err=True)
    return code


def _silence() -> int:
    """The reader of the output went away: no message, no failure."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


@click.group(context_settings=CONTEXT)
@click.version_option(package_name="howsure", message="howsure %(version)s")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the trace of an error of howsure's own.")
def app() -> None:
    """How sure are you of that score, and is B really better than A?"""


@app.command()
@sources.files_of_one
@click.option(
    "--counts",
    metavar="tp=80,fp=20,fn=30,tn=870",
    help="The four cells, named in any order; bare numbers mean tp,fp,fn,tn.",
)
@click.option("--rate", metavar="47/50", help="Hits of trials.")
@click.option(
    "--matrix",
    type=click.Path(path_type=Path),
    help="A CSV file with a confusion matrix, with or without labels.",
)
@ROWS
@LABELS
@POSITIVE
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="A measure, such as f1, recall or f1:spam; repeat for more.",
)
@click.option("--above", multiple=True, metavar="0.8 | f1=0.8", help="Show the probability of exceeding this value.")
@click.option("--chance", is_flag=True, help="Show what random guessing gives, and the probability of being better.")
@PRIOR
@LEVEL
@INTERVAL
@click.option(
    "--tolerance",
    type=float,
    default=0.02,
    show_default=True,
    help="How far a sampled interval end may be off, in standard deviations.",
)
@SEED
@sources.SORT
@COLUMNAR
@OUT
def score(
    ask: sources.Ask,
    counts: str | None,
    rate: str | None,
    matrix: Path | None,
    rows: str,
    labels: str | None,
    positive: str | None,
    metrics: tuple[str, ...],
    above: tuple[str, ...],
    kind: str,
    out: Path | None,
    **settings: Any,
) -> None:
    """Score files, counts, a rate or a confusion matrix: each measure with its exact posterior."""
    from howsure.scoring import score as run_score

    if ask.given:
        parsing.alone("FILE", counts=counts, rate=rate, matrix=matrix)
        tally = sources.tally(ask, positive, labels)
    else:
        tally = parsing.tally_of(counts, rate, matrix, rows, labels, positive)
    report = run_score(tally, metrics=list(metrics) or None, above=parsing.limits(above), **settings)
    show(report, kind, out)


@app.command()
@sources.files_of_many
@click.option(
    "--counts", multiple=True, metavar="tp=80,fp=20,fn=30,tn=870", help="The four cells of a system; give it twice."
)
@click.option("--rate", multiple=True, metavar="47/50", help="Hits of trials of a system; give it twice.")
@MATRICES
@ROWS
@LABELS
@POSITIVE
@click.option("--wins", metavar="17,4,3278", help="Items won by the first, by the second, and the same for both.")
@click.option("--name", "names", multiple=True, metavar="NAME", help="The name of a system; give it twice.")
@click.option("--metric", metavar="NAME", help="The measure to compare on; f1, macro-f1 or rate by default.")
@click.option("--equal-within", type=float, help="Also show the probability that they differ by at most this much.")
@PRIOR
@LEVEL
@INTERVAL
@SEED
@FORMAT
@OUT
def compare(
    ask: sources.Ask,
    counts: tuple[str, ...],
    rate: tuple[str, ...],
    matrix: tuple[Path, ...],
    rows: str,
    labels: str | None,
    wins: str | None,
    names: tuple[str, ...],
    kind: str,
    out: Path | None,
    **settings: Any,
) -> None:
    """Is the first better than the second? Files, tables of counts, rates or matrices, or wins on the same items."""
    from howsure.comparison.verbs import compare as run_compare
    from howsure.comparison.wins import compare_wins

    shown = parsing.two_names(names)
    if ask.given:
        parsing.alone("FILE", counts=counts, rate=rate, matrix=matrix, wins=wins)
        if ask.independent:
            (one, a), (two, b) = parsing.two_of(sources.apart(ask, names, settings["positive"]))
            show(run_compare(a, b, names=(one, two), **settings), kind, out)
            return
        show(run_compare(sources.joint(ask, names, settings["positive"]), **settings), kind, out)
        return
    if wins is not None:
        parsing.alone("--wins", counts=counts, rate=rate, matrix=matrix, metric=settings["metric"])
        first, second, same = parsing.win_counts(wins)
        chosen = {k: settings[k] for k in ("equal_within", "level", "interval")}
        show(compare_wins(first, second, same, names=shown, **chosen), kind, out)
        return
    a, b = parsing.two_tallies(counts, rate, matrix, rows, labels)
    show(run_compare(a, b, names=shown, **settings), kind, out)


@app.command()
@sources.files_of_many
@click.option("--counts", multiple=True, metavar="tp=80,fp=20,fn=30,tn=870", help="The four cells of a system; repeat.")
@click.option("--rate", multiple=True, metavar="47/50", help="Hits of trials of a system; repeat.")
@MATRICES
@ROWS
@LABELS
@POSITIVE
@click.option("--name", "names", multiple=True, metavar="NAME", help="The name of a system; one for each.")
@click.option("--metric", metavar="NAME", help="The measure to rank by; f1, macro-f1 or rate by default.")
@click.option("--apart", type=float, default=0.95, show_default=True, help="Probability at which a new group starts.")
@click.option("--draws", type=int, default=20_000, show_default=True, help="Number of draws.")
@PRIOR
@LEVEL
@INTERVAL
@SEED
@FORMAT
@OUT
def leaderboard(
    ask: sources.Ask,
    counts: tuple[str, ...],
    rate: tuple[str, ...],
    matrix: tuple[Path, ...],
    rows: str,
    labels: str | None,
    names: tuple[str, ...],
    kind: str,
    out: Path | None,
    **settings: Any,
) -> None:
    """Rank systems of files, counts or rates: P(best), expected rank, groups that cannot be told apart."""
    from howsure.comparison.ranks import leaderboard as run_leaderboard

    if ask.given:
        parsing.alone("FILE", counts=counts, rate=rate, matrix=matrix)
        data = (sources.apart if ask.independent else sources.joint)(ask, names, settings["positive"])
        show(run_leaderboard(data, **settings), kind, out)
        return
    tallies = parsing.many_tallies(counts, rate, matrix, rows, labels, names)
    show(run_leaderboard(tallies, **settings), kind, out)


@app.command("metrics")
@click.argument("name", required=False)
@LISTING
@OUT
def metrics_command(name: str | None, kind: str, out: Path | None) -> None:
    """List every measure, or show one: formula, range, synonyms, meaning and source."""
    from howsure.catalogue import described, metrics
    from howsure.catalogue.retrieval import rankings
    from howsure.render import listing

    document = listing.document([described(name)] if name else [*metrics(), *rankings()], bool(name))
    write(listing.render(document, kind), out)


@app.command("papers")
@click.argument("item", required=False)
@LISTING
@OUT
def papers_command(item: str | None, kind: str, out: Path | None) -> None:
    """Recompute what the papers print, and set it beside the print."""
    from howsure import papers

    write(papers.render(papers.select(item), kind), out)


app.add_command(curving.curve)
app.add_command(solving.solve)
app.add_command(surfacing.surface)
app.add_command(trading.tradeoff)
app.add_command(retrieval.trec)
