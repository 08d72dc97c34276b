"""The grammar of the names of measures of tables, and the list of those that have one.

name = [average "-"] base [":" class]; average is micro, macro, weighted or samples; lower case with hyphens; case and
"_" are forgiven; parse(str(m)) == m. F_β is f0.5, f1 or f2, or fbeta(3) with any other β: f11 is a slip, not a measure.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from howsure.catalogue import multiclass
from howsure.catalogue.binary import DECLARED, LEAST_BETA, MOST_BETA, SHORT_BETAS, fbeta, utility
from howsure.catalogue.expressions import CELLS
from howsure.catalogue.metric import Metric
from howsure.catalogue.multiclass import AVERAGES, averaged
from howsure.errors import BadSetting, UnknownName, nearest
from howsure.messages.language import spelled

_F = re.compile(r"^f-?((?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)(?:-?score|-?measure)?$")
_FBETA = re.compile(r"^f-?(?:beta|β)(?:\((?:(?:beta|β)=)?([^()]*)\))?(?:-score|-measure)?$")
_AVERAGE = re.compile(rf"^({'|'.join(AVERAGES)})-(.+)$")
_WEIGHTED = re.compile(r"^(utility|cost)(?:\((.*)\))?$")
_PER_ITEM: Final = frozenset({  # means of a value that each item has, lower is better
    "brier", "brier-score", "brier-loss", "brier-score-loss", "log-loss", "logloss", "logarithmic-loss",
    "cross-entropy", "nll", "negative-log-likelihood", "mae", "mean-absolute-error", "mse", "mean-squared-error",
})  # fmt: skip
_NO_MEAN: Final = frozenset({  # neither of a table nor such a mean
    "ece", "expected-calibration-error", "mce", "calibration", "calibration-error", "calibration-slope", "rmse",
    "root-mean-squared-error", "r2", "r-2", "r^2", "r-squared", "r2-score", "explained-variance", "perplexity",
})  # fmt: skip


@lru_cache(maxsize=1)
def _known() -> dict[str, Metric]:
    """Canonical names and aliases."""
    named: dict[str, Metric] = {}
    f1 = fbeta(1)
    shown = [*DECLARED, f1, fbeta(2), fbeta(0.5), utility(tp=2, fp=-1), *multiclass.DECLARED, multiclass.SUBSET]
    shown += [averaged(kind, f1) for kind in ("micro", "macro", "weighted", "samples")]
    shown += [averaged("macro", m) for m in DECLARED[:2]]
    for metric in shown:
        for name in (metric.name, *metric.aliases):
            named[name] = metric
    named["utility"] = utility(tp=2, fp=-1)
    return named


def metrics() -> tuple[Metric, ...]:
    """Every metric of the catalogue, one of each.

    >>> "f1" in [str(m) for m in metrics()]
    True
    """
    return tuple(dict.fromkeys(_known().values()))


def parse(name: str | Metric) -> Metric:
    """The measure of a name.

    >>> str(parse("Sensitivity")), str(parse("F_0.5")), str(parse("f1:spam"))
    ('recall', 'f0.5', 'f1:spam')
    """
    if isinstance(name, Metric):
        return name
    if not isinstance(name, str):
        raise UnknownName(f"a metric is a name or a Metric; got {name!r}.")
    base, colon, label = name.partition(":")
    metric = _base(base)
    if colon and not label:
        write = f"{metric}" if metric.over_classes else f"{metric}:CLASS"
        raise UnknownName(f"{name!r} ends in ':' but names no class; write {write}.")
    return metric.of(label) if colon else metric


def is_average(name: str) -> bool:
    """Whether a name reads as that of an average."""
    return _AVERAGE.match(_hyphenated(name)) is not None


def _hyphenated(text: str) -> str:
    tight = re.sub(r"\s*([(),=])\s*", r"\1", text.strip().lower())
    return re.sub(r"[\s_]+", "-", tight)


def _base(text: str) -> Metric:
    bare = re.sub(r"\s+", "", text.lower())
    name, known = _hyphenated(text), _known()
    if name in known:
        return known[name]
    if found := _AVERAGE.match(name):
        return averaged(found[1], _averages(found[1], found[2], text))
    if found := _WEIGHTED.match(bare):
        return _with_weights(found[1], found[2] or "", text)
    if found := _FBETA.match(name):
        return _with_beta(found[1] or "", text)
    if (found := _F.match(name)) and _number(found[1]) in SHORT_BETAS:
        return fbeta(_number(found[1]))
    if told := elsewhere(text):
        raise UnknownName(told)
    hint = slip_of_f(name) or nearest(name, known)
    kind, _, rest = name.partition("-")
    if rest in known and not known[rest].over_classes and not nearest(kind, AVERAGES):
        hint = f" There is no average {kind!r}: give micro, macro or weighted."
    raise UnknownName(f"no metric named {text!r}.{hint} See: howsure metrics")


def elsewhere(text: str) -> str:
    """What to say of a well-known measure that is none of a table, or nothing.

    >>> elsewhere("r2"), elsewhere("f1")
    ("'r2' is not offered: it is no measure of a table, and no mean of a value of each item.", '')
    """
    name = _hyphenated(text)
    if name in _PER_ITEM:
        way = spelled("value='NAME', better='lower'", "--value NAME --better lower")
        return (
            f"{text!r} is no measure of a table, but the mean of a value of each item: write that value into a column, "
            f"and give {way}."
        )
    return (
        f"{text!r} is not offered: it is no measure of a table, and no mean of a value of each item."
        if name in _NO_MEAN
        else ""
    )


def _averages(kind: str, name: str, asked: str) -> Metric:
    """What an average is taken of; a name that is not known is reported as it was asked."""
    try:
        return _base(name)
    except UnknownName:
        hint = slip_of_f(name, f"{kind}-") or nearest(f"{kind}-{name}", [f"{kind}-{x}" for x in _known()])
        raise UnknownName(f"no metric named {asked!r}.{hint} See: howsure metrics") from None


def slip_of_f(text: str, before: str = "", after: str = "") -> str:
    """What f11 or f3 may stand for, or nothing where a name is no f with a number.

    >>> slip_of_f("f11"), slip_of_f("f3")
    (" Did you mean 'f1'? F with β = 11 is fbeta(11).", " Did you mean 'fbeta(3)'?")
    """
    found = _F.match(_hyphenated(text))
    if found is None:
        return ""
    beta = _number(found[1])
    if re.match(r"0\d|0*(\.0.*)?$", found[1]) or beta < 0.1:
        short = "f0.5"
    elif beta <= 10 or found[1][0] not in "12":  # one that people do use
        short = ""
    else:
        short = f"f{found[1][0]}"
    if not LEAST_BETA <= beta <= MOST_BETA:
        return f" Did you mean '{before}{short or 'f1'}{after}'?"
    full = f"{before}{fbeta(beta)}{after}"
    if not short:
        return f" Did you mean '{full}'?"
    return f" Did you mean '{before}{short}{after}'? F with β = {beta:g} is {full}."


def _with_beta(inside: str, asked: str) -> Metric:
    """fbeta(3)."""
    try:
        beta = _number(inside)
    except ValueError:
        raise BadSetting(f"{asked!r} needs a number for β, such as fbeta(3); f0.5, f1 and f2 are names too.") from None
    return fbeta(beta)


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _with_weights(kind: str, inside: str, asked: str) -> Metric:
    """utility(2,-1,0,0) or utility(tp=2,fp=-1)."""
    parts = [x.strip() for x in inside.split(",") if x.strip()]
    try:
        if all("=" in x for x in parts):
            pairs = [x.split("=") for x in parts]
            weights = {k.strip(): _number(v) for k, v in pairs}
        else:
            weights = dict(zip(CELLS, (_number(x) for x in parts), strict=True))
    except ValueError:
        weights = {"?": 0}
    if not weights or set(weights) - set(CELLS):
        raise BadSetting(f"{asked!r} needs the weights of tp, fp, fn, tn: {kind}(2,-1,0,0) or {kind}(tp=2,fp=-1).")
    return utility(**weights, cost=kind == "cost")
