"""Verbs: what each public verb declares once, in its own file, and the registry that finds it.

A verb's file ends with `VERB = Verb(...)`. The command, the web API, the report, the charts and the docs are made from
it. The names of the verbs and their modules stand in `howsure/__init__.py`; no other file names a verb.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

from howsure.render.kinds import ResultKind

EXAMPLE: Final = "examples/breast_cancer.csv --positive malignant"  # in examples of the command
DONE: Final[Mapping[str, int]] = {}  # the command ends with 0, whatever the answer is


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


def _homes() -> Mapping[str, str]:
    from howsure import _VERBS

    return _VERBS
