"""What docs/contributing/calibration.md says of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bench.calibrate import summary
from bench.calibrate.summary import OURS, TEST_GROUPS, TESTS, Called, Cell
from bench.calibrate.words import first_up, listed, signed
from bench.coverage_page import markdown, short

_HEAD: Final = ("", "false alarms", "most", "above", "power", "gain", "wrong way", "none", "±")
MARGIN: Final = 0.005  # a gain of power that is worth a word, beyond two standard errors


def _others(found: Sequence[Cell], group: str) -> list[Called]:
    """The other tests of a kind of data, with their power."""
    got = (summary.called(found, group, m) for m in TESTS if m != OURS)
    return [c for c in got if c is not None and c.gain is not None]


def in_short(found: Sequence[Cell]) -> list[str]:
    """The answer for comparisons."""
    own = {g: c for g in TEST_GROUPS if (c := summary.called(found, g, OURS))}
    alarms = ", ".join(f"{g} {short(c.alarms)} ({short(c.most)})" for g, c in own.items())
    above = sum(c.above for c in own.values())
    others = [(g, c) for g in own for c in _others(found, g)]
    more = [_gain(g, c) for g, c in others if c.above == 0 and (c.gain or 0.0) > MARGIN + c.doubt]
    less = [_gain(g, c) for g, c in others if (c.gain or 0.0) < -MARGIN - c.doubt]
    return [
        (
            "**False alarms.** Equal systems are called different (P(A > B) outside .025 to .975), on average and "
            f"in the worst design: {alarms}; it is above .06 by more than two standard errors in {above} of "
            f"{sum(c.cases for c in own.values())} designs."
        ),
        (
            "**Power.** The better system is found more often than by howsure, beyond two standard errors, and with "
            f"no more false alarms than .06 as far as these tests can show, by {listed(more, 'no other test')}; less "
            f"often by {listed(less, 'no other test')}."
        ),
    ]


def _gain(group: str, c: Called) -> str:
    return f"{c.method} for {group} ({signed(c.gain)})"


def how_to_read(found: Sequence[Cell]) -> str:
    """What the columns are."""
    return (
        "Two systems on the same items. howsure calls them different when P(A > B) is outside .025 to .975, a test "
        "when its two-sided p is below .05, the bootstrap when 0 is outside its percentile interval. *False "
        "alarms*: the mean over designs with equal systems; *most*: the worst design; *above*: in how many it is "
        "above .06 by more than two standard errors. *Power*: how often the better system is called better, the "
        "mean over designs; *gain*: that less howsure's. *Wrong way*: how often it is called worse, at most. "
        "*None*: how often the method says nothing, which calls nothing. Largest standard error of a design: "
        f"{short(max(c.error for c in found))}. On right or wrong answers the sign test, the permutation test and "
        "McNemar's exact test are one. McNemar's tests look at right and wrong also where F1 is asked for; "
        "prob_conf_mat takes the systems for independent. Of graded values, the skewed differences have a mean of 0 "
        "and a median below it: the sign test, Wilcoxon's and evalstats ask for the middle, not for the mean, and "
        "call them different."
    )


def of_kind(found: Sequence[Cell], group: str) -> list[str]:
    """The table of a kind of data."""
    got = [c for m in TESTS if (c := summary.called(found, group, m))]
    return [f"### {first_up(group)}: {got[0].cases} designs", markdown(_HEAD, map(_row, got))] if got else []


def _row(c: Called) -> list[str]:
    gain = "" if c.method == OURS else signed(c.gain)
    shares = [short(x) for x in (c.wrong, c.none, c.error)]
    return [c.method, short(c.alarms), short(c.most), str(c.above), short(c.power), gain, *shares]


def power(found: Sequence[Cell]) -> str:
    """Who finds more, and who finds less."""
    told = []
    for group in TEST_GROUPS:
        got = _others(found, group)
        if got:
            best = max((c for c in got if c.above == 0), key=lambda c: c.gain or 0.0, default=None)
            worst = min(got, key=lambda c: c.gain or 0.0)
            most = (
                f"the most powerful that nowhere has more false alarms than .06 is {best.method} ({signed(best.gain)})"
                if best
                else "every other test somewhere has more false alarms than .06"
            )
            told.append(f"- {first_up(group)}: {most}; the least powerful is {worst.method} ({signed(worst.gain)}).")
    lead = (
        "Power less howsure's, means over the designs with a better system. To find more by raising more false "
        "alarms is no gain: such designs are crosses."
    )
    return lead + "\n\n" + "\n".join(told)
