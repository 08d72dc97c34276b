"""Options that several commands share."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from howsure.errors import BadFile, BadSetting
from howsure.render import formats
from howsure.results import verbs
from howsure.validate import AUTO

COLUMNS, QUESTION, SYSTEMS, SOURCES = "Columns of FILE", "Question", "Several systems", "Instead of FILE"
OUTPUT, RARE = "Output", "Less common"


class Command(click.Command):
    """A command whose help ends with its examples."""

    def __init__(self, *given: Any, examples: tuple[str, ...] = (), **settings: Any) -> None:
        super().__init__(*given, **settings)
        self._examples = examples

    @property
    def examples(self) -> tuple[str, ...]:
        """Its lines after `howsure NAME`, those of its verb unless given; no verb is imported to make a command."""
        return self._examples or verbs.verb(str(self.name)).examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples line by line; long ones are continued."""
        del ctx
        lines = [x for line in self.examples for x in _continued(f"  howsure {self.name} {line}")]
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n".join(["\b", "Examples:", *lines]))


_WIDEST: Final = 74


def _continued(line: str) -> list[str]:
    """Lines of at most 74 columns, broken before options."""
    if len(line) <= _WIDEST or (end := line.rfind(" --", 0, _WIDEST)) < 0:
        return [line]
    return [f"{line[:end]} \\", *_continued(f"    {line[end + 1 :]}")]


class Grouped(Command):
    """A command whose help shows its options in groups, first what most people need."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every group under its heading, all help texts in one column."""
        for heading in (COLUMNS, QUESTION, SYSTEMS, SOURCES, OUTPUT, RARE):
            own = [x for x in self.get_params(ctx) if getattr(x, "group", RARE) == heading]
            told = [x.get_help_record(ctx) for x in own if isinstance(x, click.Option)]
            rows = [(row[0].ljust(_WIDTH), row[1]) for row in told if row is not None]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows, col_max=_WIDTH)


_WIDTH: Final = 24  # of the options in the help; longer ones have a line of their own


class Once(click.Option):
    """An option that is refused when it is given twice: the last one would win in silence."""

    def __init__(self, *declared: Any, group: str = RARE, **settings: Any) -> None:
        super().__init__(*declared, **settings)
        self.group = group

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """What the Tab key offers, by the option's name and by what it takes."""
        from click.shell_completion import CompletionItem

        from howsure.cli.completion import of_option

        found = of_option(self.opts[0], self.metavar or "", incomplete)
        return super().shell_complete(ctx, incomplete) if found is None else [CompletionItem(x) for x in found]

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """As any option, but the second time is an error."""
        super().add_to_parser(parser, ctx)
        if self.multiple or self.is_flag:
            return
        for name in self.opts:
            own = parser._long_opt.get(name) or parser._short_opt.get(name)
            if own is not None:
                own.process = _once(own, own.process, name)


def _once(own: Any, process: Callable[[Any, Any], None], name: str) -> Callable[[Any, Any], None]:
    def checked(value: Any, state: Any) -> None:
        if own.dest in state.opts:
            raise click.UsageError(f"{name} is given twice, as {state.opts[own.dest]!r} and as {value!r}: give it once")
        process(value, state)

    return checked


class Named:
    """A decorator that adds an option, and knows its name."""

    def __init__(self, *declared: str, **settings: Any) -> None:
        self.name = next((x for x in declared if not x.startswith("-")), declared[0].lstrip("-").replace("-", "_"))
        self._add = click.option(*declared, cls=Once, **settings)

    def __call__(self, command: Any) -> Any:
        return self._add(command)


option = Named


class FileName(click.Path):
    """A path that is not empty: an empty one would be the folder one is in."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(path_type=Path, **settings)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As any path."""
        if value == "":
            called = param.opts[0] if isinstance(param, click.Option) else param.human_readable_name if param else "it"
            raise BadSetting(f"{called} needs the name of a file; got ''")
        return super().convert(value, param, ctx)


class ShareOrPercent(click.ParamType[float]):
    """A number, or a percentage: 95% is 0.95."""

    name = "float"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; whether it is in range is told by who takes it."""
        del ctx
        text = str(value).strip()
        try:
            return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
        except ValueError:
            called = param.opts[0] if param is not None else "it"
            raise BadSetting(f"{called} needs a share, such as 0.95 or 95%; got {value!r}") from None


class Out(Named):
    """The option --out; a file that the command reads is refused there. Results can be drawn too: --plot."""

    def __init__(self, *declared: str, drawn: bool, **settings: Any) -> None:
        super().__init__(*declared, **settings)
        self._drawn = drawn

    def __call__(self, command: Any) -> Any:
        @functools.wraps(command)
        def checked(*arguments: Any, **values: Any) -> Any:
            context = click.get_current_context()
            for name, path in (("--out", context.params.get("out")), ("--plot", context.meta.get(PLOTTED))):
                _refuse_own_input(name, path, context.params)
            _check_places(context.params.get("out"), context.meta.get(PLOTTED))
            return command(*arguments, **values)

        return super().__call__(_STRICT(_PLOT(checked)) if self._drawn else checked)


PLOTTED: Final = "howsure.plot"  # where the name of the chart is kept for cli.output.show
STRICT: Final = "howsure.strict"  # where --strict is kept for cli.output.show


def _plotted(context: click.Context, _option: click.Parameter, path: Path | None) -> None:
    """A chart that cannot be written is refused before any work is done."""
    if path is None:
        return
    from howsure.charts.chart import check_installed, suffix_of

    if suffix_of(path, "--plot") != ".json":
        check_installed()
    out: Path | None = context.params.get("out")
    if out is not None and (os.path.realpath(out) == os.path.realpath(path) or _same(path, str(out))):
        raise BadSetting(f"--out and --plot name the same file, {str(path)!r}; give another name to one of them")
    context.meta[PLOTTED] = path


_PLOT: Final = option(
    "--plot",
    type=FileName(dir_okay=False),
    callback=_plotted,
    expose_value=False,
    group=OUTPUT,
    help=f"Draw it too: {', '.join(f'.{name}' for name in formats.PICTURES)}.",
)


def _strict(context: click.Context, _option: click.Parameter, given: bool) -> None:
    context.meta[STRICT] = given


_STRICT: Final = option(
    "--strict",
    is_flag=True,
    callback=_strict,
    expose_value=False,
    group=OUTPUT,
    help="Exit with code 2 if there is a warning.",
)


def _check_places(*paths: Path | None) -> None:
    """Where a file cannot be written, that is said before any work is done, and before another one is written."""
    for path in paths:
        if path is not None:
            from howsure import atomic

            atomic.check(path)


def _refuse_own_input(name: str, out: Path | None, given: dict[str, Any]) -> None:
    """What is written takes the place of what was there."""
    try:
        if out is None or not out.is_file():
            return
    except OSError as error:  # a name that is too long, say
        raise BadFile(f"cannot write {name} {str(out)!r}: {error.strerror or error}") from None
    if any(_same(out, path) for path in _read(given)):
        raise BadSetting(f"{name} {str(out)!r} is one of the input files, and would be overwritten; give another name")


def _same(out: Path, path: str) -> bool:
    try:
        return out.samefile("/dev/stdin" if path == "-" else path)
    except (OSError, ValueError):  # whoever reads it says what is wrong
        return False


def _read(given: dict[str, Any]) -> Iterator[str]:
    """The files that are read, those that a pattern means and those in a folder too."""
    from howsure.io.format import matching

    if given.get("db") is not None:
        from howsure.io.addresses import address

        with contextlib.suppress(BadSetting):  # whoever reads it says what is wrong
            yield address(str(given["db"])).place
    for name in ("files", "matrix", "qrels", "runs", "baseline", "config"):
        found = given.get(name) or ()
        for path in found if isinstance(found, tuple) else (found,):
            for one in matching(str(path)):
                yield one
                if Path(one).is_dir():
                    yield from map(str, Path(one).rglob("*"))


def _out(drawn: bool) -> Out:
    return Out(
        "--out",
        drawn=drawn,
        type=FileName(dir_okay=False),
        is_eager=True,  # --format looks at it
        group=OUTPUT,
        help="Write to this file; its suffix sets the format.",
    )


OUT, OUT_OF_LIST = _out(drawn=True), _out(drawn=False)


def format_option(among: Sequence[formats.Format]) -> Callable[[Any], Any]:
    """The option --format; without it the suffix of --out tells, and where there is none it is a table."""

    def settled(context: click.Context, _option: click.Parameter, kind: str | None) -> str:
        out: Path | None = context.params.get("out")
        if kind is None:
            return "table" if out is None or not out.suffix else formats.by_suffix(out, among, "give --format").name
        if out is None and formats.named(kind).columns:
            raise BadSetting(f"--format {kind} writes a file: name it with --out")
        return kind

    return option(
        "--format",
        "kind",
        type=click.Choice([form.name for form in among]),
        metavar="NAME",
        callback=settled,
        group=OUTPUT,
        help=f"{formats.names(among[:-1])} or {among[-1].name}.",
    )


class Shown(Named):
    """The options --columns and --verbose, together the view that a command is given."""

    def __call__(self, command: Any) -> Any:
        @functools.wraps(command)
        def viewed(*arguments: Any, shown: str | None, verbose: bool, **values: Any) -> Any:
            asked = formats.view("" if shown is None else shown, verbose)
            if shown is not None and not asked.columns:
                raise BadSetting(f"--columns takes names of columns, such as mean,route; got {shown!r}")
            formats.for_detail(values["kind"], asked)
            return command(*arguments, view=asked, **values)

        return super().__call__(_VERBOSE(viewed))


_VERBOSE = option("--verbose", is_flag=True, group=OUTPUT, help="Show every note, the prior, and more columns.")
VIEW = Shown(
    "--columns",
    "shown",
    metavar="mean,route",
    group=OUTPUT,
    help="More columns: mean, median, std, n or route.",
)
PRIOR = option(
    "--prior",
    default="even",
    show_default=True,
    help="even, jeffreys, uniform, two-level or a weight.",
)
LEVEL = option(
    "--level",
    type=ShareOrPercent(),
    default=0.95,
    show_default=True,
    group=QUESTION,
    help="Probability of the interval.",
)
INTERVAL = option(
    "--interval",
    default=AUTO,
    show_default=True,
    metavar="KIND",
    help="auto, equal-tailed or hdi.",
)
SEED = option("--seed", type=int, default=0, show_default=True, help="Seed of what is sampled.")
FORMAT = format_option(formats.TEXTS)
COLUMNAR = format_option(formats.fitting("score", columns=True))
OF_GATES = format_option(formats.fitting("gate"))
EACH_COUNTS = option(
    "--counts",
    multiple=True,
    metavar="tp=80,fp=20,fn=30,tn=870",
    group=SOURCES,
    help="The 2x2 table of a system; repeat.",
)
EACH_RATE = option("--rate", multiple=True, metavar="47/50", group=SOURCES, help="Hits of trials of a system; repeat.")
MATRICES = option(
    "--matrix",
    multiple=True,
    type=FileName(),
    group=SOURCES,
    help="A CSV file with a confusion matrix; repeat.",
)
ROWS = option(
    "--rows",
    type=click.Choice(["truth", "pred"]),
    default="truth",
    show_default=True,
    help="What the rows of --matrix are.",
)
LABELS = option("--labels", metavar="a,b,c", help="The classes, in the order of --matrix.")
POSITIVE = option("--positive", metavar="LABEL", group=QUESTION, help="The positive class, such as spam.")
PREVALENCE = option(
    "--prevalence",
    metavar="0.01|0.005..0.02|12/3000",
    group=QUESTION,
    help="As if positives had this share: known, between two, or so many of a sample.",
)
TOLERANCE = option(
    "--tolerance",
    type=float,
    default=0.02,
    show_default=True,
    help="How far a sampled interval end may be off, in standard deviations.",
)


def _sort(last: str) -> Named:
    orders = f"worse|better|name|n|{last}"
    return option(
        "--sort", default="worse", show_default=True, metavar=orders, group=OUTPUT, help="Order of slices of --by."
    )


SORT, SORT_PAIRS = _sort("score"), _sort("difference")
METRICS = option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    group=QUESTION,
    help="A measure, such as f1 or f1:spam; repeat for more; 'f1:*' is every class. All: howsure metrics",
)
