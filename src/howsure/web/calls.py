"""A question as one call of the library: what is run is what the Python line shows; the shell line is beside it."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any


@dataclass(frozen=True)
class Call:
    """A function of howsure by its name, with its arguments; an argument may be a call itself.

    >>> Call("score", (Call("Outcomes.rate", named={"hits": 47, "of": 50}),), {"level": 0.9}).python()
    'hs.score(hs.Outcomes.rate(hits=47, of=50), level=0.9)'
    >>> Call("curve", ("p.csv",), {"truth": "y"}, ("choose", "f1")).python()
    "hs.curve('p.csv', truth='y').choose('f1')"
    """

    name: str
    given: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)
    then: tuple[str, ...] = ()  # a method of what it gives, and what that is given

    def run(self) -> Any:
        """What it gives."""
        import howsure

        function: Any = reduce(getattr, self.name.split("."), howsure)
        found = function(*map(_made, self.given), **{name: _made(x) for name, x in self.named.items()})
        return getattr(found, self.then[0])(*self.then[1:]) if self.then else found

    def python(self) -> str:
        """The same as a line of Python, after `import howsure as hs`."""
        named = [f"{name}={_shown(x)}" for name, x in self.named.items()]
        more = f".{self.then[0]}({', '.join(map(_shown, self.then[1:]))})" if self.then else ""
        return f"hs.{self.name}({', '.join([*map(_shown, self.given), *named])}){more}"


def _made(x: Any) -> Any:
    if isinstance(x, Call):
        return x.run()
    return {name: _made(own) for name, own in x.items()} if isinstance(x, dict) else x  # posteriors are mappings


def _shown(x: Any) -> str:
    if isinstance(x, Call):
        return x.python()
    if isinstance(x, Mapping):
        return "{" + ", ".join(f"{name!r}: {_shown(own)}" for name, own in x.items()) + "}"
    return repr(x)


@dataclass(frozen=True)
class Posed:
    """A question: the line of Python and the words of the command that answer it, and the files that both read.

    `answer` is what is run in place of the line: what was pasted is a file in the lines, and lists here.
    """

    line: Call
    words: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)  # what each holds
    answer: Callable[[], Any] | None = None
    otherwise: tuple[Callable[[Any], bool], Call] | None = None  # another line, for results of which this is true

    def run(self) -> Any:
        """The result."""
        return self.line.run() if self.answer is None else self.answer()

    def python(self, result: Any) -> str:
        """The line of Python that gives the same."""
        if self.otherwise is not None and self.otherwise[0](result):
            return self.otherwise[1].python()
        return self.line.python()

    @property
    def shell(self) -> str:
        """The line of the shell that gives the same."""
        return shlex.join(["howsure", *self.words])


def table_text(rows: Sequence[Sequence[Any]]) -> str:
    r"""Rows as CSV; whatever stands in labels is quoted.

    >>> table_text([["truth", "a,b"], ["a", 3]])
    'truth,"a,b"\na,3\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def flags(settings: Mapping[str, Any]) -> list[str]:
    """Settings as options of the command; a list is an option for each.

    >>> flags({"equal_within": 0.01, "metrics": ["f1", "recall"], "chance": True})
    ['--equal-within', '0.01', '--metric', 'f1', '--metric', 'recall', '--chance']
    """
    words: list[str] = []
    for name, x in settings.items():
        flag = "--" + {"metrics": "metric", "item": "on", "names": "name"}.get(name, name).replace("_", "-")
        if isinstance(x, Mapping):
            words += [word for key, own in x.items() for word in (flag, f"{key}={plain(own)}")]
        elif isinstance(x, (list, tuple)):
            words += [word for own in x for word in (flag, plain(own))]
        elif x is True:
            words.append(flag)
        elif x is not False:
            words += [flag, plain(x)]
    return words


def plain(x: Any) -> str:
    """A value as it is typed; what begins with a hyphen would be an option, unless it is a number."""
    return repr(x) if isinstance(x, float) else str(x)
