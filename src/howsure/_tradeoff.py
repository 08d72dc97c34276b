"""What recall costs in precision at constant accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, overload

from howsure._solve import solve
from howsure.catalogue.expressions import CELLS
from howsure.errors import BadSetting, NeedsPositive
from howsure.evidence.classes import Tally, typed_cells
from howsure.messages.numbers import count, ends, ends_of, probability, short
from howsure.posteriors.posterior import Posterior, posterior
from howsure.relations.association import two_by_two
from howsure.relations.quantities import quantity
from howsure.relations.recall_precision import Band, Tradeoff, shares
from howsure.relations.solution import Solution
from howsure.relations.values import Given, given, python_value, short_number, simplest, typed_values
from howsure.render import columns as col
from howsure.render.kinds import ResultDict, ResultKind, TableColumn, later
from howsure.results.verbs import VALUES, DataGiven, Line, Option, Verb, WebQuestion
from howsure.validate import AUTO, check_kind, check_level

LEAST = Fraction(1, 10**15)
_NEEDS = "the trade-off curve needs accuracy= and prevalence=, measures that settle both, or a Tally"


@overload
def tradeoff(
    data: Tally | Posterior,
    /,
    *,
    recalls: Any = None,
    prior: Any = "even",
    level: float = 0.95,
    interval: str = AUTO,
    tolerance: float = 0.02,
    seed: int = 0,
) -> Band: ...
@overload
def tradeoff(data: None = None, /, *, recalls: Any = None, **metrics: Any) -> Tradeoff: ...
def tradeoff(data: Any = None, /, *, recalls: Any = None, **named: Any) -> Tradeoff | Band:
    """Recall against precision at constant accuracy and prevalence (Alvarez 5).

    `tradeoff(accuracy=0.9, prevalence=0.2)` is one curve; other metrics do if they settle these two. A Tally or a
    Posterior gives the posterior of the curve, and P(trade-off).

    >>> t = tradeoff(accuracy=0.9, prevalence=0.2)
    >>> t
    Tradeoff(accuracy 0.9 and prevalence 0.2: trade-off: tp > fp; recall 0.5 to 1)
    >>> t.precision([0.5, 0.8, 1.0]).round(3).tolist()
    [1.0, 0.727, 0.667]
    >>> tradeoff(Tally.binary(tp=80, fp=20, fn=30, tn=870)).precision(0.9)
    precision at recall 0.9 0.715 [0.647, 0.784] 95% equal-tailed, quadrature
    """
    rows = None if recalls is None else shares("recalls", recalls)
    settings = {k: named.pop(k) for k in ("prior", "level", "interval", "tolerance", "seed") if k in named}
    if data is None:
        if settings:
            raise BadSetting(
                f"{', '.join(settings)} needs a Tally: a curve from given measures is exact and has no posterior."
            )
        return _of_values(named, rows)
    if named:
        raise BadSetting(f"a Tally has its own measures: leave out {', '.join(named)}.")
    return _of_data(data, rows, **settings)


def _of_data(
    data: Any, recalls: Any, *, prior: Any = "even", level: float = 0.95, interval: str = AUTO, **how: Any
) -> Band:
    """The band of a table, or of a posterior that is there."""
    tally = data.evidence if isinstance(data, Posterior) else data
    if isinstance(tally, Tally) and len(tally.labels) == 2 and tally.positive is None:
        a, b = tally.labels
        raise NeedsPositive(f"the trade-off needs a positive class: {a!r} or {b!r}. Take tally.with_positive({b!r}).")
    if isinstance(data, Posterior):
        if prior != "even" or how:
            raise BadSetting("a Posterior has its own prior, tolerance and seed: leave these out.")
        table = two_by_two(data.evidence, "the trade-off")
        p = data if table is data.evidence else data.seeing(table)
    else:
        table = two_by_two(data, "the trade-off")
        p = posterior(table, prior, **how)
    if table.shape:
        raise BadSetting("the trade-off is of one table; this is a batch: take its tables one by one.")
    tp, fp, fn, tn = (Fraction(float(table.named()[c])) for c in CELLS)
    curve = None
    if tp + fn > 0:
        n = tp + fp + fn + tn
        point = (float(tp / (tp + fn)), float(tp / (tp + fp)) if tp + fp else float("nan"))
        curve = Tradeoff((tp + tn) / n, (tp + fn) / n, point)
    return Band(p, curve, recalls, check_level(level), check_kind(interval))


def _of_values(named: dict[str, Any], recalls: Any) -> Tradeoff:
    """The curve of exact values; those that are not accuracy and prevalence are solved for them."""
    if not named:
        raise BadSetting(f"nothing is given: {_NEEDS}, such as accuracy=0.9, prevalence=0.2.")
    values = [_exact(name, x) for name, x in named.items()]
    known = {one.name: one.low for one in values}
    point = None
    if set(known) != {"accuracy", "prevalence"}:
        found = solve({one.name: one.low for one in values})
        if found.status in ("infeasible", "not-found"):
            raise BadSetting(f"no table has these values: {found.why}")
        known = {x: known[x] if x in known else _settled(found, x) for x in ("accuracy", "prevalence")}
        if found.status == "unique":
            recall, precision = (float(quantity(x).at(found.outcome.tables[0])) for x in ("recall", "precision"))
            point = (recall, precision)
    if known["prevalence"] < LEAST:
        raise BadSetting(
            f"prevalence must be {float(LEAST):g} or more, for there is no recall without positive items; got "
            f"{float(known['prevalence']):g}."
        )
    return Tradeoff(known["accuracy"], known["prevalence"], point, recalls)


def _settled(found: Solution, name: str) -> Fraction:
    """The value of a metric that all tables of a solution share."""
    where = found.outcome.region
    known = found.ranges.get(name) if where is None else where.spans((quantity(name),))[0]
    low, high = known or (0.0, 1.0)
    if high - low > 1e-9:
        raise BadSetting(
            f"{_NEEDS}: {name} may still be anything from {short_number(low)} to {short_number(high)}; give it."
        )
    return simplest(0.5 * (low + high))


def _exact(name: str, x: Any) -> Given:
    """One exact value."""
    one = given(name, x)
    if not one.exact:
        raise BadSetting(f"{one.name} must be one number for a trade-off curve; got {x!r}.")
    return one


# -- what is shown


def _columns(result: ResultDict, rows: Sequence[Any]) -> list[TableColumn]:
    """Return precision at each recall, of one curve or with its posterior."""
    del rows
    recall = col.fields({"recall": "recall"})
    if result["prior"] is None:
        low, high = result["curve"]["recall"]
        rest = {"precision": "precision", "f1": "f1", "precision_by_recall": "precision by recall"}
        return col.last_first([*recall, *(
            TableColumn(k, title, lambda r, k=k: col.number(r[k]) if low <= r["recall"] <= high else "out of reach")  # type: ignore[misc]
            for k, title in rest.items()
        )])  # fmt: skip
    missing = "undefined" if result["curve"] is None else "out of reach"
    return col.last_first([
        *recall,
        TableColumn("precision", "precision", lambda r: missing if r["precision"] is None else short(r["precision"])),
        TableColumn("interval", col.level_of(result), _interval, "interval"),
        *col.fields({"p_feasible": "P(feasible)"}),
    ])  # fmt: skip


def _interval(row: dict[str, Any]) -> str:
    return "-" if row["low"] is None else f"[{', '.join(ends(row['low'], row['high']))}]"


def _about(result: ResultDict) -> list[str]:
    cells = {} if result["prior"] is None else result["data"]["cells"]
    counts = ", ".join(f"{k} {count(v)}" for k, v in cells.items())
    return [x for x in (counts, "" if result["curve"] is None else _arc(result["curve"])) if x]


def _arc(x: dict[str, Any]) -> str:
    low, high = (short(v) for v in x["recall"])
    reach = f"recall {low} to {high}" if low != high else f"recall {low}"
    return f"accuracy {short(x['accuracy'])}, prevalence {short(x['prevalence'])}: {reach}"


def _finding(result: ResultDict) -> str:
    """Return what becomes of precision at the first recall, and whether more recall costs precision."""
    row, curve, p = result["rows"][0], result["curve"], result.get("p_tradeoff")
    costs = "more recall costs precision" if result["trades_off"] else "more recall does not cost precision"
    if p is not None:
        costs = f"more recall costs precision with probability {probability(p['value'], p['error'])}"
    held = "" if curve is None else f"at accuracy {curve['accuracy']:.4g} and prevalence {curve['prevalence']:.4g} "
    at = f"{held}{costs}"  # counts without positive items have no curve of their own, but a posterior of one
    known = row.get("median") if row.get("precision") is None else row["precision"]  # as the table beneath has it
    if known is None:
        return f"{at}; no table has recall {row['recall']:.4g}"
    span = "" if row.get("low") is None else f" ({' to '.join(ends_of(row))})"
    return f"{at}; at recall {row['recall']:.4g} precision is {short(known)}{span}"


def _typed(
    _given: DataGiven,
    *,
    values: Sequence[str] = (),
    counts: str | None = None,
    recalls: Sequence[float] | None = None,
    **settings: Any,
) -> Tradeoff | Band:
    if counts is not None:
        if values:
            raise BadSetting(f"--counts cannot be combined with measures: leave out {' '.join(values)}")
        return tradeoff(Tally.binary(**typed_cells(counts)), recalls=recalls, **settings)
    if settings:
        names, needs = " and ".join(f"--{k}" for k in settings), "needs" if len(settings) == 1 else "need"
        raise BadSetting(f"{names} {needs} --counts: a curve from given measures is exact and has no posterior")
    found = typed_values(values, False, "tradeoff", "accuracy=.9 prevalence=.2")
    return tradeoff(None, recalls=recalls, **found)


def _line(values: Mapping[str, Any], keywords: Mapping[str, Any], _result: Any) -> Line:
    return (), {**{k: python_value(x) for k, x in values.items()}, **keywords}


VERB: Final = Verb(
    tradeoff,
    help="""Other metrics do if they settle accuracy and prevalence. With --counts the answer is a posterior: precision
    at each recall, P(feasible), and P(trade-off).""",
    table={
        "values": VALUES,
        "counts": Option(
            "The four cells of a tested system: the curve with its posterior.", metavar="tp=80,fp=20,fn=30,tn=870"
        ),
        "recalls": Option(
            "Show precision at this recall; repeat for more.", metavar="0.8", reads="numbers", many=True, flag="recall"
        ),
        "prior": Option(),
        "level": Option(),
        "interval": Option(),
        "seed": Option(),
    },
    typed=_typed,
    kinds=(
        ResultKind(
            "tradeoff",
            _columns,
            headline=_finding,
            about=_about,
            every_note=True,
            charts=later("charts.relations:tradeoff"),
            finding=_finding,
            title="What does recall cost in precision?",
            sampled=False,
        ),
    ),
    question=WebQuestion(
        ("values", "counts"),
        example={"values": {"accuracy": "0.9", "prevalence": "0.2"}, "recalls": [0.8]},
        only=("recalls", "level", "interval", "prior", "seed"),
        line=_line,
    ),
    examples=("accuracy=.9 prevalence=.2",),
)
