"""Measures of rankings, one declaration each: name, value for every query, trec_eval's name, parameters, meaning.

Names are spelled as in ir_measures, `P(rel=2)@10`; trec_eval's names are understood too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np

from howsure.errors import BadSetting, UnknownName, nearest
from howsure.ranking.engine import Array, View, share
from howsure.rankings import Ints

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


def documents_for(recall: Fraction, relevant: Ints, rule: str) -> Ints:
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


def _within(cutoff: float | None, retrieved: Ints) -> Ints:
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
)  # fmt: skip
_KINDS: Final = {kind.name: kind for kind in KINDS}
_NAMES: Final = {name.lower(): kind.name for kind in KINDS for name in (kind.name, *kind.aliases)}
_CHOICES: Final = {"dcg": GAINS, "rule": RULES, "unjudged": UNJUDGED}
_TREC_EVAL: Final = {
    "map": "AP", "map_cut": "AP", "p": "P", "recall": "R", "ndcg": "nDCG", "ndcg_cut": "nDCG", "rprec": "Rprec",
    "recip_rank": "RR", "bpref": "Bpref", "iprec_at_recall": "IPrec", "set_p": "SetP", "set_recall": "SetR",
    "set_f": "SetF", "success": "Success", "11pt_avg": "AP11(rule='trec_eval-9')",
}  # fmt: skip
_FORM: Final = re.compile(r"(micro-|macro-)?([a-z0-9_-]+?)(?:\((.*)\))?(?:@([^@()]+))?", re.IGNORECASE)


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
        return _KINDS[self.kind]

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


def parse(text: str | RunMeasure) -> RunMeasure:
    """The measure of a name, as ir_measures or trec_eval spell it; the text of a measure gives it back.

    >>> parse("ndcg_cut_10"), parse("p@5").trec_eval
    (RunMeasure(kind='nDCG', at=10, given=(), micro=False), 'P_5')
    """
    if isinstance(text, RunMeasure):
        return text
    if not isinstance(text, str) or not text.strip():
        raise BadSetting(f"a measure is a name such as nDCG@10; got {text!r}.")
    plain = "".join(text.split())
    found = _FORM.fullmatch(plain)
    if found is None:
        return _of_trec_eval(text, plain)
    average, name, inside, at = found.groups()
    kind = _NAMES.get(name.lower())
    if kind is None:
        return _of_trec_eval(text, plain)
    return _checked(_KINDS[kind], at, _arguments(inside, text), (average or "").lower() == "micro-", text)


def _of_trec_eval(text: str, plain: str) -> RunMeasure:
    """P_10 and P.10, iprec_at_recall_0.10, map_cut_100, 11pt_avg."""
    lower = plain.lower()
    for name in sorted(_TREC_EVAL, key=len, reverse=True):
        if lower == name:
            return parse(_TREC_EVAL[name])
        if lower.startswith((f"{name}_", f"{name}.")) and re.fullmatch(r"\d*\.?\d+", lower[len(name) + 1 :]):
            return parse(f"{_TREC_EVAL[name]}@{lower[len(name) + 1 :]}")
    raise UnknownName(_unknown(text))


def _unknown(text: str) -> str:
    shown = [f"{kind.name}@10" if kind.at_needed and kind.at == "cutoff" else kind.name for kind in KINDS]
    base = re.split(r"[@(]", text)[0]
    hint = nearest(base, [*_KINDS, *_TREC_EVAL]) or nearest(text, shown)
    return f"no measure named {text!r}.{hint} Own measures: {', '.join(shown)}."


def _arguments(inside: str | None, text: str) -> dict[str, Any]:
    """rel=2,dcg='exp-log2' as a mapping."""
    if not inside:
        return {}
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError
        return {str(k.arg).lower(): ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, ValueError):
        raise BadSetting(f"parameters are name=value, such as P(rel=2)@10; got {text!r}.") from None


def _checked(kind: Family, at: str | None, given: dict[str, Any], micro: bool, text: str) -> RunMeasure:
    known = {**kind.defaults, "unjudged": "not"}
    if at is not None and not kind.at and "rule" in known and at.lower() in RULES:  # AP11@trec_eval-9, as of scores
        given, at = {"rule": at.lower(), **given}, None
    for name, value in given.items():
        if name not in known:
            raise UnknownName(
                f"{kind.name} has no parameter {name!r}; got {text!r}.{nearest(name, known)} It has {', '.join(known)}."
            )
        _check_value(name, value, text)
    if micro and kind.pooled is None:
        pooled = ", ".join(f"micro-{k.name}" for k in KINDS if k.pooled)
        raise UnknownName(f"{kind.name} is averaged over queries; pooled are {pooled}; got {text!r}.")
    if "beta" in given:
        given["beta"] = float(given["beta"])
    told = tuple(sorted((k, v) for k, v in given.items() if v != known[k]))
    return RunMeasure(kind.name, _place(kind, at, text), told, micro)


def _check_value(name: str, value: Any, text: str) -> None:
    choices = _CHOICES.get(name)
    if choices and value not in choices:
        raise UnknownName(
            f"{name} is one of {', '.join(map(repr, choices))}; got {text!r}.{nearest(str(value), choices)}"
        )
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "rel" and not (isinstance(value, int) and number and value >= 1):
        raise BadSetting(f"rel is the least grade that is relevant, a whole number from 1; got {text!r}.")
    if name == "beta" and not (number and 1e-6 <= value <= 1e6):
        raise BadSetting(f"beta is a number above 0; got {text!r}.")


def _place(kind: Family, at: str | None, text: str) -> Any:
    """The cut-off, a whole number, or the recall, from 0 to 1, as the exact value of its digits."""
    if at is None:
        if kind.at_needed:
            example = "0.1" if kind.at == "recall" else "10"
            raise BadSetting(
                f"{kind.name} needs a {kind.at.replace('cutoff', 'cut-off')}: {kind.name}@{example}; got {text!r}."
            )
        return None
    if not kind.at:
        raise BadSetting(f"{kind.name} has no cut-off; got {text!r}.")
    try:
        value = Fraction(at)
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if kind.at == "recall":
        if not 0 <= value <= 1 or "/" in at:
            raise BadSetting(f"the recall of {kind.name} is a number from 0 to 1; got {text!r}.")
        return Fraction(repr(float(at)))
    if value.denominator != 1 or not 1 <= value <= 10**9:
        raise BadSetting(f"the cut-off of {kind.name} is a whole number from 1; got {text!r}.")
    return int(value)
