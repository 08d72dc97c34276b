"""Verbs: what each public verb declares once, in its own file, and the registry that finds it.

A verb's file ends with `VERB = Verb(...)`. The command, the web API, the report, the charts and the docs are made from
it. The names of the verbs and their modules stand in `howsure/__init__.py`; no other file names a verb.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

EXAMPLE: Final = "examples/breast_cancer.csv --positive malignant"  # in examples of the command
DONE: Final[Mapping[str, int]] = {}  # the command ends with 0, whatever the answer is
_KINDS: Final[dict[str, ResultKind]] = {}  # of the modules that are imported, by the name in their schema


@dataclass(frozen=True)
class ResultKind:
    """One kind of result dict, and how it is shown; it can be found by its schema once its module is imported."""

    name: str  # of the schema: "curve" of howsure.curve/1
    columns: Callable[..., Any] | None = None
    headline: Callable[..., Any] | None = None
    finding: Callable[..., Any] | None = None
    chart: Callable[..., Any] | str | None = None

    def __post_init__(self) -> None:
        _KINDS[self.name] = self


@dataclass(frozen=True)
class Verb:
    """A public verb: its function, the kinds of result dicts that it makes, and what its surfaces need beyond these."""

    function: Callable[..., Any]
    kinds: tuple[ResultKind, ...] = ()
    examples: tuple[str, ...] = ()  # of the command, after its name; they run from the root of the clone
    codes: Mapping[str, int] = field(default_factory=lambda: DONE)  # exit codes of the command, by the result's status

    @property
    def name(self) -> str:
        """The name of the function, of the command and of the path of the API."""
        return self.function.__name__


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


def kind(schema: str) -> ResultKind | None:
    """The kind of a result dict, by its schema; None if no verb declares it."""
    name = schema.removeprefix("howsure.").partition("/")[0]
    if name not in _KINDS and name in _homes():
        verb(name)
    if name not in _KINDS:  # read from a file, say: whoever makes it is not imported yet
        _import_all()
    return _KINDS.get(name)


def _import_all() -> None:
    """Import the module of every public function."""
    for package in map(import_module, ("howsure", "howsure.relations")):
        for name in package._HOME:
            getattr(package, name)


def _homes() -> Mapping[str, str]:
    from howsure import _VERBS

    return _VERBS
