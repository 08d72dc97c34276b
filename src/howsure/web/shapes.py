"""Shapes of data in a question in JSON: a table, two of them, items, wins, values, scores; each with its call."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Annotated, Any, Final

from pydantic import Field

from howsure.errors import BadSetting
from howsure.results.verbs import Verb
from howsure.validate import whole_number
from howsure.web import models

# -- calls
#
# A question as one call of the library: what is run is what the Python line shows; the shell line is beside it.


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
        flag = "--" + _FLAGS.get(name, name).replace("_", "-")
        if isinstance(x, Mapping):
            words += [word for key, own in x.items() for word in (flag, f"{key}={plain(own)}")]
        elif isinstance(x, (list, tuple)):
            words += [word for own in x for word in (flag, plain(own))]
        elif x is True:
            words.append(flag)
        elif x is not False:
            words += [flag, plain(x)]
    return words


_FLAGS: Final = {"metrics": "metric", "item": "on", "names": "name", "recalls": "recall"}


def plain(x: Any) -> str:
    """A value as it is typed; what begins with a hyphen would be an option, unless it is a number."""
    return repr(x) if isinstance(x, float) else str(x)


# -- data


@dataclass(frozen=True)
class Part:
    """The data of a call: its arguments, the words of the command, and the files that both read.

    `run` has the arguments of what is run in place of the line: what was pasted is a file in the lines, and lists here.
    """

    given: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)
    words: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    run: tuple[tuple[Any, ...], Mapping[str, Any]] | None = None
    function: str = ""  # if it is not the verb's own


@dataclass(frozen=True)
class Shape:
    """A way to give data: its fields, and what a call makes of them."""

    fields: Mapping[str, Any]  # their types, by name
    part: Callable[[Any, Verb], Part]
    called: str = ""  # in messages, if not by its fields


def _table(t: Any, called: str = "", file: str = "matrix.csv") -> Part:
    """Evidence of one system."""
    kinds = [name for name in ("counts", "rate", "matrix") if getattr(t, name) is not None]
    if len(kinds) != 1:
        raise BadSetting(f"give one of counts, rate and matrix{called}; got {' and '.join(kinds) or 'none'}.")
    if t.counts is not None:
        cells = t.counts.model_dump()
        typed = ",".join(f"{k}={x}" for k, x in cells.items())
        return Part((Call("Tally.binary", named=cells),), words=("--counts", typed))
    if t.rate is not None:
        return Part((Call("Outcomes.rate", named=t.rate.model_dump()),), words=("--rate", f"{t.rate.hits}/{t.rate.of}"))
    return _matrix(t.matrix, file)


def _matrix(m: models.MatrixGiven, file: str) -> Part:
    """A matrix, and the file that holds the same; labels that are all whole numbers are numbers, as in such a file."""
    refuse_many("classes", len(m.counts))
    numbers = [whole_number(str(x)) for x in m.labels or ()]
    labels: list[Any] | None = numbers if m.labels is not None and None not in numbers else m.labels
    own = {"labels": labels, "positive": m.positive, "rows": None if m.rows == "truth" else m.rows}
    named = {name: x for name, x in own.items() if x is not None}
    head = [] if labels is None else [["", *labels]]
    side = ([] for _ in m.counts) if labels is None else ([x] for x in [*labels, *[""] * len(m.counts)])
    text = table_text([*head, *([*first, *row] for first, row in zip(side, m.counts, strict=False))])
    words = ["--matrix", file, *flags({k: x for k, x in named.items() if k != "labels"})]
    return Part((Call("Tally.matrix", (m.counts,), named),), {}, words, {file: text})


def _one_table(q: Any, verb: Verb) -> Part:
    part = _table(q)
    name = "pilot"  # of verbs that take no data by place
    return part if name not in verb.keywords else Part((), {name: part.given[0]}, part.words, part.files)


def _pair(q: Any, _verb: Verb) -> Part:
    """Evidence of the first and of the second system, of other items each."""
    if q.first is None or q.second is None:
        raise BadSetting("give first and second, both of them.")
    one, two = _table(q.first, " of first", "first.csv"), _table(q.second, " of second", "second.csv")
    if one.words[2:] != two.words[2:]:
        raise BadSetting("both matrices need the same positive class and the same meaning of rows.")
    return Part((*one.given, *two.given), {}, [*one.words, *two.words[:2]], {**one.files, **two.files})


def _systems(q: Any, verb: Verb) -> Part:
    refuse_many("systems", len(q.systems))
    parts = {name: _table(t, f" of {name!r}") for name, t in q.systems.items()}
    if any(part.files for part in parts.values()):
        raise BadSetting(f"a {verb.name} is made of counts or of rates; give matrices to score or to compare.")
    words = [word for part in parts.values() for word in part.words]
    made = {name: part.given[0] for name, part in parts.items()}
    return Part((made,), {}, [*words, *flags({"names": list(made)})])


def _items(q: Any, _verb: Verb) -> Part:
    items = q.items
    own = {"positive": items.positive} if items.positive is not None else {}
    if not len(items.truth) == len(items.first) == len(items.second):
        sizes = f"{len(items.truth)}, {len(items.first)} and {len(items.second)}"
        raise BadSetting(f"truth, first and second must be of the same length; got {sizes}.")
    refuse_many("classes", len({*items.truth, *items.first, *items.second}))
    columns = {"truth": "truth", "pred": ["first", "second"], **own}
    rows = zip(items.truth, items.first, items.second, strict=True)
    text = table_text([("truth", "first", "second"), *rows])
    run = (items.truth, {"first": items.first, "second": items.second}), own
    return Part(("items.csv",), columns, ["items.csv", *flags(columns)], {"items.csv": text}, run)


def _wins(q: Any, verb: Verb) -> Part:
    unused = next((x for x in verb.options["wins"].alone if getattr(q, x, None) is not None), None)
    if unused is not None:
        raise BadSetting(f"wins are compared as they are: leave out {unused}.")
    w = q.wins
    return Part((), w.model_dump(), ("--wins", f"{w.first},{w.second},{w.same}"), function="compare_wins")


def _expected(q: Any, _verb: Verb) -> Part:
    said = ",".join(f"{k}={plain(x)}" for k, x in q.expected.items())
    return Part((), {"expected": q.expected}, ("--expected", said))


def _counts(q: Any, _verb: Verb) -> Part:
    return _table(models.TableGiven(counts=q.counts))


def _values(q: Any, _verb: Verb) -> Part:
    empty = next(
        (k for k, x in q.values.items() if not all(y.strip() for y in ([x] if isinstance(x, str) else x))), None
    )
    if empty is not None:
        raise BadSetting(f"{empty!r} has no value; give one, such as 0.75.")
    return Part(words=[f"{k}={x if isinstance(x, str) else f'{x[0]}..{x[1]}'}" for k, x in q.values.items()])


def _scores(q: Any, _verb: Verb) -> Part:
    if len(q.truth) != len(q.scores):
        raise BadSetting(f"truth and scores must be of the same length; got {len(q.truth)} and {len(q.scores)}.")
    own = {"positive": q.positive} if q.positive is not None else {}
    columns = {"truth": "truth", "score": "score", **own}
    text = table_text([("truth", "score"), *zip(q.truth, q.scores, strict=True)])
    run = (q.truth, q.scores), own
    return Part(("scores.csv",), columns, ["scores.csv", *flags(columns)], {"scores.csv": text}, run)


_Systems = Annotated[dict[models.Text, models.TableGiven], Field(description=f"At most {models.MOST_SYSTEMS}.")]
_Expected = Annotated[dict[models.Text, models.Number], Field(max_length=8)]
_Pair = Annotated[list[models.Text], Field(min_length=2, max_length=2)]
_Values = Annotated[dict[models.Text, models.Text | _Pair], Field(max_length=20)]
_Scores = Annotated[list[models.Number], Field(max_length=models.MOST_ITEMS)]
TABLE: Final = {"counts": models.FourCounts, "rate": models.RateGiven, "matrix": models.MatrixGiven}
SHAPES: Final[Mapping[str, Shape]] = {
    "table": Shape(TABLE, _one_table, "one of counts, rate and matrix"),
    "pair": Shape({"first": models.TableGiven, "second": models.TableGiven}, _pair, "first and second"),
    "systems": Shape({"systems": _Systems}, _systems),
    "items": Shape({"items": models.PairedAnswers}, _items),
    "wins": Shape({"wins": models.WinCounts}, _wins),
    "expected": Shape({"expected": _Expected}, _expected),
    "counts": Shape({"counts": models.FourCounts}, _counts),
    "values": Shape({"values": _Values}, _values),
    "scores": Shape({"truth": models.Labels, "scores": _Scores, "positive": models.Label | None}, _scores),
}

_MOST: Final = {"classes": models.MOST_CLASSES, "slices": models.MOST_SLICES, "systems": models.MOST_SYSTEMS}


def refuse_many(what: str, number: int) -> None:
    """Refuse more classes, slices or systems than anybody reads in a browser."""
    if number > _MOST[what]:
        limit = f"there are {number:,} {what}; the web app takes {_MOST[what]:,} at most"
        raise BadSetting(f"{limit}. Use the command, which takes any number: howsure score FILE.")
