"""Commands and options; every message is one sentence, every output is written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

from howsure.cli import interrupts, parse, progress, sources, streams
from howsure.cli.options import (
    COLUMNAR,
    EACH_COUNTS,
    EACH_RATE,
    FORMAT,
    INTERVAL,
    LEVEL,
    MATRICES,
    METRICS,
    OUT,
    PRIOR,
    QUESTION,
    SEED,
    SORT,
    SORT_PAIRS,
    SOURCES,
    TOLERANCE,
    VIEW,
    Grouped,
    option,
)
from howsure.cli.output import say, show, write
from howsure.errors import BadSetting, HowsureError, nearest
from howsure.messages.language import SPOKEN
from howsure.messages.remedies import Typed, at_shell
from howsure.messages.user_text import laid_out
from howsure.render.formats import Detail
from howsure.results import verbs
from howsure.version import VERSION

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    before = SPOKEN.set("command")
    progress.begin("working")
    try:
        return _run(arguments, "--debug" in arguments)
    finally:
        progress.stop()
        SPOKEN.reset(before)


def _run(arguments: list[str], debug: bool) -> int:
    words = [a for a in arguments if a != "--debug"]
    typed = Typed(tuple(words))
    try:
        result = app.main(args=words, prog_name="howsure", standalone_mode=False, obj=typed)
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        return _say(error.format_message(), 2)
    except (click.exceptions.Abort, KeyboardInterrupt):
        return 130
    except click.exceptions.NoSuchOption as error:
        hint = nearest(error.option_name, error.possibilities or ()).replace("'", "")
        hint = _INSTEAD.get((_asked(arguments).strip(), error.option_name), hint)
        return _complain(f"no option named {error.option_name!r}.{hint} See: howsure {_asked(arguments)}--help", 2)
    except click.ClickException as error:
        return _complain(error.format_message(), 2)
    except HowsureError as error:
        return _complain(at_shell(error, typed), 2)
    except MemoryError:
        told = "what was asked is too large for the memory of this machine"
        return _complain(f"{told}; ask for fewer draws, slices, classes or measures at once", 2)
    except BrokenPipeError:
        return _silence()
    except SystemExit as error:  # click ends a closed pipe this way
        return _silence() if error.code == 1 else int(error.code or 0)
    except Exception as error:
        if "_HOWSURE_COMPLETE" in os.environ:  # a shell asks on a press of Tab: what it cannot use is not told
            return 0
        if isinstance(error, OSError) and streams.is_refusal(error):  # of a page of help, or of a terminal
            return _complain(str(streams.refused(error)), 2)
        if debug:
            raise
        told = f"this is a bug in howsure ({type(error).__name__}: {error})"
        return _complain(f"{told}; run again with --debug for the trace", 70)


_SLICE = " Take one slice at a time with --where COLUMN=VALUE"
_INSTEAD = {
    ("curve", "--pred"): " curve takes scores: give --score and the name of their column.",
    ("curve", "--by"): f"{_SLICE}, or cut the scores: howsure score --score COLUMN --threshold 0.5 --by COLUMN.",
    ("curve", "--prevalence"): " Cut the scores first: howsure score --score COLUMN --threshold 0.5 --prevalence 0.1.",
    ("curve", "--threshold"): " A threshold is part of a measure: --metric f1@0.5.",
    ("curve", "--above"): " That is for score: howsure score --score COLUMN --threshold 0.5 --above 0.8.",
    ("leaderboard", "--by"): f"{_SLICE}; of two systems, compare takes --by.",
    ("gate", "--by"): " A requirement names its slice: --require 'recall > 0.9 in region=north'.",
    ("gate", "--above"): " A requirement has its limit: --require 'f1 > 0.8 with 0.95'.",
    ("gate", "--metric"): " A requirement names its measure: --require 'f1 > 0.8 with 0.95'.",
    ("plan", "--by"): f"{_SLICE}.",
    ("plan", "--prevalence"): " It is one of the measures of --expected: recall=0.8,precision=0.7,prevalence=0.1.",
}


def _asked(arguments: list[str]) -> str:
    """The command that was asked for, with a blank, if there is one."""
    return next((f"{a} " for a in arguments if a in app.commands), "")


def _complain(message: str, code: int) -> int:
    return _say(f"howsure: {laid_out(message)}", code)


def _say(text: str, code: int) -> int:
    """On standard error; where that is full or closed, the code says it alone."""
    if interrupts.asked():
        return 130
    say(text)
    return code


def _silence() -> int:
    """The reader of the output went away: no message, no failure."""
    streams.forget("stdout")
    return 0


_CODES = (
    "Exit codes: 0 done, 1 a gate failed, 2 bad input, 3 a gate is inconclusive, 70 a bug in howsure, 130 interrupted."
)
_FIRST = """howsure: how sure are you of that score,
and is B really better than A?

Try:
  howsure score preds.csv
  howsure compare preds.csv \\
    --pred model_a --pred model_b
  howsure score \\
    --counts tp=80,fp=20,fn=30,tn=870

All commands: howsure --help
"""
_HOME: Final = {  # the module and the name of each command that is not in this module
    "gate": "gating:gate",
    "forecast": "forecasting:forecast",
    "curve": "curving:curve",
    "trec": "retrieval:trec",
    "plan": "planning:plan",
    "solve": "solving:solve",
    "tradeoff": "trading:tradeoff",
    "surface": "surfacing:surface",
    "serve": "serving:serve",
    "metrics": "cataloguing:metrics_command",
    "papers": "papers:papers_command",
    "completion": "completion:completion",
}
_OWN: Final = {  # commands that are no verbs, in the order of the help
    "serve": "Open the page: all of this in the browser.",
    "metrics": "List every measure, or show one in full.",
    "papers": "Recompute what the papers print.",
    "completion": "The script that completes commands in your shell.",
}


def _short(name: str) -> str:
    return _OWN[name] if name in _OWN else verbs.summary(name)


class Commands(MutableMapping[str, click.Command]):
    """The commands by name, in the order of the help; the module of one is imported when that one is wanted."""

    def __init__(self) -> None:
        self._made: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._made and name in _HOME:
            module, _, own = _HOME[name].partition(":")
            self[name] = getattr(import_module(f"howsure.cli.{module}"), own)
        return self._made[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in (*verbs.names(), *_OWN)

    def __iter__(self) -> Iterator[str]:
        return iter((*verbs.names(), *_OWN))

    def __len__(self) -> int:
        return len(verbs.names()) + len(_OWN)


class Ordered(click.Group):
    """The commands in an order that helps."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """First what is used most."""
        return [*verbs.names(), *_OWN]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Names with their short helps, for which no command is imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _short(name)) for name in self.list_commands(ctx)])


@click.group(cls=Ordered, commands=Commands(), context_settings=CONTEXT, epilog=_CODES, invoke_without_command=True)
@click.version_option(VERSION, message="howsure %(version)s")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the trace if howsure has a bug.")
@click.pass_context
def app(context: click.Context) -> None:
    """How sure are you of that score, and is B really better than A?"""
    if context.invoked_subcommand is None:
        write(_FIRST, None)


@app.command(cls=Grouped)
@sources.taking(
    *sources.COLUMNS,
    *sources.STRATA,
    *sources.but(sources.SYSTEMS, "independent"),
    *sources.DATABASE,
    *sources.ONE_TABLE,
)
@METRICS
@option("--above", multiple=True, metavar="0.8|f1=0.8", group=QUESTION, help="Also the probability of exceeding this.")
@option("--chance", is_flag=True, group=QUESTION, help="Also what guessing gives, and P(better than it).")
@option("--shrink", is_flag=True, group=QUESTION, help="Slices of --by lend strength to each other.")
@PRIOR
@LEVEL
@INTERVAL
@TOLERANCE
@SEED
@SORT
@COLUMNAR
@VIEW
@OUT
def score(
    given: sources.Inputs,
    metrics: tuple[str, ...],
    above: tuple[str, ...],
    kind: str,
    out: Path | None,
    view: Detail,
    **settings: Any,
) -> None:
    """Each measure with its interval; `howsure score preds.csv` finds columns that have the usual names.

    Usual names are truth or label; pred, prediction or answer; passed; score. A note says which were taken. Name others
    with --truth and --pred, or --outcome. Without a file: --counts, --rate, --matrix or --db.
    """
    from howsure._score import score as run_score

    found = sources.evidence(given)
    data = found[0] if isinstance(found, list) else found
    if given.names and isinstance(found, list):
        raise BadSetting("--name is for several systems; there is only one")
    if "by" not in given.columns:
        settings["sort"] = None  # refused already, where it was given
    show(
        run_score(data, metrics=list(metrics) or None, above=parse.limits(above) if above else None, **settings),
        kind,
        out,
        view,
    )


_SEVERAL = (EACH_COUNTS, EACH_RATE, MATRICES, *sources.TABLES)


@app.command(cls=Grouped)
@sources.taking(
    *sources.COLUMNS,
    *sources.STRATA,
    *sources.SYSTEMS,
    *sources.DATABASE,
    *_SEVERAL,
    option("--wins", metavar="17,4,3278", group=SOURCES, help="Items won by the first, by the second, and ties."),
)
@METRICS
@option("--equal-within", type=float, group=QUESTION, help="Also the probability of differing by no more.")
@PRIOR
@LEVEL
@INTERVAL
@TOLERANCE
@SEED
@SORT_PAIRS
@FORMAT
@VIEW
@OUT
def compare(
    given: sources.Inputs, metrics: tuple[str, ...], kind: str, out: Path | None, view: Detail, **settings: Any
) -> None:
    """Is the first system better than the second?

    Give two columns of one file (--pred a --pred b), or two files, a system each; items are joined by id or --on.
    Columns with the usual names (truth or label, pred, passed, ...) are found.

    A system "is better" from P(better) = 1 - (1 - level)/2 on, 0.975 at 95%: the equal-tailed interval of the
    difference then excludes 0. From 0.9 on it "is probably better". howsure plan aims at the same.
    """
    from howsure._compare import compare as verb
    from howsure._compare import leader_first

    run_compare: Any = verb  # its overloads take no mapping of settings
    if given.wins is not None:
        _wins(given, kind, out, view, **settings)
        return
    found = sources.evidence(given)
    asked: dict[str, Any] = {"metrics": metrics} if metrics else {}
    if "by" not in given.columns:
        settings["sort"] = None  # refused already, where it was given
    if isinstance(found, (list, dict)):
        each = list(found.values()) if isinstance(found, dict) else found
        if len(each) != 2:
            raise BadSetting(f"compare needs two systems, or --wins; got {len(each)}; more are for leaderboard")
        usual = tuple(found) if isinstance(found, dict) else ("first", "second")
        names = parse.system_names(() if isinstance(found, dict) else given.names, 2, usual)
        pair = tuple(posterior_of(x, settings) for x in each)
        own = {k: v for k, v in settings.items() if k not in ("prior", "tolerance", "seed")}
        show(run_compare(*pair, names=(names[0], names[1]), **asked, **own), kind, out, view)
    else:
        sources.refuse_more_than_two(given, found)
        p = posterior_of(found, settings)
        own = {k: v for k, v in settings.items() if k not in ("prior", "tolerance", "seed")}
        unordered = "system" in given.columns and not given.names
        order = leader_first(p, metrics or None) if unordered else ()
        show(run_compare(p, *order, **asked, **own), kind, out, view)


def posterior_of(evidence: Any, settings: dict[str, Any]) -> Any:
    """The posterior that all measures share."""
    from howsure.posteriors.posterior import posterior

    own = {k: settings[k] for k in ("tolerance", "seed") if k in settings}
    return posterior(evidence, settings["prior"], **own)


def _wins(
    given: sources.Inputs, kind: str, out: Path | None, view: Detail, level: float, interval: str, equal_within: Any,
    **rest: Any,
) -> None:  # fmt: skip
    from howsure._wins import compare_wins

    del rest  # refused, where they were given
    given.check()
    first, second, same = parse.win_counts(str(given.wins))
    names = parse.system_names(given.names, 2, ("first", "second"))
    how = {"level": level, "interval": interval, "equal_within": equal_within}
    show(compare_wins(first, second, same, names=(names[0], names[1]), **how), kind, out, view)


@app.command(cls=Grouped)
@sources.taking(*sources.but(sources.COLUMNS, "by"), *sources.STRATA, *sources.SYSTEMS, *sources.DATABASE, *_SEVERAL)
@METRICS
@option(
    "--apart", type=float, group=QUESTION, help="P(better) that starts a new group.  [default: as 'is better' needs]"
)
@option("--draws", type=int, help="Rank by so many draws, even if not needed.")
@PRIOR
@LEVEL
@INTERVAL
@TOLERANCE
@SEED
@FORMAT
@VIEW
@OUT
def leaderboard(
    given: sources.Inputs, metrics: tuple[str, ...], kind: str, out: Path | None, view: Detail, **settings: Any
) -> None:
    """Rank several systems: P(best), expected rank, groups that cannot be told apart.

    Give columns of one file (--pred a --pred b, or --pred 'model_*'), or several files, a system each, whose items are
    joined by id or --on. Columns with the usual names (truth or label, pred, passed, ...) are found.
    """
    from howsure._leaderboard import leaderboard as verb

    run_leaderboard: Any = verb
    found = sources.evidence(given)
    data: Any = found
    if isinstance(found, list):
        usual = tuple(f"system {i}" for i in range(1, len(found) + 1))
        data = dict(zip(parse.system_names(given.names, len(found), usual), found, strict=True))
    own = {k: v for k, v in settings.items() if k not in ("prior", "tolerance", "seed")}
    if isinstance(data, dict):
        data = {name: posterior_of(x, settings) for name, x in data.items()}
    else:
        sources.refuse_one_system(given, found)
        data = posterior_of(data, settings)
    asked: dict[str, Any] = {"metrics": metrics} if metrics else {}
    show(run_leaderboard(data, **asked, **own), kind, out, view)
