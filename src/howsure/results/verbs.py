"""Verbs: what each public verb declares once, in its own file, and the registry that finds it.

A verb's file ends with `VERB = Verb(...)`. The command and its options, the web API, the report, the charts and the
docs are made from it: keywords become options, with the types and defaults of the function's signature and the first
sentences of its docstring. The names of the verbs and their modules stand in `howsure/__init__.py`; no other file names
a verb.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Final, Literal, Protocol

from howsure.render.kinds import ResultKind

FOUR: Final = {"tp": 80, "fp": 20, "fn": 30, "tn": 870}
EXAMPLE: Final = "examples/breast_cancer.csv --positive malignant"  # in examples of the command
DONE: Final[Mapping[str, int]] = {}  # the command ends with 0, whatever the answer is
Reads = Literal["text", "number", "numbers", "whole", "flag", "file", "limits"]
Group = Literal["Columns of FILE", "Question", "Several systems", "Instead of FILE", "Output", "Less common"]


@dataclass(frozen=True)
class Option:
    """A keyword as an option of the command; empty fields are filled by the docstring, the signature and `SHARED`."""

    help: str = ""
    metavar: str = ""
    reads: Reads | None = None
    example: str = ""  # if that is not the metavar
    many: bool = False  # it may be repeated
    choices: tuple[str, ...] = ()
    default: str = ""  # what the help shows
    group: Group | None = None
    flag: str = ""  # what is typed, if that is not the keyword
    argument: bool = False  # it has no flag: what is typed at its place
    required: bool = False
    parts: int = 1  # words of a value
    alone: tuple[str, ...] = ()  # of data that take the place of a FILE: options that do not go with these

    @property
    def shown(self) -> str:
        """A value of it."""
        return self.example or self.metavar

    @property
    def source(self) -> bool:
        """Whether it holds data, in place of a file."""
        return self.group == "Instead of FILE"


VALUES: Final = Option(argument=True, many=True, metavar="NAME=VALUE...")  # values of metrics
SHARED: Final[Mapping[str, Option]] = {  # keywords that mean the same in every verb, in the order of the help
    "metrics": Option(
        "A metric, such as f1 or f1:spam; repeat for more; 'f1:*' is every class. All: howsure metrics",
        metavar="NAME",
        many=True,
        flag="metric",
    ),
    "equal_within": Option("Also the probability of differing by no more.", reads="number"),
    "prior": Option("even, jeffreys, uniform, two-level or a weight.", default="even", group="Less common"),
    "level": Option("Probability of the interval.", reads="number", default="0.95"),
    "interval": Option("auto, equal-tailed or hdi.", metavar="KIND", default="auto", group="Less common"),
    "tolerance": Option(
        "How far a sampled interval end may be off, in standard deviations.",
        reads="number",
        default="0.02",
        group="Less common",
    ),
    "seed": Option("Seed of what is sampled.", reads="whole", default="0", group="Less common"),
}
_FIRST: Final = ("metrics", "equal_within")  # before a verb's own; the others come after these
_TYPES: Final[Mapping[str, Reads]] = {"bool": "flag", "int": "whole", "float": "number"}


class DataGiven(Protocol):
    """What the command was given besides the keywords of a verb."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files."""

    @property
    def columns(self) -> Mapping[str, Any]:
        """The options of columns that were given."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of systems."""

    @property
    def settings_file(self) -> str | None:
        """The file that options were read from, if there was one."""

    @property
    def configured(self) -> frozenset[str]:
        """The keywords that only the settings file gives."""

    def evidence(self) -> Any:
        """The evidence of one data set, or a mapping from name to evidence of systems that had different items."""

    def beside(self, other: str) -> DataGiven:
        """The same with another file, as a second system."""
        ...

    def reading(self, **columns: Any) -> DataGiven:
        """The same, with other columns."""
        ...


@dataclass(frozen=True)
class Data:
    """What a verb takes of data."""

    least: int = 1  # systems
    most: int = 12
    by: bool = True  # slices
    cuts: bool = False  # scores at a threshold
    tables: Literal["one", "several"] = "one"  # of counts
    kind: Literal["scores"] | None = None  # if it is one kind only
    without: tuple[str, ...] = ()  # options that mean nothing to it


Line = tuple[tuple[Any, ...], Mapping[str, Any]]  # the arguments of a call, by place and by name


@dataclass(frozen=True)
class WebQuestion:
    """What the web API takes for a verb."""

    shapes: tuple[str, ...] = ("table",)  # of its data, one of which is given: see howsure.web.shapes
    example: Mapping[str, Any] = field(
        default_factory=lambda: {"counts": {"tp": 80, "fp": 20, "fn": 30, "tn": 870}, "metrics": ["f1"]}
    )
    also: tuple[str, ...] = ()  # options that are no keywords of the function
    only: tuple[str, ...] | None = None  # if not all keywords
    then: Mapping[str, str] = field(default_factory=dict)  # methods of the result, by the option that asks for them
    line: Callable[[Mapping[str, Any], Mapping[str, Any], Any], Line] | None = None  # of values: the call in Python


@dataclass(frozen=True)
class Verb:
    """A public verb: its function, the kinds of result dicts that it makes, and what its surfaces need beyond these."""

    function: Callable[..., Any]
    kinds: tuple[ResultKind, ...] = ()
    help: str = ""  # of the command, after its summary
    examples: tuple[str, ...] = ()  # of the command, after its name; they run from the root of the clone
    codes: Mapping[str, int] = field(default_factory=lambda: DONE)  # exit codes of the command, by the result's status
    data: Data | None = None  # if it takes data
    table: Mapping[str, Option | None] = field(default_factory=dict)  # what the signature cannot say; None: not typed
    typed: Callable[..., Any] | None = None  # from DataGiven and keywords to the result, if the function does not do
    configured: bool = False  # whether its options may stand in a settings file
    instead: Mapping[str, str] = field(default_factory=dict)  # of options that it lacks: what to type
    question: WebQuestion | None = None  # if the web API takes it

    @property
    def name(self) -> str:
        """The name of the function, of the command and of the path of the API."""
        return self.function.__name__

    @cached_property
    def keywords(self) -> Mapping[str, Any]:
        """The parameters of the function after its data, by name."""
        from inspect import signature

        return {k: p for k, p in signature(self.function).parameters.items() if p.kind is p.KEYWORD_ONLY}

    @cached_property
    def options(self) -> dict[str, Option]:
        """The options of the command by their keywords, in the order of the help."""
        told = parameters(self.function.__doc__ or "")
        given = {k: p for k, p in self.keywords.items() if k not in self.table and not self._elsewhere(k)}
        own = {k: _option(k, p, told.get(k, "")) for k, p in given.items()}
        own |= {k: _filled(k, x, told.get(k, "")) for k, x in self.table.items() if x is not None}
        first = {k: own[k] for k in own if own[k].argument}
        last = [k for k in SHARED if k in own and k not in _FIRST]
        first |= {k: own[k] for k in _FIRST if k in own}
        return first | {k: x for k, x in own.items() if k not in first and k not in last} | {k: own[k] for k in last}

    @cached_property
    def asked(self) -> dict[str, Option]:
        """The options that the web API takes."""
        q = self.question or WebQuestion()
        own = [k for k, x in self.options.items() if k in self.keywords and not x.source] if q.only is None else q.only
        return {k: x for k, x in self.options.items() if k in own or k in q.also}

    def _elsewhere(self, name: str) -> bool:
        """Whether another keyword means the same, or the data have it."""
        return (name == "metric" and "metrics" in self.keywords) or (name == "names" and self.data is not None)

    def run(self, given: DataGiven, keywords: Mapping[str, Any]) -> Any:
        """The result of what the command was given."""
        if self.typed is not None:
            return self.typed(given, **keywords)
        return self.function(given.evidence(), **keywords)


def _option(name: str, parameter: Any, told: str) -> Option:
    """A keyword as its parameter has it."""
    annotation = str(parameter.annotation)
    reads: Reads = _TYPES.get(annotation.partition(" ")[0], "text")
    default = "" if parameter.default in (None, False) else str(parameter.default)
    limits = "Mapping[str, float]" in annotation
    own = Option(reads="limits" if limits else reads, many=limits, default=default)
    if name in SHARED:
        own = SHARED[name]
    return replace(own, help=told or own.help)


def _filled(name: str, own: Option, told: str) -> Option:
    """An option of a verb's table, with what it leaves to others."""
    if name not in SHARED:
        return replace(own, help=own.help or told)
    usual = SHARED[name]
    given = {k: x for k, x in vars(own).items() if x}
    return replace(usual, **given)


def parameters(docstring: str) -> dict[str, str]:
    r"""The first sentence on each parameter of a docstring in the form of numpy.

    >>> parameters("A verb.\n\n    Parameters\n    ----------\n    n, m : int\n        How many. More.\n\n    Examples")
    {'n': 'How many.', 'm': 'How many.'}
    """
    from inspect import cleandoc

    section = cleandoc(docstring).partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    found: dict[str, str] = {}
    names: list[str] = []
    for line in section.splitlines():
        if not line.startswith(" "):
            names = [x.strip() for x in line.partition(" : ")[0].split(",")]
        for name in names if line.startswith(" ") else ():
            found[name] = f"{found.get(name, '')} {line.strip()}".strip()
    return {k: f"{text.partition('. ')[0].removesuffix('.')}." for k, text in found.items()}


def sorting(last: str) -> Option:
    """The order of slices, for a verb that lists them; the last way is by this number."""
    return Option(metavar=f"worse|better|name|n|{last}", default="worse", group="Output")


def names() -> tuple[str, ...]:
    """The verbs that have a command, in the order of its help; no module is imported."""
    return tuple(_homes())


def verb(name: str) -> Verb:
    """The verb of that name; its module, and no other verb's, is imported."""
    found: Verb = import_module(f"howsure.{_homes()[name]}").VERB
    return found


def summary(name: str) -> str:
    """The first line of a verb's module, which says what the verb does; no module is imported."""
    from importlib.util import find_spec

    spec = find_spec(f"howsure.{_homes()[name]}")
    read = getattr(spec.loader if spec else None, "get_source", lambda _: None)
    text: str | None = read(spec.name) if spec else None
    text = import_module(f"howsure.{_homes()[name]}").__doc__ if text is None else text  # only compiled files are there
    return (text or "").lstrip('"').partition("\n")[0].strip().removesuffix('"""')


def _homes() -> Mapping[str, str]:
    from howsure import _VERBS

    return _VERBS
