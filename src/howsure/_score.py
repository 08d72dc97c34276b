"""A score with its interval: files, counts, a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Unpack

import numpy as np

from howsure.catalogue import Metric
from howsure.catalogue.expressions import CELLS
from howsure.errors import BadSetting, HowsureError, UnknownName, listing
from howsure.evidence import protocol
from howsure.evidence.classes import Tally
from howsure.messages.language import option
from howsure.messages.notes import SHARED_ITEMS, Notes, merged, note
from howsure.messages.numbers import probability, share, short, within
from howsure.messages.user_text import visible
from howsure.posteriors.distribution import Distribution
from howsure.posteriors.posterior import Posterior, posterior
from howsure.posteriors.priors import NAMES
from howsure.render import columns as col
from howsure.render import findings, grids
from howsure.render.formats import USUAL, Detail
from howsure.render.kinds import Answers, Directions, ResultDict, ResultKind, TableColumn, later
from howsure.results.result import Result, envelope
from howsure.results.verbs import EXAMPLE, FOUR, Data, Option, Verb, WebQuestion, sorting
from howsure.validate import (
    AUTO,
    ColumnsAndTarget,
    check_kind,
    check_level,
    finite,
    flag,
    metrics_given,
    reached,
    refuse_beyond,
    several,
)
from howsure.verbs import rows as prior_rows
from howsure.verbs import slices
from howsure.verbs.inputs import answered, entered
from howsure.verbs.rows import COSTLY, Place, Row, columns_of, row_documents, row_parts, write_columns
from howsure.verbs.slices import DealtParts, SliceMarks

MOST_DRAWN: Final = 240  # tables that a chart shows in full


@dataclass(frozen=True, eq=False)
class Report(Result):
    """The scores of evidence with their posteriors; prints as a table. `overall` are the rows of all items."""

    posterior: Posterior
    level: float
    interval: str
    rows: tuple[Row, ...]
    sort: str = "worse"
    chance: bool = False  # whether tables show what chance gives; the document always tells
    overall: tuple[Row, ...] = ()  # of all items, where there are slices

    @cached_property
    def _extras(self) -> tuple[dict[str, Any], Notes]:
        return self.posterior.extras(self.level)

    @cached_property
    def notes(self) -> Notes:
        """What is to be said, each thing once."""
        priors = [n for row in self.rows if (n := row.question.prior_note) is not None]
        own = [*priors, *(n for row in self.rows for n in row.notes)]
        codes = {n.code for n in own}
        whole = [n for row in self.overall for n in row.notes if n.code not in codes]
        return merged([*own, *whole, *self._of_all_rows, *self._alike])

    @property
    def _of_all_rows(self) -> Notes:
        """Return what is said beside rows; which metrics a table leaves out, only if no metric was asked for."""
        return tuple(n for n in self._extras[1] if self._usual or n.code != "no-true-negatives")

    @cached_property
    def _usual(self) -> bool:
        """Whether the metrics are those that are shown if none was asked for."""
        return {row.asked for row in self.rows} == {str(m) for m in self.posterior.kind.table(self.posterior)}

    @cached_property
    def _of_chief(self) -> Report | None:
        """The report of one metric, which tables of slices show if none was asked for."""
        if not self.overall or not self._usual or len({row.asked for row in self.rows}) < 2:
            return None
        chief = findings.chief([row.asked for row in self.rows])
        rows, overall = (tuple(row for row in x if row.asked == chief) for x in (self.rows, self.overall))
        return replace(self, rows=rows, overall=overall)

    @cached_property
    def _for_people(self) -> dict[str, Any]:
        """What tables show beside the document: the sizes of classes."""
        found: dict[str, Any] = {}
        own = self.posterior.evidence
        if isinstance(own, Tally) and not own.shape and len(own.systems) == 1 and len(own.labels) > 2:
            cells = own.by_class()
            found["support"] = dict(zip(map(protocol.as_json, own.labels), cells["tp"] + cells["fn"], strict=True))
        return found

    @property
    def _library(self) -> str | None:
        return self.posterior.library

    def __getitem__(self, metric: str | Metric) -> Distribution:
        """The Distribution of a row, by the name asked for or its canonical name."""
        every = [row for row in self.rows if row.classes is not None]
        for row in self.rows:
            if row.classes is None and metric in (row.asked, row.canonical):
                return row.distribution
        found = self._known(metric)
        if found is not None:
            for row in self.rows:
                if row.classes is None and row.metric == found:
                    return row.distribution
                if row.classes is not None and found.label is not None and found.without_label() == row.metric:
                    return self.posterior[metric]
        each = [r for r in every if str(metric) in (r.asked, r.canonical)]
        if each and each[0].classes is not None:
            raise UnknownName(f"{metric} has a row for each class: ask for {metric}:{each[0].classes[0]}.")
        raise UnknownName(f"no row {str(metric)!r} in this report; rows: {listing([r.asked for r in self.rows])}.")

    def _known(self, metric: Any) -> Any:
        """The measure of a name, if there is one."""
        try:
            return self.posterior.kind.parse(self.posterior, metric)
        except HowsureError:
            return None

    def _make(self) -> dict[str, Any]:
        return self._made(page=False)

    @cached_property
    def _usual_page(self) -> dict[str, Any]:
        """The document without the numbers that the usual table does not show: they take most of the time."""
        return self._made(self._tables > slices.MOST, COSTLY - {"chance"} if self.chance else COSTLY)

    @cached_property
    def _marks(self) -> list[SliceMarks] | None:
        """Which slices stand out, for each line that a slice has; None where there are not many."""
        deal = slices.dealt((self.posterior,), self.posterior.seed) if self._has_overall else None
        return None if deal is None else [self._marked(deal, row, i) for row, i in row_parts(self.rows)]

    def _marked(self, deal: DealtParts, row: Row, i: int | None) -> SliceMarks:
        (own,) = deal.posteriors
        own = own if row.system is None else own.system(row.system)
        parts = row.put_to(own).score
        whole = self.overall[self.rows.index(row)].score
        if i is not None:
            return slices.marks(deal, row.score[i], parts[i], float(whole[i]))
        return slices.marks(deal, row.score, parts, float(whole))

    @property
    def _has_overall(self) -> bool:
        """Whether a row of all items is shown: slices that share items add up to no sample."""
        shared = any(n.code == SHARED_ITEMS for n in self.posterior.evidence.notes)
        return bool(self.overall) and not shared

    @property
    def _alike(self) -> Notes:
        """How many slices would look different if all were alike."""
        if self._marks is None:
            return ()
        lines = zip(row_parts(self.rows), self._marks, strict=True)
        return tuple(m.note(_line(row, i), row.system, "score") for (row, i), m in lines)

    def _made(self, page: bool, without: Set[str] = frozenset()) -> dict[str, Any]:
        p = self.posterior
        places = slices.order(p.evidence, self.rows, self.overall, self.sort)
        shown = slices.ends(places) if page else places
        first = row_documents(self.overall if self._has_overall else (), without=without)
        rows = row_documents(self.rows, shown, without)
        self._tell_slices(first, rows, shown)
        rows = [*first, *rows]
        notes = (*self.notes, *_drawn_chances(rows)) if self.chance else self.notes
        made = envelope(
            "howsure.score/1", rows, prior=p.prior_document, level=self.level, interval=self.interval, seed=p.seed,
            data=p.evidence.describe(), notes=notes, account=protocol.document([p.evidence]),
        )  # fmt: skip
        if self.chance:
            made["columns"] = ["chance"]
        shared = [{"metric": str(row.metric), "system": row.system} | x for row in self.rows if (x := row.shared)]
        if shared:
            made["shrink"] = shared
        if len(shown) < len(places):
            made["hidden"] = slices.gap(len(places), len(first), len(row_parts(self.rows)))
        return made | self._extras[0]

    def _tell_slices(self, first: list[dict[str, Any]], rows: list[dict[str, Any]], places: list[Place]) -> None:
        """Which rows are of all items, and which slices stand out."""
        if not self.overall:
            return
        for row in first:
            row |= {"overall": True} | {key: None for key in rows[0] if key not in row}
        for row in rows:
            row["overall"] = False
        if self._marks is not None:
            told = (m.at(k) for (k,) in places for m in self._marks)
            for row, marked in zip(rows, told, strict=True):
                row["marked"] = marked

    @property
    def _tables(self) -> int:
        return int(np.prod(self.posterior.evidence.shape, dtype=int))

    def page(self) -> dict[str, Any]:
        """The document for people: of thousands of tables only the first and the last in their order."""
        return (self._made(page=True) if self._tables > slices.MOST else self._document) | self._for_people

    def page_for(self, view: Detail) -> dict[str, Any]:
        """The document for a table of that view."""
        if self._of_chief is not None:
            return self._of_chief.page_for(view)
        if view == USUAL and "_document" not in self.__dict__:
            return self._usual_page | self._for_people
        return self.page()

    def to_table(self) -> dict[str, Any]:
        """Columns of one line for each table and measure: slices, metric, system, n, score, mean, low, high."""
        return columns_of(self.rows)

    def write(self, path: str | Path) -> None:
        """The columns of to_table as a Parquet or CSV file, whole or not at all; fit for millions of slices."""
        write_columns(self.to_table(), path)

    @property
    def _drawn_document(self) -> dict[str, Any]:
        return self._document if self._tables <= MOST_DRAWN else self.page()

    def _outlines(self) -> dict[str, Callable[[], Any]]:
        found: dict[str, Callable[[], Any]] = {}
        if len(self.rows) == 1 and not self.rows[0].distribution.shape:
            found["law"] = self._outline
        found["confusion"] = partial(self.posterior.confusion, self.level, self.interval)
        if self._chief is not None:
            found["priors"] = self._under_priors
        return found

    @cached_property
    def _chief(self) -> tuple[Row, dict[str, Any]] | None:
        """The row of the headline, where the report sets it beside other priors."""
        said = row_documents(self.overall) if self._has_overall else self._document["rows"] if self._tables == 1 else ()
        return prior_rows.chief(self.posterior, self.overall if self._has_overall else self.rows, said)

    @cached_property
    def _prior_rows(self) -> list[dict[str, Any]]:
        if self._chief is None or (self.overall and not self._has_overall):
            return []
        axis = slices.sliced(self.posterior.evidence)
        p = self.posterior if axis is None else self.posterior.whole(axis)
        return prior_rows.headline_under_priors(p, *self._chief)

    def _under_priors(self) -> list[dict[str, Any]]:
        return self._prior_rows

    def _command(self) -> list[str] | None:
        """The words that score the counts again, where they are of one plain table."""
        result, rows, prior = self._document, self._document["rows"], self._document["prior"]["name"]
        counts = None if result.get("shrink") or prior not in NAMES else _counts(result["data"])
        if counts is None or any(row["slice"] or row["system"] or row["class"] is not None for row in rows):
            return None
        if any(self._known(row.asked) != row.metric for row in self.rows):  # a metric of the user's has no name
            return None
        words = ["howsure", "score", *counts]
        for row in rows:
            words += ["--metric", str(row["asked"])]
        for row in rows:
            words += [] if row["above"] is None else ["--above", f"{row['asked']}={row['above']!r}"]
        settings = {"prior": (prior, "even"), "level": (self.level, 0.95), "seed": (result["seed"], 0),
                    "interval": (self.interval, AUTO), "tolerance": (self.posterior.tolerance, 0.02)}  # fmt: skip
        for name, (value, usual) in settings.items():
            words += [] if value == usual else [f"--{name}", str(value)]
        return [*words, *(["--chance"] if "chance" in result.get("columns", ()) else []), "--out", "report.html"]

    def _outline(self) -> dict[str, Any]:
        """The law of the only row."""
        from howsure.results.outlines import outline

        (row,) = self.rows
        return outline(row.distribution, self.level, self.interval, above=row.above, label=row.asked)

    def under_priors(self, names: Iterable[Any] = NAMES) -> tuple[Report, ...]:
        """The same report under each of some priors, to see how much they tell: even, jeffreys and uniform.

        >>> from howsure.evidence.classes import Tally
        >>> r = score(Tally.binary(tp=8, fp=2, fn=3, tn=87), metrics=["f1"])
        >>> [round(x["f1"].mean, 2) for x in r.under_priors()]
        [0.73, 0.73, 0.71]
        """
        return tuple(self._under(name) for name in several(names, "names", "the names of priors, or weights"))

    def _under(self, prior: Any) -> Report:
        p, rows = prior_rows.put_under(self.posterior, self.rows, prior)
        return replace(self, posterior=p, rows=rows, overall=tuple(_overall(p, list(rows))))

    @property
    def confusions(self) -> Any:
        """The most frequent mistakes of many classes, each with the posterior of its share of the true class."""
        from howsure.posteriors.classes import confusions

        if "confusions" not in self._extras[0]:
            raise BadSetting("confusions are listed for a single table of three or more classes.")
        return confusions(self.posterior)

    def __repr__(self) -> str:
        if len(self.rows) == 1 and not self.rows[0].distribution.shape:
            row = self.rows[0]
            d = row.distribution
            low, high = (float(x) for x in row.interval)
            told = within(float(next((x for x in (row.score, d.mean) if np.isfinite(x)), d.median)), low, high)
            return f"{visible(row.asked)} {told} {100 * self.level:.12g}% {row.interval.kind}, {d.route}"
        return f"Report({visible(', '.join(r.asked for r in self.rows))}; {self.posterior.evidence!r})"


def _drawn_chances(rows: list[dict[str, Any]]) -> Notes:
    """Which probabilities of being better than chance are shares of draws."""
    drawn = {row["asked"]: row["error"]["chance"] for row in rows if (row["error"]["chance"] or 0.0) > 1e-9}
    return (note("chance-sampled", of=tuple(drawn), within=max(drawn.values())),) if drawn else ()


def score(
    data: Any,
    y_pred: Any = None,
    y: Any = None,
    *,
    metric: str | Metric | Iterable[str | Metric] | None = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    above: float | Mapping[str, float] | None = None,
    level: float | None = None,
    interval: str | None = None,
    prior: Any = None,
    tolerance: float | None = None,
    seed: int | None = None,
    chance: bool = False,
    sort: str | None = None,
    shrink: bool = False,
    **columns: Unpack[ColumnsAndTarget],
) -> Report:
    """Score evidence, a posterior, truths and predictions, or the columns of a frame, a file or a database.

    Columns are named as in hs.tally (`truth=`, `pred=`, `outcome=`, `value=`, `score=`, `by=`, `cluster=`, `weight=`,
    `where=`, …). `metric` and `metrics` mean the same, a name or several. Predictions may be a mapping from system to
    predictions: each system gets its rows. A fitted estimator is asked for its answers: score(estimator, X, y).
    `prior` (even), `level` (0.95), `interval` (auto), `tolerance` (0.02) and `seed` (0) are those of the curve or
    posterior that is given, unless they are given too. `prevalence=` answers for a target with another share of
    positives, as hs.shift does.

    Parameters
    ----------
    above
        Also the probability of exceeding this. A number for all metrics, or a mapping from metric to number.
    chance
        Also the chance level, and P(better than chance). Chance is random guessing at the same margins.
    shrink
        Partial pooling: small slices shrink toward the overall rate. It is for metrics that are rates
        (docs/how-to/partial-pooling.md).
    sort
        Order of slices of --by. The worst are those most surely worse than the rest.

    Examples
    --------
    >>> from howsure.evidence.classes import Tally
    >>> r = score(Tally.binary(tp=80, fp=20, fn=30, tn=870), metrics=["f1"], above=0.7)
    >>> r
    f1 0.762 [0.691, 0.819] 95% equal-tailed, closed form
    """
    wished = metrics_given(metric, metrics, "for the default table")
    data, y_pred, told = answered("score", data, y_pred, y, columns, wished)
    given = entered("score", data, y_pred, told, prior=prior, tolerance=tolerance, seed=seed)
    p = _together(given.posterior, flag(shrink, "shrink"), flag(chance, "chance"))
    wanted = check_level(given.level if level is None else level)
    kind = check_kind(given.interval if interval is None else interval)
    order = slices.check_sort(sort, p.evidence)
    several = len(p.evidence.systems) > 1
    own = {name: p.system(name) for name in p.evidence.systems} if several else {None: p}
    first = next(iter(own.values()))
    asked = _asked(first, wished)
    limits: list[float | None] | None = None
    rows: list[Row] = []
    for system, q in own.items():
        questions = q.questions(asked)
        limits = _limits(above, questions, q) if limits is None else limits
        rows += [Row(x, wanted, kind, limit, system) for x, limit in zip(questions, limits, strict=True)]
    overall = _overall(p, rows)
    for row in (*rows, *overall):
        _ = row.interval  # what has no answer is refused here, not when it is shown
    if chance:
        _refuse_without_chance(rows)
    return Report(p, wanted, kind, tuple(rows), order, bool(chance), tuple(overall))


def _together(p: Posterior, shrink: bool, chance: bool) -> Posterior:
    """The posterior of slices that lend strength to each other, where that is wanted."""
    if not (shrink or p.prior.shared):
        return p
    if p.prior.name not in ("even", "shared"):
        what = f"{option('shrink')} learns the prior of a slice from the others; got {option('prior')} too"
        raise BadSetting(f"{what}, {p.prior.name}. Leave out one of them.")
    if chance:
        raise BadSetting(f"{option('shrink')} looks at rates alone, and cannot tell {option('chance')}. Leave out one.")
    return posterior(p.evidence, "shared", tolerance=p.tolerance, seed=p.seed)


def _overall(p: Posterior, rows: list[Row]) -> list[Row]:
    """The same rows of all items, where there are slices."""
    axis = slices.sliced(p.evidence)
    if axis is None:
        return []
    whole, found = p.whole(axis), []
    for system, group in groupby(rows, key=lambda row: row.system):
        own, same = whole if system is None else whole.system(system), list(group)
        questions = [row.put_to(own) for row in same]
        own.kind.prepare(questions)
        found += [replace(row, question=q) for row, q in zip(same, questions, strict=True)]
    return found


def _line(row: Row, i: int | None) -> str:
    """The measure of a line, as asked for."""
    return row.asked if i is None or row.classes is None else f"{row.asked}:{row.classes[i]}"


def _refuse_without_chance(rows: list[Row]) -> None:
    """Guessing has a score where there are classes to guess; the first table tells."""
    firsts = [tuple(np.zeros(1, dtype=np.intp) for _ in row.distribution.shape) or None for row in rows]
    if all(row.question.chance(at) is None for row, at in zip(rows, firsts, strict=True)):
        raise BadSetting(f"{option('chance')} is for measures of classes: there is no guessing at {rows[0].asked}.")


def _asked(p: Posterior, metrics: Any) -> list[Any]:
    """The measures asked for, or the default table of the kind of evidence."""
    if metrics is None:
        return p.default_table
    return p.spelled_out(metrics if isinstance(metrics, list) else [metrics], at_once=True)


def _limits(above: Any, questions: list[Any], p: Posterior) -> list[float | None]:
    """The reference value of each row, which its measure can reach."""
    mine = [q.metric for q in questions]
    if not isinstance(above, Mapping):
        limits: list[float | None] = [None if above is None else _finite(above)] * len(questions)
    else:
        if not above:
            raise BadSetting(f"{option('above')} is empty; give numbers by their metrics, or leave it out.")
        own = {str(m): m for m in mine}
        wanted = {own.get(k) or p.kind.parse(p, k): _finite(v) for k, v in above.items()}
        unused = [str(m) for m in wanted if m not in mine]
        if unused:
            shown = listing([str(m) for m in mine])
            raise UnknownName(f"{option('above')} names {unused[0]!r}, which is not among the rows: {shown}.")
        limits = [wanted.get(m) for m in mine]
    fits = [str(m) for m, x in zip(mine, limits, strict=True) if x is not None and _within(m, x)]
    other = fits[0] if fits and not isinstance(above, Mapping) else None
    for q, limit in zip(questions, limits, strict=True):
        if limit is not None:
            refuse_beyond(q.asked, reached(q.metric), limit, "above", other)
    return limits


def _within(metric: Any, x: float) -> bool:
    low, high = reached(metric)
    return low <= x <= high


def _finite(x: Any) -> float:
    found = finite(x)
    if not -1e300 < found < 1e300:
        raise BadSetting(f"{option('above')} must be a finite number, or a mapping from metric to number; got {x!r}.")
    return found


# -- what is shown


def score_columns(result: ResultDict, rows: Sequence[Any]) -> list[TableColumn]:
    """Return the columns of rows of scores, or of the lines of a grid."""
    grid = grids.columns(result, rows)
    if grid is not None:
        return grid
    sliced, shrunk = col.slices(rows), any(r.get("shrink") is not None for r in rows)
    columns = [col.words("system")] if any(r["system"] for r in rows) else []
    columns += [*sliced, col.metric(), col.items(result, shown=bool(sliced)), col.score()]
    columns += [replace(x, shown=shrunk and x.key == "mean") for x in col.moments()]
    columns += [col.intervals(result)]
    if shrunk:
        columns.append(
            TableColumn("moved", "moved", lambda r: "" if r["shrink"] is None else f"{100 * r['shrink']:.0f}%")
        )
    if any(r["above"] is not None for r in rows):
        columns.append(col.limit("above", rows))
    if "chance" in result.get("columns", ()):
        chance = TableColumn("chance", "chance", lambda r: "" if r["chance"] is None else short(r["chance"]), leaves=9)
        columns += [
            chance,
            TableColumn("above-chance", "P(better than chance)", _above_chance, "probability"),
        ]
    return [*columns, col.route()]


def _counts(data: dict[str, Any]) -> list[str] | None:
    """Return one plain table as the command takes it."""
    cells = data.get("cells")
    if data.get("tables") != 1 or data.get("weighted") or data.get("prevalence") or data.get("clusters"):
        return None
    if not cells or any(not float(x).is_integer() for x in cells.values()):
        return None
    whole = {k: int(x) for k, x in cells.items()}
    if set(cells) == {"hits", "misses"}:
        return ["--rate", f"{whole['hits']}/{whole['hits'] + whole['misses']}"]
    return ["--counts", ",".join(f"{k}={x}" for k, x in whole.items())] if set(cells) == set(CELLS) else None


def _title(result: ResultDict, systems: list[str]) -> str:
    from howsure.report.opening import of_systems

    metrics, whose = {row["asked"] for row in result["rows"]}, of_systems(systems)
    if len(metrics) == 1:
        return f"How sure is {metrics.pop()}{whose}?"
    return f"How sure are the scores{whose}?" if whose else "How sure are these scores?"


def _answers(result: ResultDict, directions: Directions) -> Answers:
    from howsure.report.opening import scores

    return scores(result, directions)


def _above_chance(row: dict[str, Any]) -> str:
    p, error = row["p_above_chance"], col.error_of(row, "chance")
    if p is None:
        return ""
    return share(p, error) if error is not None and error > 1e-6 else probability(p)


VERB: Final = Verb(
    score,
    help="""`howsure score preds.csv` finds columns that have the usual names, and a note says which were taken.

    Usual names are truth or label; pred, prediction or answer; passed; score. Name others with --truth and --pred, or
    --outcome. Without a file: --counts, --rate, --matrix or --db.""",
    data=Data(cuts=True, without=("independent",)),
    table={
        "above": Option(metavar="0.8|f1=0.8", reads="limits", many=True),
        "sort": sorting("score"),
    },
    kinds=(
        ResultKind(
            "score",
            score_columns,
            grids.rows,
            lead=grids.lead,
            bars="row",
            charts=later("charts.scores:score"),
            title=_title,
            answers=_answers,
            clusters=True,
            columnar=True,
        ),
    ),
    question=WebQuestion(example={"counts": FOUR, "metrics": ["f1"], "above": 0.8}),
    examples=(
        "examples/neighbours.jsonl",
        f"{EXAMPLE} --truth truth --pred tree --metric f1",
        "--counts tp=80,fp=20,fn=30,tn=870",
        "--counts tp=80,fp=20,fn=30,tn=870 --prevalence 1% --metric precision",
    ),
)
