"""Kinds of result dicts: what each one shows, declared by the verb that makes it and found by the schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal

from howsure.errors import BadSetting

if TYPE_CHECKING:
    from howsure.charts.chart import Chart

ResultDict = dict[str, Any]
Row = Any  # of a result dict a dict; a grid has rows of its own
Holds = Literal["words", "count", "number", "interval", "probability"]
Points = Mapping[str, Callable[[], Any]]  # what charts show beyond a result dict, by name: densities and lines
Charts = dict[str, "Callable[[], Chart]"]  # by name, the most telling first
Answers = list[tuple[str, list[str]]]  # a question, and the sentences that answer it
Directions = Mapping[str, str | None]  # of metrics: "higher" or "lower", if one side is better
Assumption = tuple[str, str]  # what is assumed, and what would break it


@dataclass(frozen=True)
class TableColumn:
    """A column of a table, by the key that people name it by.

    `leaves` is its turn to leave a page that is too narrow, the lowest first; None stays.
    """

    key: str
    title: str
    cell: Callable[[Row], str] = str
    holds: Holds = "number"
    shown: bool = True  # by default; if not, it is there for the asking
    leaves: float | None = None

    @property
    def right(self) -> bool:
        """Whether it is aligned to the right."""
        return self.holds != "words"


_KINDS: Final[dict[str, ResultKind]] = {}  # of the modules that are imported, by the name in their schema


@dataclass(frozen=True)
class ResultKind:
    """One kind of result dict: its columns, its headline and charts, and what a report says of it.

    Tables, Markdown, LaTeX and HTML show the columns; programs get every field of every row, in full precision.
    """

    name: str  # of the schema: "curve" of howsure.curve/1
    columns: Callable[[ResultDict, Sequence[Row]], Sequence[TableColumn]]
    rows: Callable[[ResultDict], Sequence[Row]] = lambda result: result["rows"]  # that the table shows
    headline: Callable[[ResultDict], str] | None = None  # what was found, if that is no verdict and no score
    notes: Callable[[ResultDict, list[str]], list[str]] = lambda _, texts: texts  # with those that the table adds
    every_note: bool = False  # also the technical ones, where there is no --verbose that would show them
    bars: Literal["row", "difference"] | None = None  # the part of a row whose interval is drawn beside it
    charts: Callable[[ResultDict, Points], Charts] = lambda *_: {}
    lead: Callable[[ResultDict], Sequence[Row]] = lambda _: ()  # rows of a table that stands before it
    about: Callable[[ResultDict], list[str]] | None = None  # what the headline rests on, if that is not the usual
    finding: Callable[[ResultDict], str] | None = None  # in a sentence, if it is no verdict and no headline score
    title: str | Callable[[ResultDict, list[str]], str] = ""  # of its report: the question, of these systems
    answers: Callable[[ResultDict, Directions], Answers] | None = None  # if it answers more than its headline does
    assumptions: Callable[[ResultDict], Iterable[Assumption]] = lambda _: ()
    sampled: bool = True  # if not, what holds of samples, labels and priors is not assumed
    labels: Assumption | None = None  # what is assumed of its labels, if that is not the usual
    unit: str = "item"  # of which samples consist
    clusters: bool = False  # whether units that go together can be named
    columnar: bool = False  # whether its rows can be had as arrays, for files of columns

    def __post_init__(self) -> None:
        _KINDS[self.name] = self


def later(name: str) -> Callable[..., Any]:
    """Return the function of that name, such as "charts.systems:compare", imported when it is called."""
    module, _, function = name.partition(":")

    def imported(*given: Any) -> Any:
        return getattr(import_module(f"howsure.{module}"), function)(*given)

    return imported


def kind_name(result: Mapping[str, Any]) -> str:
    """Return what a result dict is of, by its schema: score, gate, ..."""
    return str(result.get("schema") or "").removeprefix("howsure.").partition("/")[0]


def kind_of(result: Mapping[str, Any]) -> ResultKind:
    """Return the kind of a result dict."""
    from howsure import _VERBS

    name = kind_name(result)
    if name not in _KINDS and name in _VERBS:
        import_module(f"howsure.{_VERBS[name]}")
    if name not in _KINDS:  # read from a file, say: whoever makes it is not imported yet
        _import_all()
    if name not in _KINDS:
        raise BadSetting(f"this is no result of howsure: its schema is {result.get('schema')!r}.")
    return _KINDS[name]


def _import_all() -> None:
    """Import the module of every public function."""
    for package in map(import_module, ("howsure", "howsure.relations")):
        for name in package._HOME:
            getattr(package, name)
