"""Retrieval metrics of every query, computed on flat arrays of ranked documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np

from howsure.arrays import Array, Integers, Mask
from howsure.distributions.ordering import falling_maximum, starts_of, within_segments
from howsure.errors import BadSetting
from howsure.evidence.rankings import Judgments, RankedRun

# -- engine
#
# What the measures of rankings are made of, for all queries of a run at once: flat arrays, no loop over documents.
#
# Only judged documents are looked at: every measure depends on their ranks, on how many documents were retrieved and on
# the grades of all judged documents, retrieved or not.


STEEPEST = 1000  # of grades under exponential gain: 2^grade stays within floating point


@dataclass(frozen=True, eq=False)
class View:
    """One run against the judgments, with the grade from which a document is relevant."""

    judgments: Judgments
    ranking: RankedRun
    level: int = 1

    @property
    def many(self) -> int:
        """The number of queries."""
        return len(self.judgments.queries)

    @cached_property
    def relevant(self) -> Integers:
        """Relevant documents of each query, retrieved or not."""
        return self.judgments.relevant(self.level)

    @cached_property
    def nonrelevant(self) -> Integers:
        """Documents of each query that were judged not relevant."""
        return self.judgments.judged - self.relevant

    @cached_property
    def hit(self) -> Mask:
        """Which of the judged documents retrieved are relevant."""
        return np.asarray(self.ranking.grade >= self.level)

    @cached_property
    def query(self) -> Integers:
        """The query of each relevant document retrieved."""
        return self.ranking.query[self.hit]

    @cached_property
    def rank(self) -> Integers:
        """Its rank."""
        return self.ranking.rank[self.hit]

    @cached_property
    def number(self) -> Integers:
        """Which one it is among the relevant documents of its query: 1, 2, …"""
        return within_segments(self.query, self.many) + 1

    @cached_property
    def found(self) -> Integers:
        """Relevant documents retrieved for each query."""
        return np.bincount(self.query, minlength=self.many)

    def sums(self, values: Any, kept: Any = None) -> Array:
        """Sums over the relevant documents retrieved, for each query."""
        query = self.query if kept is None else self.query[kept]
        return np.asarray(np.bincount(query, values if kept is None else values[kept], self.many), dtype=float)

    def hits(self, cutoff: float | None) -> Array:
        """Relevant documents among the first so many."""
        if cutoff is None:
            return self.found.astype(float)
        return np.asarray(np.bincount(self.query[self.rank <= cutoff], minlength=self.many), dtype=float)

    @cached_property
    def precision(self) -> Array:
        """Precision at each relevant document retrieved."""
        return self.number / self.rank

    @cached_property
    def interpolated(self) -> Array:
        """The highest precision from each relevant document retrieved on."""
        return falling_maximum(self.precision, self.query)

    def precision_from(self, needed: Integers) -> Array:
        """The highest precision once so many relevant documents are found; 0 where they never are."""
        at = starts_of(self.found)[:-1] + np.maximum(needed, 1) - 1
        there = np.maximum(needed, 1) <= self.found
        out = np.zeros(self.many)
        out[there] = self.interpolated[at[there]]
        return out

    @cached_property
    def worse_before(self) -> Integers:
        """Documents judged not relevant ahead of each relevant one."""
        place = within_segments(self.ranking.query, self.many)[self.hit]
        return place - (self.number - 1)

    def gained(self, cutoff: float | None, exponential: bool) -> tuple[Array, Array]:
        """Discounted cumulative gain of each query, and the greatest possible: gain / log2(rank + 1)."""
        j, r = self.judgments, self.ranking
        got = _discounted(r.query, r.rank, r.grade, r.discount, cutoff, exponential, self.many)
        return got, _discounted(j.query, j.place, j.grade, j.discount, cutoff, exponential, self.many)

    def spread_hits(self, cutoff: Integers) -> Array:
        """Relevant documents among the first so many of each query, tied scores sharing their ranks equally."""
        above, level = self.ranking.above[self.hit], self.ranking.level[self.hit]
        share = np.clip((cutoff[self.query] - above) / level, 0.0, 1.0)
        return self.sums(share)

    def graded(self, cutoff: float | None) -> tuple[Integers, Integers, Integers]:
        """Ranks, grades and queries of the documents among the first so many that have a grade above 0."""
        r = self.ranking
        kept = r.grade > 0 if cutoff is None else (r.grade > 0) & (r.rank <= cutoff)
        return r.rank[kept], r.grade[kept], r.query[kept]

    def judged_hits(self, cutoff: float | None) -> Array:
        """Judged documents among the first so many."""
        r = self.ranking
        kept = r.query if cutoff is None else r.query[r.rank <= cutoff]
        return np.asarray(np.bincount(kept, minlength=self.many), dtype=float)


def _discounted(
    query: Integers,
    rank: Integers,
    grade: Integers,
    discount: Array,
    cutoff: float | None,
    exponential: bool,
    many: int,
) -> Array:
    kept = grade > 0 if cutoff is None else (grade > 0) & (rank <= cutoff)
    gain = grade[kept].astype(float)
    if exponential:
        if gain.max(initial=0.0) > STEEPEST:
            raise BadSetting(
                f"a grade of {gain.max():g} is too high for exponential gain, 2^grade - 1; give dcg='log2'."
            )
        gain = np.exp2(gain) - 1.0
    return np.asarray(np.bincount(query[kept], gain / discount[kept], many), dtype=float)


def share(top: Any, bottom: Any) -> Array:
    """top/bottom, and 0 where nothing could be found."""
    top, bottom = np.asarray(top, dtype=float), np.asarray(bottom, dtype=float)
    out = np.zeros(np.broadcast_shapes(top.shape, bottom.shape))
    return np.asarray(np.divide(top, bottom, out=out, where=bottom != 0))


# -- measures
#
# Measures of rankings, one declaration each: name, value for every query, trec_eval's name, parameters, meaning.
#
# How their names are read is in `naming`.

RULES: Final = ("ceil", "trec_eval-9", "trec_eval-10")
GAINS: Final = ("log2", "exp-log2")
UNJUDGED: Final = ("not", "relevant", "rate")
ELEVEN: Final = tuple(Fraction(k, 10) for k in range(11))

Parameters = Mapping[str, Any]
Value = Callable[[View, Parameters], Array]


@dataclass(frozen=True)
class Family:
    """A family of measures: what its `@` means ("" where it has none) and the defaults of its parameters."""

    name: str
    value: Value
    what: str
    trec_eval: str | None = None  # with {} for the cut-off
    at: str = ""
    whole: str | None = None  # trec_eval's name without a cut-off
    at_needed: bool = False
    defaults: Parameters = field(default_factory=lambda: {"rel": 1})
    recall_based: bool = True  # undefined for a query without relevant documents
    undefined: str = ""  # why a query has no value (NaN), where that is not for want of relevant documents
    counts: bool = False  # a number of documents, which trec_eval and ir-measures add up over queries
    pooled: Callable[[View, Parameters], tuple[Array, Array]] | None = None  # what the micro average adds up
    aliases: tuple[str, ...] = ()


def _average_precision(v: View, p: Parameters) -> Array:
    kept = None if p["cutoff"] is None else v.rank <= p["cutoff"]
    return share(v.sums(v.precision, kept), v.relevant)


def _reciprocal_rank(v: View, p: Parameters) -> Array:
    first = (v.number == 1) if p["cutoff"] is None else (v.number == 1) & (v.rank <= p["cutoff"])
    return v.sums(1.0 / v.rank, first)


def _r_precision(v: View, _: Parameters) -> Array:
    return share(np.bincount(v.query[v.rank <= v.relevant[v.query]], minlength=v.many), v.relevant)


def _ndcg(v: View, p: Parameters) -> Array:
    return share(*v.gained(p["cutoff"], p["dcg"] == "exp-log2"))


def _bpref(v: View, _: Parameters) -> Array:
    """Buckley & Voorhees 2004, as trec_eval 8 and later: wrong order among judged documents only."""
    relevant, other = v.relevant[v.query], v.nonrelevant[v.query]
    lost = share(np.minimum(v.worse_before, relevant), np.minimum(other, relevant))
    return share(v.sums(1.0 - lost), v.relevant)


def documents_for(recall: Fraction, relevant: Integers, rule: str) -> Integers:
    """How many relevant documents a recall stands for: rounded up, or as trec_eval 9 or 10 rounds.

    >>> [documents_for(Fraction(1, 2), np.array([1, 2, 3]), rule).tolist() for rule in RULES]
    [[1, 1, 2], [1, 1, 2], [1, 1, 2]]
    >>> [documents_for(Fraction(1, 10), np.array([1, 4, 11]), rule).tolist() for rule in RULES]
    [[1, 1, 2], [1, 1, 2], [0, 0, 1]]
    >>> [documents_for(Fraction(1, 100), np.array([5, 101]), rule).tolist() for rule in RULES]
    [[1, 2], [0, 1], [0, 1]]
    """
    if rule == "ceil":
        return np.asarray(-(-recall.numerator * relevant // recall.denominator), dtype=np.int64)
    product = float(recall) * relevant  # in floating point, as there
    if rule == "trec_eval-9":
        return np.asarray((product + 0.9).astype(np.int64))
    return np.asarray((np.floor(product) + (product - np.floor(product) >= 0.5)).astype(np.int64))


def _interpolated(v: View, p: Parameters) -> Array:
    return v.precision_from(documents_for(p["recall"], v.relevant, p["rule"]))


def _eleven_points(v: View, p: Parameters) -> Array:
    """At recall 0 `ceil` takes the precision at the first relevant document (Ishioka), trec_eval the highest of all."""
    at = [v.precision_from(documents_for(recall, v.relevant, p["rule"])) for recall in ELEVEN]
    if p["rule"] == "ceil":
        at[0] = v.sums(v.precision, v.number == 1)
    return np.asarray(np.mean(at, axis=0))


def _f(v: View, p: Parameters) -> Array:
    weight = p["beta"] ** 2
    return share((1.0 + weight) * v.found, weight * v.relevant + v.ranking.retrieved)


def _f_parts(v: View, p: Parameters) -> tuple[Array, Array]:
    weight = p["beta"] ** 2
    return (1.0 + weight) * v.found, weight * v.relevant + v.ranking.retrieved.astype(float)


def _expected_reciprocal_rank(v: View, p: Parameters) -> Array:
    """Chapelle et al. 2009 as gdeval has it: a document of grade g satisfies with probability (2^g - 1)/16."""
    rank, grade, query = v.graded(p["cutoff"])
    highest = int(grade.max(initial=0))
    if highest > 4:
        raise BadSetting(f"ERR has grades from 0 to 4, a scale that ends with 4; the highest here is {highest}.")
    found, left = np.zeros(v.many), np.ones(v.many)  # left: the chance that no document has satisfied yet
    starts = starts_of(np.bincount(query, minlength=v.many))
    for k in range(int(np.diff(starts).max(initial=0))):
        (here,) = np.nonzero(starts[:-1] + k < starts[1:])
        at = starts[here] + k
        satisfies = (np.exp2(grade[at]) - 1.0) / 16.0
        found[here] += left[here] * satisfies / rank[at]
        left[here] *= 1.0 - satisfies
    return found


def _accuracy(v: View, p: Parameters) -> Array:
    """Of the pairs of a relevant and another document retrieved, the share in the right order."""
    hits = v.hits(p["cutoff"])
    others = _within(p["cutoff"], v.ranking.retrieved) - hits
    kept = None if p["cutoff"] is None else v.rank <= p["cutoff"]
    pairs = hits * others
    return np.where(pairs > 0, 1.0 - share(v.sums(v.rank - v.number, kept), pairs), np.nan)


def _within(cutoff: float | None, retrieved: Integers) -> Integers:
    return retrieved if cutoff is None else np.minimum(retrieved, int(cutoff))


KINDS: Final = (
    Family("P", lambda v, p: v.hits(p["cutoff"]) / p["cutoff"], "relevant share of the first k documents",
           "P_{}", "cutoff", at_needed=True, recall_based=False, aliases=("precision",)),
    Family("R", lambda v, p: share(v.hits(p["cutoff"]), v.relevant),
           "share of the relevant documents among the first k", "recall_{}", "cutoff", at_needed=True,
           aliases=("recall",)),
    Family("AP", _average_precision, "mean of the precisions at the relevant documents; its mean over queries is MAP",
           "map_cut_{}", "cutoff", "map", aliases=("map",)),
    Family("RR", _reciprocal_rank, "1/rank of the first relevant document; its mean over queries is MRR",
           None, "cutoff", "recip_rank", recall_based=False, aliases=("mrr",)),
    Family("nDCG", _ndcg, "gain discounted by log2(rank + 1), as a share of the best possible",
           "ndcg_cut_{}", "cutoff", "ndcg", defaults={"dcg": "log2"}),
    Family("Rprec", _r_precision, "precision at rank R, the number of relevant documents", whole="Rprec",
           aliases=("r-precision",)),
    Family("Bpref", _bpref, "how seldom a document judged not relevant is ahead of a relevant one", whole="bpref"),
    Family("IPrec", _interpolated, "highest precision at this recall or a greater one", "iprec_at_recall_{:.2f}",
           "recall", at_needed=True, defaults={"rel": 1, "rule": "trec_eval-9"}),
    Family("AP11", _eleven_points, "mean of the interpolated precisions at recall 0, 0.1, …, 1",
           defaults={"rel": 1, "rule": "ceil"}, aliases=("11pt",)),
    Family("BEP", lambda v, _: share(v.spread_hits(v.relevant), v.relevant),
           "where precision equals recall, at rank R; documents of one score share their ranks",
           aliases=("break-even",)),
    Family("SetP", lambda v, _: share(v.found, v.ranking.retrieved), "relevant share of all documents retrieved",
           whole="set_P", recall_based=False,
           pooled=lambda v, _: (v.found.astype(float), v.ranking.retrieved.astype(float))),
    Family("SetR", lambda v, _: share(v.found, v.relevant), "share of the relevant documents retrieved",
           whole="set_recall", pooled=lambda v, _: (v.found.astype(float), v.relevant.astype(float))),
    Family("SetF", _f, "F of the documents retrieved", whole="set_F", defaults={"rel": 1, "beta": 1.0},
           pooled=_f_parts),
    Family("Success", lambda v, p: np.minimum(v.hits(p["cutoff"]), 1.0), "whether the first k hold a relevant document",
           "success_{}", "cutoff", at_needed=True, recall_based=False),
    Family("Judged", lambda v, p: share(v.judged_hits(p["cutoff"]), _within(p["cutoff"], v.ranking.retrieved)),
           "judged share of the first k documents", None, "cutoff", defaults={}, recall_based=False),
    Family("ERR", _expected_reciprocal_rank, "1/rank at which a reader is expected to be satisfied, by grades 0 to 4",
           None, "cutoff", defaults={}, recall_based=False),
    Family("Accuracy", _accuracy, "how often a relevant document retrieved is ahead of another one", None, "cutoff",
           recall_based=False, undefined="no relevant document, or no other one, was retrieved"),
    Family("NumRel", lambda v, _: v.relevant.astype(float), "relevant documents, retrieved or not",
           recall_based=False, counts=True),
    Family("NumRet", lambda v, p: (v.found if p["rel"] else v.ranking.retrieved).astype(float),
           "documents retrieved; those of this grade or a higher one for NumRet(rel=1)", defaults={"rel": 0},
           recall_based=False, counts=True),
)  # fmt: skip
FAMILIES: Final = {kind.name: kind for kind in KINDS}


@dataclass(frozen=True)
class RunMeasure:
    """A measure as it was asked for: its kind, its cut-off or recall, and the parameters that are not the default."""

    kind: str
    at: Any = None
    given: tuple[tuple[str, Any], ...] = ()
    micro: bool = False

    def __str__(self) -> str:
        told = ",".join(f"{name}={value!r}" for name, value in self.given)
        at = "" if self.at is None else f"@{float(self.at)!r}" if isinstance(self.at, Fraction) else f"@{self.at}"
        return f"{'micro-' if self.micro else ''}{self.kind}{f'({told})' if told else ''}{at}"

    @property
    def declared(self) -> Family:
        """The declaration."""
        return FAMILIES[self.kind]

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter with its value."""
        kind = self.declared
        return {"rel": 1, **kind.defaults, **({kind.at: self.at} if kind.at else {}), **dict(self.given)}

    @property
    def unjudged(self) -> str:
        """What is taken of unjudged documents: not relevant, relevant, or relevant at the rate of the judged."""
        return str(dict(self.given).get("unjudged", "not"))

    def taking(self, unjudged: str) -> RunMeasure:
        """The same measure with another view of unjudged documents."""
        rest = {k: v for k, v in self.given if k != "unjudged"} | ({} if unjudged == "not" else {"unjudged": unjudged})
        return RunMeasure(self.kind, self.at, tuple(sorted(rest.items())), self.micro)

    @property
    def trec_eval(self) -> str | None:
        """What trec_eval calls it, if it has it."""
        if self.micro or self.given:
            same = self.kind == "AP11" and self.given == (("rule", "trec_eval-9"),)
            return "11pt_avg" if same else None
        kind = self.declared
        if isinstance(self.at, Fraction) and (100 * self.at).denominator > 1:
            return None  # trec_eval prints two digits of a recall
        at = float(self.at) if isinstance(self.at, Fraction) else self.at
        return kind.whole if at is None else kind.trec_eval.format(at) if kind.trec_eval else None

    @property
    def recall_based(self) -> bool:
        """Whether a query without relevant documents has no value."""
        return self.declared.recall_based and not self.micro

    @property
    def rule(self) -> str | None:
        """The rule that turns a recall into a number of documents, where there is one."""
        found = self.parameters.get("rule")
        return None if found is None else str(found)

    def values(self, view: View) -> Array:
        """The value of every query; NaN where it has none."""
        found = np.asarray(self.declared.value(view, self.parameters), dtype=float)
        return np.where(view.relevant > 0, found, np.nan) if self.recall_based else found

    def tallies(self, view: View) -> tuple[Array, Array]:
        """What the micro average adds up over queries: tops and bottoms."""
        assert self.declared.pooled is not None  # noqa: S101 - parse refuses others
        return self.declared.pooled(view, self.parameters)
