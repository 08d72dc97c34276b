"""Ishioka 2: recall, precision, fallout, F, the break-even point and the 11-point averaged precision."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

import howsure as hs
from howsure.arrays import Array, Integers
from howsure.evidence.scored import Scored
from howsure.papers.item import Agreement, Finding, Register, apart, claim, close, equals, result, rounds
from howsure.papers.oracles import many, point, worked

PAPER: Final = "Ishioka"
item = Register("ishioka", PAPER)

PAGES: Final = 40_000_000  # of the web search in section 2.1
SITES: Final = {"information retrieval": 117_240, "information retrieval & reliability": 1_364}


def on_many(*checks: Agreement) -> str:
    """The largest difference over the tables of these pages."""
    return f"on {many().shape[0]} tables: {apart(*checks)}"


def counts(t: hs.Tally) -> tuple[Array, Array, Array, Array]:
    """f11, f12, f21, f22 of the paper: relevant and retrieved, missed, returned in vain, the rest."""
    c = t.named()
    f11, f12, f21, f22 = (np.asarray(c[k], dtype=float) for k in ("tp", "fn", "fp", "tn"))
    return f11, f12, f21, f22


@item("table-1", "table 1", "The cross matrix",
      "rows relevant, nonrelevant; columns retrieved, not retrieved: f11 f12 | f1., f21 f22 | f2.")  # fmt: skip
def table_1() -> Finding:
    """Truth by rows, the positive class first: the cells under their other names, and the margins."""
    t = hs.Tally.matrix([[80, 30], [20, 870]], labels=["relevant", "nonrelevant"], positive="relevant")
    f11, f12, f21, f22 = (int(x) for x in counts(t))
    margins = [t.n * point(t, "prevalence"), t.n * point(t, "bias")]
    checks = [claim((f11, f12, f21, f22) == (80, 30, 20, 870))]
    checks.append(equals(margins, [f11 + f12, f11 + f21], 1e-9))
    text = f"f11 = tp {f11}, f12 = fn {f12}, f21 = fp {f21}, f22 = tn {f22}; n {t.n}"
    return result(text, checks, f11=f11, f12=f12, f21=f21, f22=f22, n=t.n)


def _rate(name: str, top: int, other: int) -> Finding:
    """A measure against f over its margin, at many tables."""
    f = counts(many())
    check = equals(point(many(), name), f[top] / (f[top] + f[other]))
    value = point(worked(), name)
    return result(f"{on_many(check)}; worked table {value:.4f}", [check], value=value)


@item("eq-1", "eq. 1", "Recall", "r = f11/f1.")
def recall() -> Finding:
    """Recall of the catalogue."""
    return _rate("recall", 0, 1)


@item("eq-2", "eq. 2", "Precision", "p = f11/f.1")
def precision() -> Finding:
    """Precision of the catalogue."""
    return _rate("precision", 0, 2)


@item("eq-3", "eq. 3", "Fallout", "a = f21/f2.")
def fallout() -> Finding:
    """Fallout of the catalogue."""
    return _rate("fallout", 2, 3)


def search(sites: int) -> dict[str, Any]:
    """The table behind so many sites retrieved, of 40 million pages, at recall 40% and precision 27%."""
    return hs.solve(bias=sites / PAGES, recall=0.4, precision=0.27, n=PAGES).tables[0]


def search_as_printed(sites: int) -> dict[str, Any]:
    """The same table with all sites taken for relevant ones, as the paper has it."""
    return hs.solve(tp=sites, recall=0.4, precision=0.27, n=PAGES).tables[0]


def _of_the_definitions(t: dict[str, Any], sites: int) -> list[Agreement]:
    """Whether a table has what is given: sites retrieved (f.1), pages, and recall and precision by eqs 1 and 2."""
    right = [close(t["tp"] + t["fp"], sites, 1e-6), close(sum(t.values()), PAGES, 1e-6)]
    return [*right, close(t["tp"] / (t["tp"] + t["fn"]), 0.4), close(t["tp"] / (t["tp"] + t["fp"]), 0.27)]


@item("2.1-search", "section 2.1", "A web search: information retrieval",
      "117,240 sites of 40 million, recall 40%, precision 27%: f11 = 117240, f12 = 175860, f21 = 316982, "
      "f22 = 39389918, a = 316982/39706900 = 0.008",
      "117,240 sites were retrieved, so that is f.1, not f11: with a precision of 27%, f11 is 31,655, and the fallout "
      "0.002. The printed cells are what 117,240 relevant sites would give.")  # fmt: skip
def web_search() -> Finding:
    """The four cells and the fallout by solve; and the printed ones from the sites taken for relevant."""
    sites = SITES["information retrieval"]
    t, theirs = search(sites), search_as_printed(sites)
    printed = {"tp": "117240", "fn": "175860", "fp": "316982", "tn": "39389918"}
    a, name = t["fp"] / (t["fp"] + t["tn"]), {"tp": "f11", "fn": "f12", "fp": "f21", "tn": "f22"}
    checks = [rounds(t[k], text, what=name[k]) for k, text in printed.items()]
    checks += [rounds(t["fp"] + t["tn"], "39706900", what="f2."), rounds(a, "0.008", what="a")]
    read = [*_of_the_definitions(t, sites), *(rounds(theirs[k], text) for k, text in printed.items())]
    shown = ", ".join(f"{name[k]} = {t[k]:.0f}" for k in printed)
    return result(f"{shown}, a = {t['fp']:.0f}/{t['fp'] + t['tn']:.0f} = {a:.4f}", checks, read, **t, fallout=a)


@item("2.1-reliability", "section 2.1", "A web search: information retrieval & reliability",
      "1,364 sites: a = 3688/39996590 = 0.00009",
      "The same slip: 1,364 is f.1, not f11. With a precision of 27%, f11 is 368, the fallout 0.00002.")  # fmt: skip
def narrower_search() -> Finding:
    """The same from 1,364 sites."""
    sites = SITES["information retrieval & reliability"]
    t, theirs = search(sites), search_as_printed(sites)
    a, negatives = t["fp"] / (t["fp"] + t["tn"]), t["fp"] + t["tn"]
    checks = [rounds(t["fp"], "3688", what="f21"), rounds(negatives, "39996590", what="f2.")]
    checks.append(rounds(a, "0.00009", what="a"))
    read = [*_of_the_definitions(t, sites), rounds(theirs["fp"], "3688")]
    text = f"f11 = {t['tp']:.0f}, a = {t['fp']:.0f}/{negatives:.0f} = {a:.7f}"
    return result(text, checks, read, **t, fallout=a)


@item("eq-4", "eq. 4", "van Rijsbergen's F", "F_β = (1+β²)pr/(β²p+r) = (1+β²)f11/(β²f1. + f.1)")
def f_beta() -> Finding:
    """Both forms against the catalogue for three β."""
    t = many()
    p, r = point(t, "precision"), point(t, "recall")
    f11, f12, f21, _ = counts(t)
    checks = []
    for beta in (0.5, 1.0, 2.0):
        b, got = beta**2, point(t, f"fbeta({beta:g})")
        checks.append(equals(got, (1 + b) * p * r / (b * p + r)))
        checks.append(equals(got, (1 + b) * f11 / (b * (f11 + f12) + f11 + f21)))
    values = {f"f{beta:g}": point(worked(), f"f{beta:g}") for beta in (0.5, 1, 2)}
    shown = ", ".join(f"{k} {v:.4f}" for k, v in values.items())
    return result(f"{on_many(*checks)}; worked table {shown}", checks, **values)


def _slopes(name: str, at: float, h: float = 1e-5) -> tuple[float, float]:
    """How fast a measure rises with precision and with recall where both have the same value."""
    near = [at - h, at, at + h]
    v = hs.relations.surface(name, x_values=near, y_values=near, fallout=0.01).values
    return float(v[1, 2] - v[1, 0]) / (2 * h), float(v[2, 1] - v[0, 1]) / (2 * h)


@item("eq-4-beta", "text after eq. 4", "What β weighs", "β = 2: precision is twice as important as recall",
      "β > 1 weighs recall: at p = r, F_β rises β² times as fast with recall as with precision, and it rises equally "
      "fast with both where r = βp.")  # fmt: skip
def beta_weighs() -> Finding:
    """Slopes of F2 at equal precision and recall."""
    by_p, by_r = _slopes("f2", 0.5)
    text = f"at p = r: F2 rises by {by_p:.2f} with precision and by {by_r:.2f} with recall"
    return result(text, [claim(by_p > by_r)], [close(by_r / by_p, 4.0, 1e-8), claim(by_r > by_p)], by_p=by_p, by_r=by_r)


@item("eq-5", "eq. 5", "F1 is the harmonic mean", "F1 = 2pr/(p+r)")
def harmonic() -> Finding:
    """Against the reciprocal of the mean of reciprocals."""
    t = many()
    p, r, f = (point(t, m) for m in ("precision", "recall", "f1"))
    checks = [equals(f, 2 * p * r / (p + r)), close(f, 1 / ((1 / p + 1 / r) / 2))]
    return result(f"{on_many(*checks)}; worked table {point(worked(), 'f1'):.4f}", checks)


# -- 2.2: rankings ------------------------------------------------------------------------------------------------


def cuts(relevant: Integers) -> hs.Tally:
    """The tables of a ranking, cut after each of its documents."""
    found = np.cumsum(relevant)
    rank = np.arange(1, relevant.size + 1)
    total = int(relevant.sum())
    return hs.Tally.binary(tp=found, fp=rank - found, fn=total - found, tn=relevant.size - total - (rank - found))


def of_ranking(relevant: Integers, name: str) -> float:
    """A measure of scored items, the scores falling with the rank."""
    return float(hs.posterior(Scored(relevant > 0, -np.arange(float(relevant.size))[:, None])).point(name))


def rankings(size: int = 100) -> list[Integers]:
    """Random rankings of 60 documents, of which 5 to 20 are relevant, the first places being the better ones."""
    rng = np.random.default_rng(11)
    made = []
    for _ in range(size):
        relevant = np.zeros(60, dtype=np.int64)
        weight = np.exp(-np.arange(60) / rng.uniform(5, 60))
        relevant[rng.choice(60, int(rng.integers(5, 21)), replace=False, p=weight / weight.sum())] = 1
        made.append(relevant)
    return made


@item("2.2-break-even", "section 2.2", "Break-even point",
      "the point where recall and precision are equal; where a plot is not smooth, interpolation is needed",
      "A ranking needs no interpolation: cut after as many documents as are relevant, fp = fn, and recall = precision "
      "exactly (R-precision).")  # fmt: skip
def break_even_point() -> Finding:
    """At that cut of random rankings recall, precision, F1 and the measure BEP agree."""
    checks, values = [], []
    for relevant in rankings():
        t, at = cuts(relevant), int(relevant.sum()) - 1
        p, r, f = (float(np.asarray(point(t, m))[at]) for m in ("precision", "recall", "f1"))
        checks += [close(p, r), claim(p == 0 or abs(f - p) < 1e-12), close(of_ranking(relevant, "BEP"), p)]
        values.append(p)
    text = f"on {len(values)} rankings, cut at the number of relevant documents: {apart(*checks)}"
    return result(text, checks, break_even=values)


def at_levels(relevant: Integers) -> list[float]:
    """Precision where recall reaches 0 (the first relevant document), 0.1, ..., 1."""
    t = cuts(relevant)
    r, p = np.asarray(point(t, "recall")), np.asarray(point(t, "precision"))
    found = [int(np.argmax(relevant))] + [int(np.argmax(r >= k / 10 - 1e-12)) for k in range(1, 11)]
    return [float(p[i]) for i in found]


TEN: Final = (1, 2, 4, 7, 11, 12, 20, 25, 31, 48)  # ranks of ten relevant documents


def _ranks(ranks: tuple[int, ...]) -> Integers:
    relevant = np.zeros(60, dtype=np.int64)
    relevant[np.array(ranks) - 1] = 1
    return relevant


@item("2.2-eleven-point", "section 2.2", "11-point averaged precision",
      "the mean of precision at recall 0.0, 0.1, ..., 1.0, at 0.0 that of the first relevant document; no example",
      "The ranking is ours. TREC and AP11 interpolate: the highest precision at this recall or above.")  # fmt: skip
def eleven_point() -> Finding:
    """Ten relevant documents, so that every level is reached: k/rank of the k-th, in fractions."""
    got = at_levels(_ranks(TEN))
    exact = [Fraction(1, TEN[0])] + [Fraction(k, rank) for k, rank in enumerate(TEN, 1)]
    mean, interpolated = float(np.mean(got)), float(np.mean(np.maximum.accumulate(got[::-1])))
    checks = [close(got, [float(x) for x in exact]), close(mean, float(sum(exact) / 11))]
    checks.append(close(of_ranking(_ranks(TEN), "AP11"), interpolated))
    text = f"relevant at ranks {', '.join(map(str, TEN))}: {mean:.4f}; as TREC interpolates {interpolated:.4f}"
    return result(text, checks, precision=got, mean=mean, interpolated=interpolated)


@item("2.2-comprehensive", "section 2.2", "What the average adds",
      "the 11-point average is more comprehensive than the break-even point")  # fmt: skip
def comprehensive() -> Finding:
    """Two rankings with one break-even point and different averages."""
    other = (1, 2, 3, 4, 5, 30, 40, 45, 50, 60)
    points, means = [], []
    for ranks in ((4, 6, 8, 9, 10, 11, 12, 13, 14, 15), other):
        relevant = _ranks(ranks)
        points.append(float(np.asarray(point(cuts(relevant), "precision"))[9]))
        means.append(float(np.mean(at_levels(relevant))))
    text = f"break-even {points[0]:.2f} and {points[1]:.2f}; averages {means[0]:.3f} and {means[1]:.3f}"
    return result(
        text, [claim(points[0] == points[1]), claim(abs(means[0] - means[1]) > 0.05)], break_even=points, means=means
    )
