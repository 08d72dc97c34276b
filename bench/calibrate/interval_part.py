"""What docs/contributing/calibration.md says of intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bench.calibrate import figures, summary
from bench.calibrate.summary import HDI, INTERVAL_GROUPS, METHODS, OURS, PACKAGES, Cell, Held
from bench.calibrate.words import case_words, first_up, listed, width, with_error
from bench.coverage_data import Table
from bench.coverage_page import markdown, short

LISTED: Final = 12  # cases in which another wins
TIED: Final = 5e-4  # distances that look alike
LEVEL: Final = 0.003  # distances that may be noise
_HEAD: Final = ("", "held", "lowest", "low", "high", "given", "distance", "width", "score", "±")


# -- in short --------------------------------------------------------------------------------------


def in_short(found: Sequence[Cell]) -> list[str]:
    """The answer for intervals, a sentence or two a point."""
    own, lost = [c for c in found if c.method == OURS], summary.beaten(found)
    ranked = {g: x for g in INTERVAL_GROUPS if (x := summary.ranked(found, g))}
    firsts = [g for g, x in ranked.items() if OURS in _tied(x)]
    return [
        (
            f"**Intervals.** Over {len(own)} cases (a measure, a kind of data, a number of items) howsure's 95% "
            f"intervals hold the truth in {short(sum(c.coverage for c in own) / len(own))} of the tests on average. "
            f"Coverage is below .93, by more than two standard errors, in {_below(own)} cases. {_others(found)}"
        ),
        (
            f"**Nearest to .95 on average** is howsure for {len(firsts)} of {len(ranked)} measures: "
            f"{_first(ranked, firsts)}. {_nearer(ranked, firsts)}"
        ),
        (
            f"**It loses** in {len(lost)} of the {len(own)} cases: there it is outside .93 to .97 and another method "
            f"is nearer to .95, by more than .01 and two standard errors. {_losses(lost)}"
        ),
        f"**It always answers.** {_answers(found)}",
    ]


def _below(found: Sequence[Cell]) -> str:
    return f"{sum(c.low for c in found)} of {len(found)}"


def _others(found: Sequence[Cell]) -> str:
    named = [m for m in METHODS if m not in (OURS, HDI)]
    told = [f"{m} {_below(here)}" for m in named if (here := [c for c in found if c.method == m])]
    return f"Of the others: {', '.join(told)} (each on the measures that it has)."


def _tied(ranked: Sequence[Held]) -> list[str]:
    """The methods that are nearest, as far as three digits show."""
    return [h.method for h in ranked if h.distance - ranked[0].distance < TIED]


def _first(ranked: Mapping[str, Sequence[Held]], firsts: Sequence[str]) -> str:
    """The measures of which howsure is nearest, with those that are level with it."""
    told = []
    for group in firsts:
        level = [h.method for h in ranked[group] if h.method != OURS and h.distance - ranked[group][0].distance < LEVEL]
        told.append(f"{group} ({listed(level)} level with it)" if level else group)
    return listed(told)


def _nearer(ranked: Mapping[str, Sequence[Held]], firsts: Sequence[str]) -> str:
    told = []
    for group, x in ranked.items():
        if group not in firsts:
            own = next(h for h in x if h.method == OURS)
            told.append(f"for {group} {listed(_tied(x))} ({short(x[0].distance)} away, howsure {short(own.distance)})")
    return f"{first_up('; '.join(told))}." if told else ""


def _losses(lost: Sequence[tuple[Cell, Cell]]) -> str:
    if not lost:
        return ""
    by: dict[str, int] = {}
    for _, best in lost:
        by[best.method] = by.get(best.method, 0) + 1
    told = listed([f"{method} in {n}" for method, n in sorted(by.items(), key=lambda x: -x[1])])
    own, best = lost[0]
    return (
        f"It is {told}. The worst: {own.group}, {case_words(own.case)}, {short(own.coverage)} against "
        f"{short(best.coverage)} ({best.method})."
    )


def _answers(found: Sequence[Cell]) -> str:
    own = max(sum(float(c[x]) for x in ("none", "zero", "outside")) for c in found if c.method == OURS)
    worst = max((c for c in found if c.method == "Wald"), key=lambda c: float(c["none"]) + float(c["zero"]))
    given = {
        g: h for g in INTERVAL_GROUPS if (h := summary.held(found, g, "Wilson")) and (h.given or 0.0) > h.mean + TIED
    }
    told = listed([f"{short(h.given)} for {g} ({short(h.mean)} of all tests)" for g, h in given.items()])
    return (
        f"{_missing(own)} of its intervals in any case are missing, have no width or leave the range. Of Wald's, "
        f"{short(worst['none'])} are missing and {short(worst['zero'])} have no width in the worst case "
        f"({worst.group}, {case_words(worst.case)}). Wilson's is missing where no item is positive, or called so; of "
        f"those that it gives, {told} hold: what howsure adds there is mostly the answer itself, which is wide when "
        "there is nothing to go by."
    )


def _missing(share: float) -> str:
    return f"At most {short(share)}" if share else "None"


# -- tables ----------------------------------------------------------------------------------------


def how_to_read(found: Sequence[Cell]) -> str:
    """What the columns are."""
    return (
        "One line a method. *Held* is the mean coverage over the cases; *lowest*, that of the worst case; *low* and "
        "*high*, in how many cases coverage is below .93 or above .97 by more than two standard errors; *given*, "
        "the mean coverage among the intervals that the method gave (*held* counts none as a miss); *distance*, the "
        "mean distance of coverage from .95, the nearest in bold; *width*, in the middle case, howsure's being 1; "
        "*score*, the interval score (width, and 40 times the distance by which the truth is missed; none counts as "
        "the whole range), the geometric mean over cases, howsure's being 1, so that below 1 is better; *±*, the "
        "largest standard error of a case, 0 if all are exact. Widths tell little where coverage is low. Methods "
        "with fewer tests are some way from .95 by noise alone. Largest standard error of all: "
        f"{short(max(c.error for c in found))}."
    )


def of_measure(found: Sequence[Cell], group: str) -> list[str]:
    """The table of a measure."""
    ranked = {h.method: h for h in summary.ranked(found, group)}
    if not ranked:
        return []
    best = min(h.distance for h in ranked.values())
    rows = [_row(ranked[m], best) for m in METHODS if m in ranked]
    return [f"### {first_up(group)}: {ranked[OURS].cases} cases", markdown(_HEAD, rows)]


def _row(h: Held, best: float) -> list[str]:
    distance = f"**{short(h.distance)}**" if h.distance - best < TIED else short(h.distance)
    ratios = ["–" if x is None else f"{x:.2f}" for x in (h.width, h.score)]
    counts = [str(h.below), str(h.above)]
    return [h.method, short(h.mean), short(h.lowest), *counts, short(h.given), distance, *ratios, short(h.error)]


def curve(tables: Mapping[str, Table]) -> str:
    """What the curve of rates says."""
    table = tables["rate curve"]
    lines = {method: table.where(method).column("rate") for method in figures.LINES}
    told = ", ".join(f"{method} {short(min(x))} to {short(max(x))}" for method, x in lines.items())
    items, rates = table.rows[0].case["items"], [row.case["rate"] for row in table.rows]
    return (
        f"Coverage of a rate of {items} items swings with the true rate for every method, since only {items + 1} "
        f"results can occur. Over true rates of {short(min(rates))} to {short(max(rates))}: {told}. Nothing is "
        "simulated; the bootstraps have infinitely many resamples."
    )


def directions(found: Sequence[Cell]) -> str:
    """Which methods miss on one side."""
    rows = []
    for group in INTERVAL_GROUPS:
        ranked = summary.ranked(found, group)
        if ranked:
            own = next(h for h in ranked if h.method == OURS)
            skew = max(ranked, key=lambda h: abs(h.too_low - h.too_high))
            rows.append([group, _sides(own), skew.method, _sides(skew)])
    lead = (
        "*Too low*: the whole interval lies below the truth; *too high*: above it. Each should be .025. A method "
        "that misses on one side tells that systems are worse, or better, than they are. Means over cases:"
    )
    return f"{lead}\n\n{markdown(('', 'howsure: too low / too high', 'most one-sided', 'too low / too high'), rows)}"


def _sides(h: Held) -> str:
    return f"{short(h.too_low)} / {short(h.too_high)}"


# -- losses and failures ---------------------------------------------------------------------------


def others_win(found: Sequence[Cell]) -> str:
    """The cases that howsure loses."""
    lost = summary.beaten(found)
    if not lost:
        return "In no case is howsure outside .93 to .97 and another method nearer to .95."
    rows = [
        [own.group, case_words(own.case), with_error(own.coverage, own), best.method, with_error(best.coverage, best),
         f"{width(own)} / {width(best)}"]
        for own, best in lost[:LISTED]
    ]  # fmt: skip
    lead = f"The {min(LISTED, len(lost))} of {len(lost)} such cases in which howsure is farthest from .95:"
    head = ("measure", "case", "howsure", "nearest", "its coverage", "width: howsure / it")
    return f"{lead}\n\n{markdown(head, rows)}\n\n{_why(found)}"


def _why(found: Sequence[Cell]) -> str:
    """The lowest of the rates: a nearly perfect system and few items."""
    here = summary.where(found, group="rate")
    own = min((c for c in here if c.method == OURS), key=lambda c: c.coverage)
    there = {c.method: short(c.coverage) for c in here if c.key == own.key}
    return (
        f"The lowest of the rates ({case_words(own.case)}): howsure holds {there[OURS]}, Wilson's interval "
        f'{there["Wilson"]}, howsure\'s interval of highest density, `interval="hdi"`, {there[HDI]}. If the score is '
        "1, the default interval ends at 1 ([perfect scores](coverage.md#perfect-scores))."
    )


def failures(found: Sequence[Cell]) -> str:
    """Intervals that are none, as counts."""
    rows = []
    for method in METHODS:
        for group in INTERVAL_GROUPS:
            got = summary.failures(found, method, group)
            if any(round(x) for x, _ in got.values()):
                rows.append([method, group, *(f"{round(x):,}" for x, _ in got.values()), f"{got['none'][1]:,}"])
    packages = "; ".join(f"{m} {_failed(found, m)}" for m in PACKAGES)
    lead = (
        "Of the simulated tests (enumerated cases are left out): how many had no interval (refused, NaN, 0/0), one "
        f"of no width, or one that leaves the range of the measure. howsure: {_failed(found, OURS)}. The packages: "
        f"{packages}."
    )
    return f"{lead}\n\n{markdown(('method', 'measure', 'none', 'no width', 'outside', 'tests'), rows)}"


def _failed(found: Sequence[Cell], method: str) -> str:
    each = [summary.failures(found, method, g) for g in INTERVAL_GROUPS]
    none, zero, outside = (round(sum(x[k][0] for x in each)) for k in ("none", "zero", "outside"))
    return f"{none:,} none, {zero:,} of no width, {outside:,} outside, of {sum(x['none'][1] for x in each):,}"
