"""Names of retrieval metrics as ir_measures spells them, parsed and described."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

from howsure import catalogue
from howsure.catalogue import metrics
from howsure.catalogue.repeated import repeated
from howsure.catalogue.retrieval import Ranking, rankings
from howsure.errors import BadSetting, HowsureError, UnknownName, nearest
from howsure.ranking.measures import FAMILIES, GAINS, KINDS, RULES, UNJUDGED, Family, RunMeasure

# -- naming
#
# Names of measures of rankings, spelled as in ir_measures, `P(rel=2)@10`; trec_eval's names are understood too.

_NAMES: Final = {name.lower(): kind.name for kind in KINDS for name in (kind.name, *kind.aliases)}
_CHOICES: Final = {"dcg": GAINS, "rule": RULES, "unjudged": UNJUDGED}
_TREC_EVAL: Final = {
    "map": "AP", "map_cut": "AP", "p": "P", "recall": "R", "ndcg": "nDCG", "ndcg_cut": "nDCG", "rprec": "Rprec",
    "recip_rank": "RR", "bpref": "Bpref", "iprec_at_recall": "IPrec", "set_p": "SetP", "set_recall": "SetR",
    "set_f": "SetF", "success": "Success", "11pt_avg": "AP11(rule='trec_eval-9')", "num_rel": "NumRel",
    "num_ret": "NumRet", "num_rel_ret": "NumRet(rel=1)",
}  # fmt: skip
_LONGEST: Final = 1000  # of a name, in characters
_NUMBER: Final = re.compile(r"(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.IGNORECASE | re.ASCII)
_FORM: Final = re.compile(r"(micro-|macro-)?([a-z0-9_-]+?)(?:\((.*)\))?(?:@([^@()]+))?", re.IGNORECASE)


def parse(text: str | RunMeasure) -> RunMeasure:
    """The measure of a name, as ir_measures or trec_eval spell it; the text of a measure gives it back.

    >>> parse("ndcg_cut_10"), parse("p@5").trec_eval
    (RunMeasure(kind='nDCG', at=10, given=(), micro=False), 'P_5')
    """
    if isinstance(text, RunMeasure):
        return text
    if not isinstance(text, str) or not text.strip():
        raise BadSetting(f"a measure is a name such as nDCG@10; got {text!r}.")
    if len(text) > _LONGEST:
        raise BadSetting(f"a measure is a name such as nDCG@10; got {len(text):,} characters.")
    plain = "".join(text.split())
    found = _FORM.fullmatch(plain)
    if found is None:
        return _of_trec_eval(text, plain)
    average, name, inside, at = found.groups()
    kind = _NAMES.get(name.lower())
    if kind is None:
        return _of_trec_eval(text, plain)
    return _checked(FAMILIES[kind], at, _arguments(inside, text), (average or "").lower() == "micro-", text)


def _of_trec_eval(text: str, plain: str) -> RunMeasure:
    """P_10 and P.10, iprec_at_recall_0.10, map_cut_100, set_F_0.5, 11pt_avg."""
    lower = plain.lower()
    for name in sorted(_TREC_EVAL, key=len, reverse=True):
        if lower == name:
            return parse(_TREC_EVAL[name])
        if lower.startswith((f"{name}_", f"{name}.")) and re.fullmatch(r"[0-9]*\.?[0-9]+", lower[len(name) + 1 :]):
            if name == "set_f":  # whose number is the weight of recall, beta squared
                return parse(f"SetF(beta={min(float(lower[6:]), 1e12) ** 0.5!r})")
            return parse(f"{_TREC_EVAL[name]}@{lower[len(name) + 1 :]}")
    raise UnknownName(_unknown(text))


def _unknown(text: str) -> str:
    shown = [f"{kind.name}@10" if kind.at_needed and kind.at == "cutoff" else kind.name for kind in KINDS]
    base = re.split(r"[@(]", text)[0]
    hint = nearest(base, [*FAMILIES, *_TREC_EVAL]) or nearest(text, shown)
    return f"no measure named {text!r}.{hint} Known measures: {', '.join(shown)}."


def _arguments(inside: str | None, text: str) -> dict[str, Any]:
    """rel=2,dcg='exp-log2' as a mapping."""
    if not inside:
        return {}
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError
        found = {str(k.arg).lower(): ast.literal_eval(k.value) for k in call.keywords}
        if len(found) < len(call.keywords):  # one of them twice
            raise ValueError
        return found
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
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
        raise BadSetting(f"rel must be the lowest relevant grade, a whole number from 1; got {text!r}.")
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
    value = Fraction(at) if _NUMBER.fullmatch(at) else Fraction(-1)
    if kind.at == "recall":
        if not 0 <= value <= 1:
            raise BadSetting(f"the recall of {kind.name} is a number from 0 to 1; got {text!r}.")
        return Fraction(repr(float(at)))
    if value.denominator != 1 or not 1 <= value <= 10**9:
        raise BadSetting(f"the cut-off of {kind.name} is a whole number from 1; got {text!r}.")
    return int(value)


# -- describing
#
# Any measure as lists tell of it: of tables, scores and samples, which the catalogue has, and of runs.


@dataclass(frozen=True)
class OfRuns:
    """A measure of runs of search engines: the mean over queries of its value of each.

    >>> str(OfRuns(parse("ndcg_cut_10"))), OfRuns(parse("P@5")).aliases
    ('nDCG@10', ('P_5', 'precision@5'))
    """

    measure: RunMeasure

    text: None = None  # it is a procedure
    latex: None = None
    better: Literal["higher"] = "higher"
    needs_positive: bool = False
    source: None = None
    subject: str = "runs"

    def __str__(self) -> str:
        return str(self.measure)

    @property
    def bounds(self) -> tuple[float, float]:
        """From 0; a number of documents has no upper end."""
        return 0.0, math.inf if self.measure.declared.counts else 1.0

    @property
    def route(self) -> str:
        """How its posterior is computed."""
        return "sampled" if self.measure.unjudged == "rate" and not self.measure.micro else "quadrature"

    @property
    def undefined(self) -> str:
        """Which queries have no value."""
        none = "no document is relevant" if self.measure.recall_based else "never"
        return self.measure.declared.undefined or none

    @property
    def aliases(self) -> tuple[str, ...]:
        """The names in trec_eval and elsewhere."""
        m = self.measure
        found = [m.trec_eval] if m.trec_eval else []
        if not m.given and not m.micro:
            found += [str(m).replace(m.kind, name, 1) for name in m.declared.aliases]
        return tuple(dict.fromkeys(x for x in found if x != str(m)))

    @property
    def meaning(self) -> str:
        """In words, with its own cut-off."""
        at, what = self.measure.at, self.measure.declared.what
        return (
            what.replace("first k documents", "documents retrieved")
            if at is None
            else what.replace("first k", f"first {at}")
        )


def described(name: str) -> list[Any]:
    """The measures of a name: one, or of scores and of runs, where both have it.

    >>> [type(m).__name__ for x in ("f-measure", "nDCG@10", "AP") for m in described(x)]
    ['Metric', 'OfRuns', 'Ranking', 'OfRuns']
    """
    try:
        found: Any = catalogue.described(name)
    except HowsureError as error:
        try:
            return [OfRuns(parse(name))]
        except UnknownName:
            raise error from None
    return [found, *_of_runs_too(name)] if isinstance(found, Ranking) else [found]


def _of_runs_too(name: str) -> list[OfRuns]:
    try:
        return [OfRuns(parse(name))]
    except (BadSetting, UnknownName):
        return []


def listed() -> list[Any]:
    """Every measure that has a name of its own, and one of each family of others."""
    points = {"cutoff": "@10", "recall": "@0.1", "": ""}
    runs = [OfRuns(parse(f"{kind.name}{points[kind.at] if kind.at_needed else ''}")) for kind in KINDS]
    return [*metrics(), *rankings(), *repeated(), *runs]
