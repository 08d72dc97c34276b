"""Files and their columns on the command line: the options that name them, and the tallies they make."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from howsure.errors import BadSetting
from howsure.evidence.classes import Tally
from howsure.evidence.items import Items

if TYPE_CHECKING:
    from howsure.ingest.values import Graded

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Ask:
    """What was said of files."""

    files: tuple[str, ...]
    truth: str | None
    pred: tuple[str, ...]
    outcome: tuple[str, ...]
    by: tuple[str, ...]
    where: tuple[str, ...]
    weight: str | None
    count: str | None
    missing: str
    score: str | None
    threshold: tuple[float, ...]
    engine: str
    remote: str | None
    value: tuple[str, ...] = ()
    cluster: str | None = None
    better: str = "higher"
    bounds: str | None = None
    stratum: str | None = None
    population: str | None = None
    on: tuple[str, ...] = ()
    unmatched: str = "refuse"
    independent: bool = False

    @property
    def given(self) -> bool:
        """Whether there is a file to read; a column without one is an error."""
        if self.files:
            return True
        named = (
            "truth",
            "pred",
            "outcome",
            "by",
            "where",
            "weight",
            "count",
            "score",
            "threshold",
            "on",
            "remote",
            "value",
            "cluster",
            "bounds",
            "stratum",
            "population",
        )
        stray = next((name for name in named if getattr(self, name)), None)
        if stray is not None:
            raise BadSetting(f"--{stray} names what is in a file: give the FILE too, or - for standard input")
        return False

    def columns(self) -> dict[str, Any]:
        """The keywords of a request."""
        return {
            "truth": self.truth,
            "pred": list(self.pred) or None,
            "outcome": list(self.outcome) or None,
            "score": self.score,
            "threshold": list(self.threshold) or None,
            "by": list(self.by) or None,
            "weight": self.weight,
            "count": self.count,
            "missing": self.missing,
        }


SORT = click.option(
    "--sort",
    default="worse",
    show_default=True,
    metavar="worse|better|name|n|score",
    help="Order of slices; worse: most surely worse than the rest first.",
)
_FILES = click.argument("files", nargs=-1, metavar="[FILE]...")
_COLUMNS = (
    click.option("--truth", metavar="COLUMN", help="The column of right answers."),
    click.option("--pred", multiple=True, metavar="COLUMN", help="A column of predictions; repeat for more systems."),
    click.option("--outcome", multiple=True, metavar="COLUMN", help="A column of passes and fails; repeat for more."),
    click.option("--value", multiple=True, metavar="COLUMN", help="A column of graded values; repeat for more."),
    click.option("--bounds", metavar="0,1", help="The least and the greatest value that an item can have."),
    click.option("--cluster", metavar="COLUMN", help="What groups values that belong together; whole groups count."),
    click.option(
        "--better",
        type=click.Choice(["higher", "lower"]),
        default="higher",
        show_default=True,
        help="Which values are better.",
    ),
    click.option("--by", multiple=True, metavar="COLUMN", help="Slice by this column; repeat for more."),
    click.option("--where", multiple=True, metavar="COLUMN=VALUE", help="Rows to take; also != < <= > >=; repeat."),
    click.option("--weight", metavar="COLUMN", help="The column of weights."),
    click.option("--count", metavar="COLUMN", help="The column of counts, where the rows are counted already."),
    click.option(
        "--missing",
        default="refuse",
        show_default=True,
        metavar="refuse|drop|wrong",
        help="Missing labels: refuse the data, drop the item, or count the prediction as wrong.",
    ),
    click.option("--score", metavar="COLUMN", help="A column of scores, cut by --threshold."),
    click.option("--threshold", multiple=True, type=float, help="Scores from here on are positive; repeat for more."),
    click.option(
        "--engine",
        type=click.Choice(["duckdb", "spark"]),
        default="duckdb",
        show_default=True,
        help="What counts the rows.",
    ),
    click.option("--remote", metavar="sc://HOST", help="The Spark Connect server of --engine spark."),
)
_PAIRS = (
    click.option("--on", multiple=True, metavar="COLUMN", help="The id that joins the items of several files; repeat."),
    click.option(
        "--unmatched",
        default="refuse",
        show_default=True,
        metavar="refuse|drop",
        help="Items that cannot be paired: refuse the files, or leave them out.",
    ),
    click.option("--independent", is_flag=True, help="The files hold different items."),
)


def _taking(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """A decorator that adds the options and hands them over as one value, `ask`."""

    def decorate(command: F) -> F:
        names = set(Ask.__dataclass_fields__)

        @functools.wraps(command)
        def inner(**values: Any) -> Any:
            own = {name: values.pop(name) for name in names & set(values)}
            return command(ask=Ask(**own), **values)

        made: Any = inner
        for option in reversed(options):
            made = option(made)
        return made  # type: ignore[no-any-return]

    return decorate


_STRATA = (
    click.option("--stratum", metavar="COLUMN", help="The stratum of a stratified sample."),
    click.option("--population", metavar="a=9000,b=200", help="The population size of every stratum."),
)
files_of_one = _taking(_FILES, *_COLUMNS, *_STRATA)
files_of_many = _taking(_FILES, *_COLUMNS, *_PAIRS)


def tally(
    ask: Ask, positive: str | None = None, labels: str | None = None, names: tuple[str, ...] = ()
) -> Tally | Items:
    """All files as shards of one data set."""
    if ask.value:
        return _items(ask, names)
    if ask.stratum is not None or ask.population is not None:
        return _stratified(ask, positive, labels)
    from howsure.cli.progress import watcher
    from howsure.ingest import request
    from howsure.ingest.files import tally_files

    classes = [x.strip() for x in labels.split(",")] if labels else None
    wanted = request.make(**ask.columns(), positive=positive, labels=classes, systems=names)
    if ask.engine == "spark":
        from howsure.ingest.spark import tally_paths

        return tally_paths(ask.files, wanted, ask.where, ask.remote)
    if ask.remote is not None:
        raise BadSetting("--remote is the address of a Spark Connect server; it goes with --engine spark")
    return tally_files(ask.files, wanted, ask.where, watcher(ask.files))


def _stratified(ask: Ask, positive: str | None, labels: str | None) -> Tally:
    """A stratified sample, put together by the population sizes of its strata."""
    if ask.stratum is None or ask.population is None:
        raise BadSetting("a stratified sample needs --stratum COLUMN and --population a=9000,b=200")
    if ask.by:
        raise BadSetting("a stratified sample is scored as a whole: leave out --by")
    sizes: dict[str, float] = {}
    for part in ask.population.split(","):
        name, equals, size = part.rpartition("=")
        try:
            sizes[name.strip()] = float(size)
        except ValueError:
            equals = ""
        if not equals:
            raise BadSetting(f"--population takes stratum=size, such as a=9000,b=200; got {part!r}")
    found = tally(replace(ask, stratum=None, population=None, by=(ask.stratum,)), positive, labels)
    assert isinstance(found, Tally)  # noqa: S101 - narrows the type
    return found.stratified(sizes)


def _items(ask: Ask, names: tuple[str, ...]) -> Items:
    """Columns of graded values, one a system."""
    from howsure.cli.progress import watcher
    from howsure.ingest.values import items_of_files

    if names and len(names) != len(ask.value):
        raise BadSetting(f"--name is given once for each of the {len(ask.value)} systems; got {len(names)}")
    shown = names or ask.value
    return items_of_files(ask.files, ask.value, shown, _graded(ask), ask.where, watcher(ask.files))


def _graded(ask: Ask) -> Graded:
    from howsure.ingest.values import Graded

    stray = [x for x in ("truth", "pred", "outcome", "by", "count", "score", "threshold") if getattr(ask, x)]
    if stray or ask.engine == "spark":
        raise BadSetting(f"--value takes graded values: leave out --{stray[0] if stray else 'engine spark'}")
    ends = None
    if ask.bounds is not None:
        try:
            low, high = (float(x) for x in ask.bounds.split(","))
            ends = (low, high)
        except ValueError:
            raise BadSetting(f"--bounds takes two numbers, such as 0,1; got {ask.bounds!r}") from None
    return Graded(ask.weight, ask.cluster, ask.better, ends, ask.missing)


def joint(ask: Ask, names: tuple[str, ...], positive: str | None = None) -> Tally | Items:
    """Several systems on the same items: columns of one file, or files joined on ids."""
    columns = ask.pred or ask.outcome or ask.value
    if len(ask.files) == 1 or (
        len(columns) > 1 and not ask.on and not ask.independent and len(ask.files) != len(columns)
    ):
        return tally(ask, positive, None, names)
    return _joined(ask, names, positive)


def apart(ask: Ask, names: tuple[str, ...], positive: str | None = None) -> dict[str, Tally | Items]:
    """One tally a file, of systems tested on different items."""
    if ask.on:
        raise BadSetting("--independent files have no items in common: leave out --on")
    columns, shown = _systems(ask, names)
    found: dict[str, Tally | Items] = {}
    for name, file, column in zip(shown, ask.files, columns, strict=True):
        chosen: Any = {"pred" if ask.pred else "value" if ask.value else "outcome": (column,)}
        found[name] = tally(replace(ask, files=(file,), **chosen), positive)
    return found


def _joined(ask: Ask, names: tuple[str, ...], positive: str | None) -> Tally | Items:
    from howsure.cli.progress import watcher
    from howsure.ingest import request
    from howsure.ingest.pairing import tally_joined

    if not ask.on:
        raise BadSetting(
            f"{len(ask.files)} files: name the id that joins their items with --on, or give --independent; "
            "rows are never paired by their order"
        )
    if ask.score is not None or ask.engine == "spark":
        raise BadSetting("files joined on ids take --pred or --outcome, and the duckdb engine")
    columns, shown = _systems(ask, names)
    if ask.value:
        from howsure.ingest.values import items_joined

        how = _graded(ask)
        return items_joined(ask.files, columns, shown, ask.on, how, ask.where, ask.unmatched, watcher(ask.files))
    kind = "pred" if ask.pred else "outcome"
    wanted = request.make(**{**ask.columns(), kind: list(shown)}, positive=positive)
    return tally_joined(ask.files, wanted, columns, ask.on, ask.where, ask.unmatched, watcher(ask.files))


def _systems(ask: Ask, names: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The answer column of each file, and what to call the systems."""
    from howsure.ingest.sniffing import system_names

    columns = ask.pred or ask.outcome or ask.value
    many = len(ask.files)
    if len(columns) not in (1, many):
        raise BadSetting(
            f"{many} files take one --pred (or --outcome, or --value) for all, or one for each; got {len(columns)}"
        )
    each = columns * many if len(columns) == 1 else columns
    if names and (len(names) != many or len(set(names)) != many):
        raise BadSetting(f"--name is given once for each of the {many} systems, all different; got {len(names)}")
    return each, names or (each if len(set(each)) == many else system_names(ask.files))
