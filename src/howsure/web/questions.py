"""From a question in JSON to the call and the command line that answer it."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any, Final

from howsure.errors import BadSetting
from howsure.validate import whole_number
from howsure.web import models, uploads

# -- reading
#
# Values of measures as texts, read as the command reads them.

Given = Mapping[str, Any]  # texts, or pairs of texts


def solved(values: Given, exact: bool, settings: Mapping[str, Any]) -> Any:
    """The tables behind values that are exact, or digits as printed."""
    from howsure._solve import solve, solve_printed

    found = _read(values, exact)
    return solve(found) if exact else solve_printed(found, **settings)


def traded(values: Given, settings: Mapping[str, Any]) -> Any:
    """The trade-off at given measures."""
    from howsure._tradeoff import tradeoff

    return tradeoff(None, **_read(values, True), **settings)


def _read(values: Given, exact: bool) -> dict[str, Any]:
    from howsure.relations.values import as_printed, decimal

    empty = next((k for k, x in values.items() if not all(_texts(x))), None)
    if empty is not None:
        raise BadSetting(f"{empty!r} has no value; give one, such as 0.75.")
    return {
        k: (as_printed(x, k) if not exact else decimal(x, k)) if isinstance(x, str) else tuple(decimal(y, k) for y in x)
        for k, x in values.items()
    }


def _texts(x: Any) -> list[str]:
    return [y.strip() for y in ([x] if isinstance(x, str) else x)]


def shown(values: Given, exact: bool) -> dict[str, Any]:
    """The same as they are written in Python: digits as printed are text there too, what is exact is a number.

    >>> shown({"precision": "75%", "n": ("100", "200")}, exact=True)
    {'precision': 0.75, 'n': (100, 200)}
    """
    return {
        k: (x if not exact else _number(x)) if isinstance(x, str) else tuple(map(_number, x)) for k, x in values.items()
    }


def _number(text: str) -> Any:
    clean = text.strip().replace("_", "")
    share = clean.endswith("%")
    try:
        number = float(clean.removesuffix("%")) / (100 if share else 1)
    except ValueError:
        return text
    return int(number) if number.is_integer() and not share and abs(number) < 2**53 else number


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


# -- asking
#
# From a question in JSON to the call and the words of the command that answer it.

_MOST: Final = {"classes": models.MOST_CLASSES, "slices": models.MOST_SLICES, "systems": models.MOST_SYSTEMS}
_SETTINGS: Final = ("level", "interval", "prior", "tolerance", "seed")
Part = tuple[Call, list[str], dict[str, str]]  # the evidence, its words, and the files these read


def asked(verb: str, question: models.StrictModel) -> Posed:
    """The call that answers a question."""
    return _VERBS[verb](question)


def _given(question: Any, *names: str) -> dict[str, Any]:
    """The settings that were given, in this order."""
    found = {name: getattr(question, name) for name in names}
    return {name: x for name, x in found.items() if x is not None and x is not False and x != []}


def _one(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of verbs that give one result for one measure, and several for several."""
    several: list[str] = list(settings.get("metrics") or [])
    alone = len(several) == 1 and not several[0].endswith(":*")
    if not alone:
        return dict(settings)
    return {**{k: x for k, x in settings.items() if k != "metrics"}, "metric": several[0]}


# -- tables


def _table(t: models.TableGiven, called: str = "", file: str = "matrix.csv") -> Part:
    """Evidence of one system."""
    kinds = [name for name in ("counts", "rate", "matrix") if getattr(t, name) is not None]
    if len(kinds) != 1:
        raise BadSetting(f"give one of counts, rate and matrix{called}; got {' and '.join(kinds) or 'none'}.")
    if t.counts is not None:
        cells = t.counts.model_dump()
        return Call("Tally.binary", named=cells), ["--counts", ",".join(f"{k}={x}" for k, x in cells.items())], {}
    if t.rate is not None:
        return Call("Outcomes.rate", named=t.rate.model_dump()), ["--rate", f"{t.rate.hits}/{t.rate.of}"], {}
    matrix: Any = t.matrix
    return _matrix(matrix, file)


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
    return Call("Tally.matrix", (m.counts,), named), words, {file: text}


# -- verbs


def _score(q: Any) -> Posed:
    made, words, files = _table(q)
    settings = _given(q, "metrics", "above", *_SETTINGS, "chance")
    return Posed(Call("score", (made,), settings), ("score", *words, *flags(settings)), files)


def _compare(q: Any) -> Posed:
    ways = [name for name in ("wins", "items", "first") if getattr(q, name) is not None]
    if len(ways) != 1 or (q.first is None) != (q.second is None):
        raise BadSetting("give first and second, or items, or wins: one of these three.")
    if q.wins is not None:
        return _wins(q)
    settings = _given(q, "metrics", "equal_within", *_SETTINGS)
    if q.items is not None:
        return _paired(q.items, settings)
    one, two, words, files = _both(q)
    return Posed(Call("compare", (one, two), _one(settings)), ("compare", *words, *flags(settings)), files)


def _both(q: Any) -> tuple[Call, Call, list[str], dict[str, str]]:
    """Evidence of the first and of the second system, of other items each."""
    one, words, files = _table(q.first, " of first", "first.csv")
    two, more, others = _table(q.second, " of second", "second.csv")
    if words[2:] != more[2:]:
        raise BadSetting("both matrices need the same positive class and the same meaning of rows.")
    return one, two, [*words, *more[:2]], {**files, **others}


def _wins(q: Any) -> Posed:
    unused = next((x for x in ("metrics", "prior", "tolerance", "seed") if getattr(q, x) is not None), None)
    if unused is not None:
        raise BadSetting(f"wins are compared as they are: leave out {unused}.")
    settings = _given(q, "level", "interval", "equal_within")
    w = q.wins
    words = ("compare", "--wins", f"{w.first},{w.second},{w.same}", *flags(settings))
    return Posed(Call("compare_wins", (), {**w.model_dump(), **settings}), words)


def _paired(items: models.PairedAnswers, settings: Mapping[str, Any]) -> Posed:
    own = {"positive": items.positive} if items.positive is not None else {}
    answers = {"first": items.first, "second": items.second}
    if not len(items.truth) == len(items.first) == len(items.second):
        sizes = f"{len(items.truth)}, {len(items.first)} and {len(items.second)}"
        raise BadSetting(f"truth, first and second must be of the same length; got {sizes}.")
    refuse_many("classes", len({*items.truth, *items.first, *items.second}))
    columns = {"truth": "truth", "pred": ["first", "second"], **own}
    rows = zip(items.truth, items.first, items.second, strict=True)
    return Posed(
        Call("compare", ("items.csv",), {**columns, **_one(settings)}),
        ("compare", "items.csv", *flags(columns), *flags(settings)),
        {"items.csv": table_text([("truth", "first", "second"), *rows])},
        Call("compare", (items.truth, answers), {**own, **_one(settings)}).run,
    )


def _leaderboard(q: Any) -> Posed:
    refuse_many("systems", len(q.systems))
    parts = {name: _table(t, f" of {name!r}") for name, t in q.systems.items()}
    if any(files for _, _, files in parts.values()):
        raise BadSetting("a leaderboard is made of counts or of rates; give matrices to score or to compare.")
    settings = _given(q, "metrics", "apart", *_SETTINGS)
    words = [word for _, own, _ in parts.values() for word in own]
    made = {name: call for name, (call, _, _) in parts.items()}
    return Posed(
        Call("leaderboard", (made,), _one(settings)),
        ("leaderboard", *words, *flags({"names": list(made)}), *flags(settings)),
    )


def _plan(q: Any) -> Posed:
    goals = ("metric", "width", "above", "below", "difference", "disagreement", "n", "assurance")
    settings = _given(q, *goals, "level", "interval", "prior", "seed")
    if q.expected is not None:
        if any(x is not None for x in (q.counts, q.rate, q.matrix)):
            raise BadSetting("expected takes the place of a pilot: leave out counts, rate and matrix.")
        said = ",".join(f"{k}={plain(x)}" for k, x in q.expected.items())
        return Posed(
            Call("plan", (), {"expected": q.expected, **settings}), ("plan", "--expected", said, *flags(settings))
        )
    made, words, files = _table(q, " as a pilot, or expected")
    return Posed(Call("plan", (), {"pilot": made, **settings}), ("plan", *words, *flags(settings)), files)


def _forecast(q: Any) -> Posed:
    settings = _given(q, "n", "metrics", "below", "above", "level", "prior", "tolerance", "seed")
    if (q.first is None) != (q.second is None):
        raise BadSetting("give first and second, or one of counts, rate and matrix.")
    if q.first is None:
        made, words, files = _table(q, ", or first and second")
        return Posed(Call("forecast", (made,), _one(settings)), ("forecast", *words, *flags(settings)), files)
    if any(x is not None for x in (q.counts, q.rate, q.matrix)):
        raise BadSetting("first and second take the place of one system: leave out counts, rate and matrix.")
    one, two, words, files = _both(q)
    return Posed(Call("forecast", (one, two), _one(settings)), ("forecast", *words, *flags(settings)), files)


def _gate(q: Any) -> Posed:
    made, words, files = _table(q)
    settings = _given(q, *_SETTINGS)
    typed = ("gate", *words, *flags({"require": q.require}), *flags(settings))
    return Posed(Call("gate", (made, q.require), settings), typed, files)


def _solve(q: Any) -> Posed:
    settings = _given(q, "ties", "most")
    if q.exact and settings:
        raise BadSetting(f"{next(iter(settings))} is for digits as printed: leave out exact.")
    words = [f"{k}={x if isinstance(x, str) else f'{x[0]}..{x[1]}'}" for k, x in q.values.items()]
    typed = ("solve", *words, *(["--exact"] if q.exact else []), *flags(settings))
    values = shown(q.values, q.exact)
    # Tables of whole numbers are listed where a count bounds them; else there are ranges, which take no settings.
    return Posed(
        Call("solve", (values,), {"integers": True, **settings}),
        typed,
        answer=lambda: solved(q.values, q.exact, settings),
        otherwise=(lambda result: not result.integers, Call("solve", (values,))),
    )


def _tradeoff(q: Any) -> Posed:
    settings = _given(q, "recalls", "level", "interval", "prior", "seed")
    typed = flags({("recall" if k == "recalls" else k): x for k, x in settings.items()})
    if (q.values is None) == (q.counts is None):
        raise BadSetting("give values of measures, such as accuracy and prevalence, or counts: one of the two.")
    if q.counts is not None:
        made, words, _ = _table(models.TableGiven(counts=q.counts))
        return Posed(Call("tradeoff", (made,), settings), ("tradeoff", *words, *typed))
    words = [f"{k}={x}" for k, x in q.values.items()]
    return Posed(
        Call("tradeoff", (), {**shown(q.values, True), **settings}),
        ("tradeoff", *words, *typed),
        answer=lambda: traded(q.values, settings),
    )


def _curve(q: Any) -> Posed:
    if len(q.truth) != len(q.scores):
        raise BadSetting(f"truth and scores must be of the same length; got {len(q.truth)} and {len(q.scores)}.")
    own = {"positive": q.positive} if q.positive is not None else {}
    settings, best = _given(q, "metrics", *_SETTINGS), _best(q.best, q.metrics)
    columns = {"truth": "truth", "score": "score", **own}
    return Posed(
        Call("curve", ("scores.csv",), {**columns, **settings}, best),
        ("curve", "scores.csv", *flags(columns), *flags({"best": list(best[1:])}), *flags(settings)),
        {"scores.csv": table_text([("truth", "score"), *zip(q.truth, q.scores, strict=True)])},
        Call("curve", (q.truth, q.scores), {**own, **settings}, best).run,
    )


def _best(best: str | None, metrics: Any) -> tuple[str, ...]:
    """The method that finds the best threshold, and its measure, if one is wanted."""
    if best is not None and metrics:
        raise BadSetting("best replaces the summary of a curve: leave out its measures.")
    return () if best is None else ("choose", best)


_COLUMNS: Final = (
    "truth", "pred", "outcome", "value", "score", "threshold", "by", "positive", "item", "system", "cluster", "weight",
    "count", "where", "independent_rows", "missing", "sep",
)  # fmt: skip
_ONLY: Final = {  # what some verbs take alone
    "above": ("score", "forecast"), "below": ("forecast",), "n": ("forecast",), "require": ("gate",),
    "equal_within": ("compare",), "best": ("curve",),
}  # fmt: skip
_NEEDED: Final = {"forecast": "n", "gate": "require"}
_LEFT: Final = {"forecast": ("interval",), "gate": ("metric", "by")}  # what others take, and these do not


def of_file(verb: str, name: str, q: models.FileQuestion) -> Posed:
    """A question about the columns of a file: `name` in the folder where this is run, and its own name in the lines."""
    _refuse_others(verb, q)
    columns = {k: x[0] if isinstance(x, list) and len(x) == 1 else x for k, x in _given(q, *_COLUMNS).items()}
    settings = _given(q, "n", "below", "above", "equal_within", "level", "interval", "prior", "seed")
    asked_for = {} if q.metric is None else {"metrics": q.metric}
    said = {**columns, **asked_for, **settings}
    own = _one(said) if verb in ("compare", "leaderboard", "forecast") else said
    theirs, more = uploads.own_name(q.name), () if q.require is None else (q.require,)
    best = _best(q.best, q.metric)
    run = partial(_checked, Call(verb, (name, *more), own, best), columns)
    typed = (verb, theirs, *flags({"require": q.require or [], "best": list(best[1:])}), *flags(said))
    return Posed(Call(verb, (theirs, *more), own, best), typed, answer=run)


def _refuse_others(verb: str, q: models.FileQuestion) -> None:
    """What goes with other verbs, and what this one lacks."""
    for setting, takers in _ONLY.items():
        if getattr(q, setting) is not None and verb not in takers:
            raise BadSetting(f"{setting} goes with {' and '.join(takers)}: leave it out of {verb}.")
    for setting in _LEFT.get(verb, ()):
        if getattr(q, setting) is not None:
            raise BadSetting(f"{verb} takes no {setting}: leave it out.")
    needed = _NEEDED.get(verb)
    if needed is not None and not getattr(q, needed):
        example = {"n": "500", "require": "f1 > 0.8 with 0.95"}[needed]
        raise BadSetting(f"{verb} needs {needed}, such as {example}.")


def _checked(call: Call, columns: Mapping[str, Any]) -> Any:
    """Run a question about a file, whose classes, slices and systems are counted before anything is computed."""
    from howsure.verbs.inputs import entered

    name, *more = call.given
    settings = {k: x for k, x in call.named.items() if k not in columns}
    first = {x: settings.get(x) for x in ("prior", "seed")}
    kind: Any = {"kind": "scores"} if call.name == "curve" else {}
    posterior = entered(call.name, name, None, columns, **kind, **first).posterior
    evidence = posterior.evidence
    refuse_many("classes", len(getattr(evidence, "labels", ())))
    refuse_many("systems", len(evidence.systems))
    refuse_many("slices", getattr(evidence, "tables", 0))  # items that are kept one by one are counted in the answer
    if call.name == "gate" or "system" in columns:  # these read slices and the order of systems for themselves
        return call.run()
    rest = {k: x for k, x in settings.items() if k not in first}
    return replace(call, given=(posterior, *more), named=rest).run()


def refuse_many(what: str, number: int) -> None:
    """Refuse more classes, slices or systems than anybody reads in a browser."""
    if number > _MOST[what]:
        limit = f"there are {number:,} {what}; the web app takes {_MOST[what]:,} at most"
        raise BadSetting(f"{limit}. Use the command, which takes any number: howsure score FILE.")


_VERBS: Final[dict[str, Callable[[Any], Posed]]] = {
    "score": _score,
    "compare": _compare,
    "leaderboard": _leaderboard,
    "plan": _plan,
    "forecast": _forecast,
    "gate": _gate,
    "solve": _solve,
    "tradeoff": _tradeoff,
    "curve": _curve,
}
