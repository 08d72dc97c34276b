"""The tables behind reported measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, overload

from howsure.errors import BadSetting
from howsure.messages.language import option, spelled
from howsure.messages.notes import Notes, note
from howsure.messages.numbers import count, short, within
from howsure.relations.integers import NotSearched
from howsure.relations.joint import JointSolution, solve_together
from howsure.relations.posterior_over_tables import check_asked
from howsure.relations.quantities import full_name, quantity
from howsure.relations.region import outcome, whole_outcome
from howsure.relations.solution import Solution
from howsure.relations.values import Given, givens, python_value, typed_values
from howsure.render import columns as col
from howsure.render.kinds import Answers, Directions, ResultDict, ResultKind, TableColumn, later
from howsure.results.verbs import VALUES, DataGiven, Line, Option, Verb, WebQuestion
from howsure.validate import flag, integer


@overload
def solve(
    metrics: Mapping[str, Mapping[str, Any]],
    /,
    *,
    n: Any = ...,
    integers: bool = ...,
    most: int | None = ...,
    ties: str | None = ...,
    wins: Mapping[tuple[str, str], tuple[int, ...]] | None = ...,
    **named: Any,
) -> JointSolution: ...
@overload
def solve(
    metrics: Mapping[str, Any] | None = None,
    /,
    *,
    n: Any = ...,
    integers: bool = ...,
    most: int | None = ...,
    ties: str | None = ...,
    wins: None = ...,
    **named: Any,
) -> Solution: ...
def solve(
    metrics: Mapping[str, Any] | None = None,
    /,
    *,
    n: Any = None,
    integers: bool = False,
    most: int | None = None,
    ties: str | None = None,
    wins: Mapping[tuple[str, str], tuple[int, ...]] | None = None,
    **named: Any,
) -> Solution | JointSolution:
    """The 2x2 tables behind reported metrics: one, several, undetermined or none.

    A number is exact; text such as "0.75" means every value that prints so, [0.745, 0.755); a pair is a range. Text
    with 15 or more significant digits is a float as a program prints it, off by a few units in the last place at most.
    With `integers=True` every whole-number table that agrees is listed, at most `most` (10,000); n may be a range
    (low, high). `ties="either"` (not "up") allows both roundings of a tie. A mapping of mappings gives several systems
    tested on the same items, with what they share as keywords and `wins={("a", "b"): (only a right, only b right)}`.

    >>> solve(precision=0.75, recall=0.6, accuracy=0.85, n=200).table
    {'tp': 30, 'fp': 10, 'fn': 20, 'tn': 140}
    >>> solve(recall=0.8, specificity=0.8, accuracy=0.8, n=100).status
    'undetermined'
    """
    several = _check(metrics, most)
    _refuse_idle(several, flag(integers, "integers"), most, ties)
    longest, rounding = 10_000 if most is None else most, "up" if ties is None else ties
    if metrics and several:
        shared = givens(None, n, named, ties=rounding) if named or n is not None else ()
        return solve_together(metrics, shared, wins or {}, longest, rounding)
    if wins:
        raise BadSetting(f"{option('wins')} is for several systems: give a mapping from each system to its measures.")
    known = givens(metrics, n, named, ties=rounding)
    if integers:
        return Solution(known, whole_outcome(known, longest), integers=True)
    return Solution(known, outcome(known))


def solve_printed(metrics: Mapping[str, Any], *, most: int | None = None, ties: str | None = None) -> Solution:
    """As papers print: text means its digits, and tables are whole where a count bounds them, else there are ranges.

    >>> solve_printed({"P": ".75", "R": ".60", "acc": ".85", "n": "200"}).table
    {'tp': 30, 'fp': 10, 'fn': 20, 'tn': 140}
    """
    known = givens(metrics, None, {}, ties="up" if ties is None else ties)
    try:
        found = whole_outcome(known, 10_000 if most is None else most)
    except NotSearched as refused:
        return _ranged(known, refused, {"most": most, "ties": ties})
    solution = Solution(known, found, integers=True)
    return replace(solution, remarks=_few_digits(solution))


def _ranged(known: tuple[Given, ...], refused: NotSearched, idle: Mapping[str, Any]) -> Solution:
    """The tables of real numbers, in place of whole ones that are not listed."""
    given = next((name for name, x in idle.items() if x is not None), None)
    if given is not None:
        raise BadSetting(f"{option(given)} is for tables of whole numbers: {str(refused).rstrip('.')}.")
    try:
        solution = Solution(known, outcome(known))
    except BadSetting as too_large:
        raise (too_large if refused.reason == "large" else refused) from None
    if solution.status not in ("several", "undetermined"):
        return solution
    return replace(solution, remarks=(note("not-whole", form=refused.reason), *_few_digits(solution)))


def _few_digits(found: Solution) -> Notes:
    """A zero at the end may have been left out: .6 is 0.55 to 0.65."""
    printed = [g for g in found.given if not g.quantity.sized and g.printed]
    if found.status not in ("several", "undetermined") or not printed:
        return ()
    floats = any(g.full for g in found.given)
    finest = Fraction(0) if floats else min(g.high - g.low for g in printed)
    few = [g for g in printed if g.high - g.low > 2 * finest]
    if not few:
        return ()
    digits, percent = few[0].shown.removesuffix("%"), few[0].shown.endswith("%")
    more = f"{digits}{'' if '.' in digits else '.'}0{'%' if percent else ''}"
    read = ", ".join(f"{g.name} {g.shown} means {float(g.low):.10g} to {float(g.high):.10g}" for g in few)
    return (note("few-digits", read=read, more=more),)


def _refuse_idle(several: bool, integers: bool, most: Any, ties: Any) -> None:
    """Options that would change nothing."""
    if several and integers:
        raise BadSetting(f"several systems are solved in whole numbers anyway: leave out {option('integers')}.")
    idle = next((name for name, x in (("most", most), ("ties", ties)) if x is not None), None)
    if idle is not None and not several and not integers:
        how = spelled("give integers=True too", "leave out --exact")
        raise BadSetting(f"{option(idle)} is for tables of whole numbers: {how}.")


def _check(metrics: Any, most: Any) -> bool:
    """Settings of the right kind; whether there are several systems."""
    if metrics is not None and not isinstance(metrics, Mapping):
        raise BadSetting(f"measures are a mapping from names to values; got {type(metrics).__name__}.")
    kinds = {isinstance(x, Mapping) for x in (metrics or {}).values()}
    if len(kinds) > 1:
        alone = next(name for name, x in (metrics or {}).items() if not isinstance(x, Mapping))
        raise BadSetting(f"several systems need a mapping each; {alone!r} has none: give what they share as keywords.")
    if most is not None and (integer(most) or 0) < 1:
        raise BadSetting(f"{option('most')} is a whole number from 1; got {most!r}.")
    return kinds == {True}


# -- what is shown

_MOST: Final = 40  # tables shown to people; JSON and CSV have all
_CELLS: Final = ("tp", "fp", "fn", "tn", "n")
_SHOWN: Final = ("precision", "recall", "f1", "accuracy", "prevalence", "phi")
_NO_TABLE: Final = ("infeasible", "not-found")


def _columns(result: ResultDict, rows: Sequence[Any]) -> list[TableColumn]:
    if result["status"] in _NO_TABLE:
        return [col.words("name", title="given"), TableColumn("shown", "value", lambda r: str(r["shown"]))]
    if result["status"] == "undetermined" or _as_ranges(result):
        ends = col.fields({"low": "lowest", "high": "highest"}, _end)
        return col.last_first([col.words("metric", title="measure"), *ends])
    known = rows[0] if rows else {}
    names = [col.words(k) for k in ("solution", "system") if k in known]
    metrics = col.fields({k: k for k in _SHOWN if k in known})
    return col.last_first([*names, *col.fields(dict(zip(_CELLS, _CELLS, strict=True)), _count), *metrics])


def _as_ranges(result: ResultDict) -> bool:
    """Whether there are too many tables to list them."""
    return bool(result.get("ranges")) and (len(result["rows"]) > _MOST or not result["complete"])


def _rows(result: ResultDict) -> Sequence[Any]:
    """Return the tables, the ranges of what is left open, or the values that contradict each other."""
    rows: list[Any] = result["rows"]
    if result["status"] in _NO_TABLE:
        rows = result.get("given", [])
    elif result["status"] != "undetermined":
        rows = result["ranges"] if _as_ranges(result) else rows[:_MOST]
    return rows


def _headline(result: ResultDict) -> str:
    why, status = result["why"].rstrip("."), result["status"]
    return f"{status}: {why}" if status in (*_NO_TABLE, "undetermined") else why


def _about(result: ResultDict) -> list[str]:
    given = ", ".join(f"{g['name']} {g['shown']}" for g in result.get("given", ()))
    return [f"given {given}"] if given and result["status"] not in _NO_TABLE else []


def _notes(result: ResultDict, texts: list[str]) -> list[str]:
    many = len(result["rows"])
    posterior = [
        f"{x['metric']} {within(x['mean'], x['low'], x['high'])} {100 * x['level']:.12g}% {x['interval']}: {x['about']}"
        for x in result.get("posterior", ())
    ]
    if result["status"] in (*_NO_TABLE, "undetermined"):
        more = []
    elif _as_ranges(result):
        more = [f"JSON and CSV list {'all' if result['complete'] else many} of them"]
    else:
        more = [f"{many - _MOST:,} more rows are left out here; JSON and CSV have them"] if many > _MOST else []
    return [*texts, *posterior, *more]


def _end(x: float | None) -> str:
    if x is None:
        return "infinite"
    return f"{int(x):,}" if float(x).is_integer() else short(x)


def _count(x: float) -> str:
    """Return a count or a share; long fractions are cut."""
    return f"{x:,}" if isinstance(x, int) else f"{x:.6g}"


def _finding(result: ResultDict) -> str:
    """Return the only table, or why there are several or none."""
    why, tables = str(result["why"]).rstrip("."), result["tables"]
    return why if len(tables) != 1 else f"{why}: {_cells(tables[0])}"


def _cells(table: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {count(x)}" for name, x in table.items())


def _answers(result: ResultDict, _directions: Directions) -> Answers:
    from howsure.render.findings import listed, sentence

    given = [f"{x['name']} {x['shown']}" for x in result.get("given") or () if "shown" in x]
    reported = [f"Reported: {listed(given, 8)}."] if given else []
    follows = [sentence(f"{result['status']}: {result['why']}")]
    tables = [_cells(t) for t in result.get("tables") or () if "tp" in t]
    follows += [f"{tables[0]}."] if len(tables) == 1 else []
    return [("What was reported?", reported), ("What follows?", follows)]


_ONE_TABLE: Final = (
    "All reported values are of one table, and rounded as usual.",
    "Values of different test sets, averages over classes or runs, or a misprint.",
)


# -- the command: values as printed


def _typed(
    _given: DataGiven, *, values: Sequence[str] = (), exact: bool = False, system: Sequence[str] = (),
    wins: Sequence[str] = (), posterior: Sequence[str] = (), most: int | None = None, ties: str | None = None,
    **settings: Any,
) -> Solution | JointSolution:  # fmt: skip
    if exact and system:
        raise BadSetting("--system reads values as printed digits: leave out --exact, or --system")
    shared = typed_values(values, not exact)
    if settings and not posterior:
        raise BadSetting(f"--{next(iter(settings))} needs a posterior: give --posterior NAME too")
    if most is not None and most < 1:
        raise BadSetting(f"--most must be 1 or more; got {most}")
    how: dict[str, Any] = {k: x for k, x in (("ties", ties), ("most", most)) if x is not None}
    if system:
        if posterior:
            raise BadSetting("--posterior is for one system: leave out --system, and solve each alone")
        return _several(system, wins, shared, how)
    if wins:
        raise BadSetting("--wins is for several systems: give each with --system 'NAME f1=.87'")
    if posterior:
        check_asked(posterior, **settings)
    found = solve(shared, **how) if exact else solve_printed(shared, **how)
    if posterior and found.status in ("unique", "several"):
        return found.with_posterior(posterior, **settings)
    return replace(found, unanswered=True) if posterior else found


def _several(systems: Sequence[str], wins: Sequence[str], shared: dict[str, Any], how: dict[str, Any]) -> JointSolution:
    """Several systems on the same items."""
    named = {}
    for text in systems:
        name, *parts = text.split() or [""]
        if not parts or "=" in name:
            raise BadSetting(f"--system needs a name and its values, such as 'ltc f1=.8696'; got {text!r}")
        if name in named:
            raise BadSetting(f"--system gives {name!r} twice")
        named[name] = typed_values(parts, True)
    links: dict[tuple[str, str], tuple[int, ...]] = {}
    for pair, counts in map(_typed_wins, wins):
        if pair in links:
            raise BadSetting(f"--wins gives {','.join(pair)} twice")
        links[pair] = counts
    for name in shared:
        quantity(full_name(name))  # a name such as most= is a setting of solve in Python, no metric
    return solve(named, **how, wins=links, n=shared.pop("n", None), **shared)


def _typed_wins(text: str) -> tuple[tuple[str, str], tuple[int, ...]]:
    """ltc,nnn=21,15: a pair of systems and what each alone gets right."""
    pair, _, counts = text.rpartition("=")
    names = tuple(x.strip() for x in pair.split(","))
    numbers = [x.strip() for x in counts.split(",")]
    if len(names) != 2 or not all(names) or not all(x.isdecimal() for x in numbers):
        raise BadSetting(f"--wins needs two systems and their wins, such as ltc,nnn=21,15; got {text!r}")
    return (names[0], names[1]), tuple(int(x) for x in numbers)


def _line(values: Mapping[str, Any], keywords: Mapping[str, Any], result: Any) -> Line:
    """The call in Python: tables of whole numbers are listed where a count bounds them; ranges take no settings."""
    own = {k: x for k, x in keywords.items() if k != "exact"}
    if keywords.get("exact"):
        return ({k: python_value(x) for k, x in values.items()},), own
    given = {k: x if isinstance(x, str) else tuple(x) for k, x in values.items()}
    return (given,), ({"integers": True, **own} if result.integers else {})


VERB: Final = Verb(
    solve,
    help="""Digits are read as printed: .75 is anything from 0.745 to 0.755, and so is 75%. Where n is given (n=100-200
    is a range), the tables of whole numbers that have these digits are listed, or their ranges where they are many.

    Names are P, R, F, acc, sens, spec, those of howsure metrics, and tp, fp, fn, tn, n, positives, negatives,
    predicted-positives, predicted-negatives, right, wrong and chi-square. That values contradict each other
    (infeasible), or leave the table open (undetermined), is an answer too, with exit code 0.""",
    table={
        "values": VALUES,
        "n": None,
        "integers": None,
        "exact": Option("Values are exact, and cells need not be whole.", reads="flag"),
        "ties": Option(
            "How a tie such as 0.125 is printed: up, or either way.", choices=("up", "either"), default="up"
        ),
        "most": Option("List at most this many whole-number tables.", reads="whole", default="10000"),
        "system": Option(
            "A system and its values, in quotes; repeat. What all share is given without --system.",
            metavar="'NAME f1=.87'",
            many=True,
        ),
        "wins": Option("Items that only a and only b gets right; repeat.", metavar="a,b=21,15", many=True),
        "posterior": Option(
            "The posterior of a metric over all tables found; repeat for more.", metavar="NAME", many=True
        ),
        "prior": Option(),
        "level": Option(),
        "interval": Option(),
        "seed": Option(),
    },
    typed=_typed,
    kinds=(
        ResultKind(
            "solve",
            _columns,
            _rows,
            _headline,
            _notes,
            about=_about,
            every_note=True,
            charts=later("charts.tables:solve"),
            finding=_finding,
            title="Which tables are behind the reported numbers?",
            answers=_answers,
            sampled=False,
            assumptions=lambda _: [_ONE_TABLE],
        ),
    ),
    question=WebQuestion(
        ("values",),
        example={"values": {"precision": "0.75", "recall": "0.60", "accuracy": "0.85", "n": "200"}},
        only=("exact", "ties", "most"),
        line=_line,
    ),
    examples=("precision=.75 recall=.6 accuracy=.85 n=200",),
)
