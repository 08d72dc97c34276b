"""What a command is given: files with their columns and systems, or counts, rates and matrices."""

from __future__ import annotations

import functools
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from howsure.cli import options as groups
from howsure.cli import parse
from howsure.cli.options import FileName, Once, option
from howsure.errors import BadSetting, NoCommonId, Remedy, listing
from howsure.messages.language import Typed
from howsure.results.verbs import Data, Verb

if TYPE_CHECKING:
    from howsure.io.request import Wanted

SETTINGS_FILE: Final = "howsure.configured"  # where the context keeps the settings file that was read

# -- systems
#
# Several systems on a command line: what files and columns are which system, what they are called, and which two.


def refuse_numbered(files: list[str]) -> None:
    """Files whose names differ in digits only may be shards or systems: the command has to be told."""
    from howsure.io.streams import is_stream

    seen = [os.path.realpath(x) for x in files]
    twice = next((x for x, own in zip(files, seen, strict=True) if seen.count(own) > 1), None)
    if twice is not None and not is_stream(twice):
        raise BadSetting(f"the same file is given twice, {twice}: give it once, or give another file")
    alike = {re.sub(r"[0-9]+", "*", x) for x in files}
    if len(alike) == 1 and not any(is_stream(x) for x in files):
        raise BadSetting(
            f"{files[0]} and {files[1]} differ in digits only: if they are shards of one data set add --pool, or give "
            f"them as one pattern in quotes, '{alike.pop()}'; if they are systems join their items with --on, or name "
            "each with --name"
        )


def unjoined(many: int, cluster: str | None = None) -> str:
    """What to do with several files, as far as the command can."""
    taken = {x.name for x in click.get_current_context().command.params}
    ways = {
        "on": "name the id that joins items of systems with --on (none called id, item, qid or doc_id is in each)",
        "cluster": f"give --cluster {shlex.quote(cluster or 'COLUMN')} if several rows belong to one question",
        "independent": "give --independent if they hold different items",
        "pool": "pool shards of one data set with --pool",
    }
    told = [way for name, way in ways.items() if name in taken]
    return f"{many} files: {', or '.join(told)}; rows are never paired by their order"


def called(given: Inputs, columns: Mapping[str, Any]) -> tuple[str, ...]:
    """What to call the systems, one for each file."""
    from howsure.io.formats import system_names

    refuse("each file holds a system", columns, "system")
    many, own = len(given.files), answer_columns(columns)[1]
    if len(own) not in (0, 1, many):
        raise BadSetting(
            f"{many} files take one --pred (or --outcome, or --value) for all, or one for each; got {len(own)}"
        )
    parse.refuse_names(given.names, many)
    return given.names or (tuple(own) if own and len(set(own)) == many else tuple(system_names(given.files)))


def each_file(
    names: tuple[str, ...], files: list[str], columns: dict[str, Any]
) -> list[tuple[str, str, dict[str, Any]]]:
    """Every file with its own column of answers."""
    role, own = answer_columns(columns)
    each = [{role: c} for c in own] or [{}]
    each = each * len(files) if len(each) == 1 else each
    return [(n, f, {**columns, **c}) for n, f, c in zip(names, files, each, strict=True)]


def refuse_one_system(given: Inputs, found: Any, command: str = "compare") -> None:
    """Pooled files are one system, and so is one column of one file."""
    role, one = answer_columns(given.columns)[0], len(found.systems) == 1
    if one and "pool" in given.columns:
        raise BadSetting(f"--pool makes one system of the files: leave it out, or give one --{role} for each system")
    if one:
        way = f"give a second --{role}, or a second file; howsure score takes one"
        raise BadSetting(f"{command} needs two systems; got one, {found.systems[0]!r}: {way}")


def answer_columns(columns: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The role and the columns of the answers."""
    role = next((x for x in ("pred", "outcome", "value", "score", "judge") if x in columns), "pred")
    found = columns.get(role, [])
    return role, [found] if isinstance(found, str) else list(found)


def refuse(why: str, given: Mapping[str, Any], *names: str) -> None:
    """Refuse the first of some options that was given, saying why."""
    stray = next((name for name in names if given.get(name)), None)
    if stray is not None:
        raise BadSetting(f"{why}: leave out --{stray}")


def refuse_more_than_two(given: Inputs, found: Any) -> None:
    """A comparison is of two systems: which there are, and how to take two of them."""
    from howsure.io.request import is_pattern

    refuse_one_system(given, found)
    many, (role, own) = len(found.systems), answer_columns(given.columns)
    if many < 3:
        return
    if "system" in given.columns or any(is_pattern(x) for x in own):
        way, remedies = "Choose two", [Remedy({"names": found.systems[:2]}, ("names",), example=True)]
    else:
        taken = "of the files" if len(given.files) > 1 and "pool" not in given.columns else f"--{role}"
        way, remedies = f"Give two {taken}", []
    raise BadSetting(
        f"compare needs two systems, and there are {many}: {listing(found.systems, most=20)}. {way}, or rank all with "
        "howsure leaderboard.",
        remedies=remedies,
    )


# -- sources
#
# What a command is given: files and their columns, or counts, rates and matrices; the options, and the evidence.
#
# Every option that does not fit what is given is refused: the entrance of the library knows which columns go with which
# kind of data, and `BELONGS` which other options go with which source.


def _column(name: str, told: str, group: str = groups.COLUMNS, many: bool = False) -> Once:
    return option(name, multiple=many, metavar="COLUMN", group=group, help=told)


COLUMNS: Final = (
    _column("--truth", "The right answers."),
    _column("--pred", "Predictions; repeat it, or 'model_*', for several.", many=True),
    _column("--outcome", "Passed or failed; repeat for more.", many=True),
    _column("--value", "Grades, stars, seconds; repeat for more.", many=True),
    _column("--judge", "Labels by a judge, such as a model's verdicts.", many=True),
    _column("--human", "With --judge: human labels, empty where none.", many=True),
    _column("--score", "Scores or probabilities; repeat for more.", many=True),
    option(
        "--threshold",
        multiple=True,
        type=float,
        group=groups.COLUMNS,
        help="With --score: positive from here on; repeat.",
    ),
    _column("--by", "Results for each value of it; repeat for more.", many=True),
    option(
        "--where",
        multiple=True,
        metavar="COLUMN=VALUE",
        group=groups.COLUMNS,
        help="Only these rows; also != < <= > >=; repeat.",
    ),
    _column("--cluster", "What groups items, such as their question."),
    option(
        "--independent-rows",
        is_flag=True,
        group=groups.COLUMNS,
        help="Rows are independent, though ids repeat.",
    ),
    option("--sep", metavar=";", group=groups.COLUMNS, help="What is between the labels, if there are several."),
    option(
        "--missing",
        metavar="refuse|drop|wrong|bounds",
        group=groups.COLUMNS,
        help="Items without a label.  [default: refuse]",
    ),
    option("--bounds", metavar="0,1", help="The lowest and the highest possible --value."),
    option(
        "--better",
        type=click.Choice(["higher", "lower"]),
        metavar="higher|lower",
        help="Which --value is better.  [default: higher]",
    ),
    _column("--weight", "The weight of each row.", groups.RARE),
    _column("--count", "How many items each row stands for.", groups.RARE),
    option("--bins", type=int, metavar="N", help="Count scores in N bins; automatic from 1,000,000."),
    option(
        "--engine",
        type=click.Choice(["duckdb", "spark"]),
        metavar="duckdb|spark",
        help="What reads the files.  [default: duckdb]",
    ),
    option("--remote", metavar="sc://HOST", help="The server of --engine spark."),
    option("--task", multiple=True, metavar="NAME", group=groups.LOGS, help="Only these tasks; a pattern, or repeat."),
    option("--filter", multiple=True, metavar="NAME", group=groups.LOGS, help="The filter of answers (lm_eval)."),
    option("--scorer", multiple=True, metavar="NAME", group=groups.LOGS, help="The scorer or metric to take."),
)
DATABASE: Final = (
    option(
        "--db",
        metavar="ADDRESS",
        group=groups.SOURCES,
        help="A database: sqlite:///x.db, duckdb:///x.duckdb or postgresql://user@host/name.",
    ),
    option("--table", metavar="NAME", group=groups.SOURCES, help="With --db: the table, or schema.table."),
    option("--query", metavar="SQL", group=groups.SOURCES, help='With --db: "select * from runs"; it only reads.'),
)
STRATA: Final = (
    _column("--stratum", "The stratum of a stratified sample.", groups.RARE),
    option("--population", metavar="a=9000,b=200", help="With --stratum: how large each one is."),
)
SYSTEMS: Final = (
    _column("--on", "The id of items, which joins files; repeat.", groups.SYSTEMS, many=True),
    _column("--system", "The system of each row, in a file of several.", groups.SYSTEMS),
    option(
        "--name",
        "names",
        multiple=True,
        metavar="NAME",
        group=groups.SYSTEMS,
        help="A name for each system; or which to take.",
    ),
    option("--pool", is_flag=True, group=groups.SYSTEMS, help="The files are parts of one data set."),
    option("--independent", is_flag=True, group=groups.SYSTEMS, help="The files hold different items."),
    option(
        "--unmatched", metavar="refuse|drop", group=groups.SYSTEMS, help="Items that a system lacks.  [default: refuse]"
    ),
)


_TABLES: Final = (("--counts", "tp=80,fp=20,fn=30,tn=870"), ("--rate", "47/50"), ("--matrix", None))
_ONE: Final = (
    "The four cells, or 80,20,30,870 in this order.",
    "Hits of trials.",
    "A CSV file with a confusion matrix.",
)
_EACH: Final = (
    "The 2x2 table of a system; repeat.",
    "Hits of trials of a system; repeat.",
    "A CSV file with a confusion matrix; repeat.",
)
OF_TABLES: Final = (
    option(
        "--rows",
        type=click.Choice(["truth", "pred"]),
        default="truth",
        show_default=True,
        help="What the rows of --matrix are.",
    ),
    option("--labels", metavar="a,b,c", help="The classes, in the order of --matrix."),
    option("--positive", metavar="LABEL", group=groups.QUESTION, help="The positive class, such as spam."),
    option(
        "--prevalence",
        metavar="0.01|0.005..0.02|12/3000",
        group=groups.QUESTION,
        help="Report metrics at this prevalence: a value, a range, or positives/n.",
    ),
)


def options(data: Data) -> list[click.Parameter]:
    """The options of what a verb takes of data."""
    several = data.tables == "several"
    tables = [
        option(
            name, metavar=shown, type=None if shown else FileName(), multiple=several, group=groups.SOURCES, help=told
        )
        for (name, shown), told in zip(_TABLES, _EACH if several else _ONE, strict=True)
    ]
    files = click.Argument(["files"], nargs=-1, metavar="[FILE]...", shell_complete=_offered_files)
    every = (*COLUMNS, *STRATA, *SYSTEMS, *DATABASE, *tables, *OF_TABLES)
    left_out = {*data.without, *(() if data.by else ("by",))}
    return [files, *(one for one in every if one.name not in left_out)]


BELONGS: Final = {  # options, beside those of files, and the sources that they go with
    "rows": ("--matrix",),
    "labels": ("--matrix", "FILE", "--db"),
    "positive": ("--counts", "--matrix", "FILE", "--db"),
    "prevalence": ("--counts", "--matrix", "FILE", "--db"),
    "chance": ("--counts", "--matrix", "FILE", "--db"),
    "sort": ("FILE", "--db"),
    "table": ("--db",),
    "query": ("--db",),
}
_WITH_COLUMNS: Final = ("FILE", "--db")
_OF_FILES: Final = tuple(o.name for o in (*COLUMNS, *STRATA, *SYSTEMS) if o.name != "names")


@dataclass(frozen=True)
class Inputs:
    """What was given on the command line to take evidence from."""

    files: tuple[str, ...] = ()
    db: str | None = None
    table: str | None = None
    query: str | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)  # only those that were given
    counts: tuple[str, ...] = ()
    rate: tuple[str, ...] = ()
    matrix: tuple[Path, ...] = ()
    rows: str = "truth"
    labels: str | None = None
    positive: str | None = None
    prevalence: str | None = None
    names: tuple[str, ...] = ()
    data: Data = field(default_factory=Data)  # what the verb takes
    own: Mapping[str, Sequence[str]] = field(default_factory=dict)  # options of the verb that hold data
    settings_file: str | None = None  # if options were read from one
    configured: frozenset[str] = frozenset()  # keywords that only the settings file gives

    @property
    def source(self) -> str:
        """FILE, or the one option that was given."""
        named = {"FILE": self.files, "--counts": self.counts, "--rate": self.rate, "--matrix": self.matrix}
        found = [name for name, x in {**named, "--db": self.db is not None}.items() if x] + list(self.own)
        if len(found) > 1:
            raise BadSetting(f"{found[0]} cannot be combined with {' and '.join(found[1:])}: leave one out")
        if not found and (self.table is not None or self.query is not None):
            told = "--query" if self.table is None else "--table"
            raise BadSetting(f"{told} is of a database: give its address too, such as --db sqlite:///file.db")
        if not found:
            stray = next(iter(self.columns), None)
            if stray is not None:
                raise BadSetting(
                    f"--{stray.replace('_', '-')} names what is in a file: give the FILE too, or - for standard input"
                )
            raise BadSetting(f"give a FILE, or one of {_ways(click.get_current_context())}; got nothing")
        return found[0]

    def check(self) -> str:
        """The source, once every option that was given goes with it."""
        source, context = self.source, click.get_current_context()
        if source not in _WITH_COLUMNS and self.columns:
            stray = next(iter(self.columns)).replace("_", "-")
            raise BadSetting(f"--{stray} names what is in a file; it does not go with {source}")
        for name, sources in BELONGS.items():
            if source not in sources and _was_given(context, name):
                raise BadSetting(f"--{name} does not go with {source}; it goes with {' and '.join(sources)}")
        unused = next((x for x in self.own.get(source, ()) if _was_given(context, x)), None)
        if unused is not None:
            flag = next(x.opts[0] for x in context.command.params if x.name == unused)
            raise BadSetting(f"{flag} does not go with {source}: leave out one of them")
        if _was_given(context, "sort") and "by" not in self.columns:
            raise BadSetting("--sort is the order of slices: give --by too")
        return source

    def evidence(self) -> Any:
        """The evidence of one data set, or a mapping from name to evidence of systems that had different items."""
        found = _evidence(self)
        if isinstance(found, list):
            pair = len(found) == 2 and (self.data.least == 1 or self.data.most == 2)
            usual = ("first", "second") if pair else tuple(f"system {i}" for i in range(1, len(found) + 1))
            if len(found) == 1 and self.data.least == 1:
                if self.names:
                    raise BadSetting("--name is for several systems; there is only one")
                return found[0]
            return dict(zip(parse.system_names(self.names, len(found), usual), found, strict=True))
        if self.data.least > 1 and not isinstance(found, dict) and "between" not in self.columns:
            refuse_one_system(self, found, "compare" if self.data.most == 2 else "leaderboard")
            if self.data.most == 2:
                refuse_more_than_two(self, found)
        return found

    def beside(self, other: str) -> Inputs:
        """The same with another file, as a second system."""
        return _beside(self, other)

    def reading(self, **columns: Any) -> Inputs:
        """The same, with other columns."""
        own = {**self.columns, **columns}
        return replace(self, columns={k: x for k, x in own.items() if x is not None})


def _ways(context: click.Context) -> str:
    """The options that stand in place of a file."""
    own = [x.opts[0] for x in context.command.params if getattr(x, "group", "") == groups.SOURCES]
    found = ["--db", *(x for x in own if x not in ("--db", "--table", "--query"))]
    return f"{', '.join(found[:-1])} and {found[-1]}" if len(found) > 1 else found[0]


def _was_given(context: click.Context, name: str) -> bool:
    default = click.core.ParameterSource.DEFAULT
    return context.get_parameter_source(name) not in (default, None)


def taken(context: click.Context, verb: Verb, values: dict[str, Any]) -> Inputs:
    """What was given to take evidence from, removed from the values of the command."""
    columns = {k: values.pop(k) for k in list(values) if k in _OF_FILES}
    own = {k: values.pop(k) for k in list(values) if k in ("files", "db", "table", "query", "rows", *_TEXTS)}
    for name in ("counts", "rate", "matrix"):
        if name in own and not isinstance(own[name], tuple):
            own[name] = () if own[name] is None else (own[name],)
    typed = {k: x for k, x in verb.options.items() if x.source and _was_given(context, k)}
    from_file = click.core.ParameterSource.DEFAULT_MAP
    configured = frozenset(k for k in context.params if context.get_parameter_source(k) is from_file)
    if "files" in configured and (own.get("counts") or own.get("rate") or own.get("matrix") or own.get("db")):
        own["files"] = ()  # what is typed goes before what only the settings file names
    made = Inputs(
        **own,
        columns={k: v for k, v in columns.items() if _was_given(context, k)},
        data=verb.data or Data(),
        own={f"--{x.flag or k.replace('_', '-')}": x.alone for k, x in typed.items()},
        configured=configured,
        settings_file=context.meta.get(SETTINGS_FILE),
    )
    return _addressed(made)


_TEXTS: Final = ("counts", "rate", "matrix", "labels", "positive", "prevalence", "names")


def _beside(given: Inputs, baseline: str) -> Inputs:
    """The judged file and the baseline as two systems."""
    from howsure.io.formats import system_names

    if len(given.files) != 1:
        got = f"{len(given.files)} files" if given.files else "none"
        raise BadSetting(f"--baseline goes with one FILE, which is judged; got {got}")
    if not baseline or os.path.realpath(baseline) == os.path.realpath(given.files[0]):
        way = "two columns of one file need none: --pred new --pred old"
        raise BadSetting(f"--baseline needs another file than the one that is judged; got {baseline!r}; {way}")
    if "system" in given.columns:
        raise BadSetting("--baseline is a file of its own; --system tells the systems of one file apart: leave one out")
    if "pool" in given.columns:
        raise BadSetting("--pool makes one data set of several files: leave it out, or --baseline")
    if given.names and "independent" in given.columns:
        raise BadSetting("--independent files are called new and baseline: leave out --name")
    files = (*given.files, baseline)
    return replace(given, files=files, names=given.names or system_names(files))


def _offered_files(_context: click.Context, _argument: click.Parameter, start: str) -> list[Any]:
    """Names of files, which the shell knows."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(start, type="file")]


def _addressed(given: Inputs) -> Inputs:
    """An address in the place of a file is that of a database."""
    if len(given.files) != 1 or given.db is not None or ":" not in given.files[0]:
        return given
    from howsure.io.addresses import is_address

    return replace(given, db=given.files[0], files=()) if is_address(given.files[0]) else given


def _evidence(given: Inputs) -> Any:
    """The evidence of one table, or of all systems; a mapping of systems where they had different items."""
    source, kind = given.check(), given.data.kind
    target = None if given.prevalence is None else parse.prevalence(given.prevalence)
    return _in_target(_observed(given, source, kind), target)


def _in_target(found: Any, target: Any) -> Any:
    """The same, asked of a target with another share of positives, if there is one."""
    if target is None:
        return found
    from howsure.evidence.shifted import shifted

    if isinstance(found, dict):
        return {name: shifted(x, target) for name, x in found.items()}
    return [shifted(x, target) for x in found] if isinstance(found, list) else shifted(found, target)


def _observed(given: Inputs, source: str, kind: Literal["scores"] | None) -> Any:
    if source == "FILE":
        return _of_files(given, kind)
    if source == "--db":
        return _of_database(given, kind)
    return parse.tables(given.counts, given.rate, given.matrix, given.rows, given.labels, given.positive)


def _of_files(given: Inputs, kind: Literal["scores"] | None) -> Any:
    from howsure.cli.progress import watcher
    from howsure.io import entrance
    from howsure.io.streams import refuse_twice

    refuse_twice(given.files)
    columns, files = _plain(given), list(given.files)
    typed = click.get_current_context().find_object(Typed)
    if typed is not None:
        typed.files = given.files
    watch = watcher(given.files) if columns.get("engine") != "spark" and sys.stderr.isatty() else None
    apart, pool = columns.pop("independent", False), columns.pop("pool", False)
    take = functools.partial(entrance.evidence, kind=kind, watch=watch, wanted=_wanted(given, apart or pool))
    stratum, population = columns.pop("stratum", None), columns.pop("population", None)
    if entrance.are_logs(files, columns):
        refuse(
            "logs tell their own items", {**given.columns, "stratum": stratum}, "on", "pool", "independent", "stratum"
        )
        return take(files, **columns, names=given.names or None)
    if pool and len(files) == 1:
        raise BadSetting("--pool is for several files; only one was given")
    if stratum is not None or population is not None:
        _refuse_in_strata(given, columns)
        found = take(files, **_one_data_set(given, columns, pool, apart), by=[stratum])
        return found.stratified(parse.sizes(population))
    if len(files) == 1 or pool:
        return take(files, **_one_data_set(given, columns, pool, apart))
    refuse("each file holds a system", columns, "between")
    names = called(given, columns)
    if apart:
        refuse("--independent files have no items in common", columns, "on", "unmatched")
        return {name: take(file, **own) for name, file, own in each_file(names, files, columns)}
    if "on" not in columns and "cluster" not in columns:
        if kind == "scores":
            raise BadSetting(unjoined(len(files)))
        if not given.names:
            refuse_numbered(files)
    try:
        return take(dict(zip(names, files, strict=True)), **columns)
    except NoCommonId as error:
        raise BadSetting(unjoined(len(files), error.repeated)) from None


def _of_database(given: Inputs, kind: Literal["scores"] | None) -> Any:
    """As of one file, by the database's own counting."""
    from howsure.io import entrance
    from howsure.io.addresses import address

    if given.table is not None and given.query is not None:
        raise BadSetting("give one of --table and --query")
    columns = _plain(given)
    refuse("a database counts its own rows", columns, "engine", "remote", "pool")
    apart = columns.pop("independent", False)
    stratum, population = columns.pop("stratum", None), columns.pop("population", None)
    own = {**_one_data_set(given, columns, False, apart), "table": given.table, "query": given.query}
    wanted = _wanted(given, apart)
    take = functools.partial(entrance.evidence, address(str(given.db)).text, kind=kind, wanted=wanted, **own)
    if stratum is None and population is None:
        return take()
    _refuse_in_strata(given, columns)
    return take(by=[stratum]).stratified(parse.sizes(population))


def _wanted(given: Inputs, single: bool) -> Wanted:
    """What the command takes of each data set; `single` if that is one system."""
    from howsure.verbs.inputs import wanted

    found = wanted(str(click.get_current_context().command.name), given.data)
    return replace(found, least=1) if single or "between" in given.columns else found


def _one_data_set(given: Inputs, columns: Mapping[str, Any], pool: bool, apart: bool) -> dict[str, Any]:
    """The keywords of one file, or of files that are one: an id tells items there, and joins nothing."""
    from howsure.io.request import is_pattern

    why = "--pool makes one data set of the files" if pool else "one file" if given.db is None else "one table"
    refuse(why, {"independent": apart}, "independent")
    if "between" in columns:
        refuse("--between compares slices of one system", columns, "system", "by")
    elif "system" in columns:
        parse.refuse_names(given.names, len(given.names))
    else:
        refuse(why, columns, "unmatched", *(["on"] if pool else []))
        answers = answer_columns(columns)[1]
        if not any(is_pattern(name) for name in answers):
            parse.refuse_names(given.names, len(answers) or 1)
    whole = {k: v for k, v in columns.items() if k != "on"}
    return {**whole, "item": columns.get("on"), "names": given.names or None}


def _refuse_in_strata(given: Inputs, columns: Mapping[str, Any]) -> None:
    """A stratified sample is of classes or outcomes, and has one table a stratum."""
    if "stratum" not in given.columns or "population" not in given.columns:
        raise BadSetting("a stratified sample needs --stratum COLUMN and --population a=9000,b=200")
    why = "--stratum puts one table of classes or outcomes together"
    refuse(why, columns, "between", "by", "cluster", "value", "sep", "weight", "judge")
    many = len(columns.get("threshold", ()))
    refuse(why, {"score": "score" in columns and not many, "threshold": many > 1}, "score", "threshold")
    if len(given.files) > 1 and "pool" not in given.columns:
        raise BadSetting(f"{why}: pool its files with --pool, or leave out --stratum")


def _plain(given: Inputs) -> dict[str, Any]:
    """The keywords of the library."""
    columns: dict[str, Any] = {k: list(v) if isinstance(v, tuple) else v for k, v in given.columns.items()}
    if "score" in columns and "threshold" in columns and len(columns["score"]) == 1:
        columns["score"] = columns["score"][0]
    if "bounds" in columns:
        columns["bounds"] = parse.bounds(columns["bounds"])
    if given.labels is not None:
        columns["labels"] = parse.listed(given.labels)
    if given.positive is not None:
        columns["positive"] = given.positive
    return columns
