"""Options that several commands share."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from howsure.errors import BadFile, BadSetting
from howsure.render import formats

COLUMNS, QUESTION, SYSTEMS, SOURCES = "Columns of FILE", "Question", "Several systems", "Instead of FILE"
LOGS = "Logs of evaluation harnesses"
OUTPUT, RARE = "Output", "Less common"


class Command(click.Command):
    """A command whose help ends with its examples."""

    def __init__(self, *given: Any, examples: tuple[str, ...], **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.examples = examples  # its lines after `howsure NAME`

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
        for heading in (COLUMNS, LOGS, QUESTION, SYSTEMS, SOURCES, OUTPUT, RARE):
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


def option(*declared: str, **settings: Any) -> Once:
    """Return an option, in one of the groups of the help."""
    return Once(declared, **settings)


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


class Number(click.ParamType[float]):
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
            raise BadSetting(f"{called} needs a number, such as 0.95 or 95%; got {value!r}") from None


PLOTTED: Final = "howsure.plot"  # where the name of the chart is kept for cli.output.show
STRICT: Final = "howsure.strict"  # where --strict is kept for cli.output.show
VIEW: Final = "howsure.view"  # where --columns and --verbose are kept for cli.output.show


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


def _refuse_own_input(name: str, out: Path | None, context: click.Context) -> None:
    """What is written takes the place of what was there."""
    try:
        if out is None or not out.is_file():
            return
    except OSError as error:  # a name that is too long, say
        raise BadFile(f"cannot write {name} {str(out)!r}: {error.strerror or error}") from None
    if any(_same(out, path) for path in _read(context)):
        raise BadSetting(f"{name} {str(out)!r} is one of the input files, and would be overwritten; give another name")


def _same(out: Path, path: str) -> bool:
    try:
        return out.samefile("/dev/stdin" if path == "-" else path)
    except (OSError, ValueError):  # whoever reads it says what is wrong
        return False


def _read(context: click.Context) -> Iterator[str]:
    """The files that are read, those that a pattern means and those in a folder too."""
    from howsure.io.formats import matching

    given = context.params
    if given.get("db") is not None:
        from howsure.io.addresses import address

        with contextlib.suppress(BadSetting):  # whoever reads it says what is wrong
            yield address(str(given["db"])).place
    own = (x.name for x in context.command.params if x.name != "out" and _of_files(x))
    for found in (given.get(str(name)) or () for name in own):
        for path in found if isinstance(found, tuple) else (found,):
            for one in matching(str(path)):
                yield one
                if Path(one).is_dir():
                    yield from map(str, Path(one).rglob("*"))


def _of_files(one: click.Parameter) -> bool:
    return isinstance(one.type, FileName) or "FILE" in str(getattr(one, "metavar", ""))


OUT: Final = option(
    "--out",
    type=FileName(dir_okay=False),
    is_eager=True,  # --format looks at it
    group=OUTPUT,
    help="Write to this file; its suffix sets the format.",
)


def check_written(context: click.Context) -> None:
    """Refuse to write over what is read, and where nothing can be written, before any work is done."""
    out, drawn = context.params.get("out"), context.meta.get(PLOTTED)
    for name, path in (("--out", out), ("--plot", drawn)):
        _refuse_own_input(name, path, context)
    _check_places(out, drawn)


def format_option(among: Sequence[formats.Format]) -> Once:
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


_WORDY: Final = "howsure.verbose"


def _wordy(context: click.Context, _option: click.Parameter, given: bool) -> None:
    context.meta[_WORDY] = given


def _viewed(context: click.Context, _option: click.Parameter, given: str | None) -> None:
    asked = formats.view("" if given is None else given, context.meta.get(_WORDY, False))
    if given is not None and not asked.columns:
        raise BadSetting(f"--columns takes names of columns, such as mean,route; got {given!r}")
    context.meta[VIEW] = asked


_VIEW: Final = (
    option(
        "--columns",
        metavar="mean,route",
        callback=_viewed,
        expose_value=False,
        group=OUTPUT,
        help="More columns: mean, median, std, n or route.",
    ),
    option(
        "--verbose",
        is_flag=True,
        is_eager=True,
        callback=_wordy,
        expose_value=False,
        group=OUTPUT,
        help="Show every note, the prior, and more columns.",
    ),
)


def written(among: Sequence[formats.Format], viewed: bool = True) -> tuple[Once, ...]:
    """The options of the output of a result; `viewed` if its table can show more."""
    return (format_option(among), *(_VIEW if viewed else ()), OUT, _STRICT, _PLOT)


def listed(among: Sequence[formats.Format]) -> tuple[Once, ...]:
    """The options of the output of a list."""
    return (format_option(among), OUT)
