"""Verdicts: how sure a probability is, in words.

A system is called better where P(better) is at least 1 - (1 - level)/2, .975 at 95%: the equal-tailed interval of the
difference then excludes 0. From .9 on it is probably better, and below that the question is open.
"""

from __future__ import annotations

from typing import Final

from howsure.messages.numbers import stated

LIKELY: Final = 0.9


def better(leader: str, other: str, on: object, p: float, shown: str, level: float) -> str:
    """Of two systems the one that is ahead, with P(it is the better one) as a number and as shown.

    >>> better("a", "b", "f1", 0.98, "0.98", 0.95), better("a", "b", "f1", 0.93, "0.93", 0.95)
    ('a is better than b on f1 (probability 0.98)', 'a is probably better than b on f1 (probability 0.93)')
    >>> better("a", "b", "f1", 0.631, "0.63", 0.95)
    'too close to call on f1: P(a better than b) = 0.63'
    """
    if p < likely(level):
        return f"too close to call on {on}: {stated(f'P({leader} better than {other})', shown)}"
    return f"{leader} is {_sure(p, level)}better than {other} on {on} (probability {shown})"


def even(a: str, b: str, on: object, shown: str) -> str:
    """Of two systems that nothing tells apart."""
    return f"too close to call on {on}: {a} and {b} are even (probability {shown} each)"


def best(leader: str, many: int, on: object, p: float, shown: str, level: float) -> str:
    """Of many systems the one that is ahead."""
    if p < likely(level):
        return f"too close to call which of {many} is best on {on}: {leader} leads, with {stated('P(best)', shown)}"
    return f"{leader} is {_sure(p, level)}the best of {many} on {on} (probability {shown})"


def level(who: str, many: int, on: object, shown: str) -> str:
    """Of many systems those that share the lead."""
    return f"too close to call which of {many} is best on {on}: {who} are each the best with probability {shown}"


def within(what: str, margin: float, p: float, shown: str, beyond: str, level: float) -> str:
    """Whether two are within a margin of each other; `beyond` is the probability that they are not, as shown.

    >>> within("they", 0.01, 0.4, "0.40", "0.60", 0.95)
    'whether they are within 0.01 of each other is open (probability 0.40)'
    >>> within("they", 0.01, 0.002, "0.002", "0.998", 0.95)
    'they are more than 0.01 apart (probability 0.998)'
    """
    if p >= likely(level):
        return f"{what} are {_sure(p, level)}within {margin:g} of each other (probability {shown})"
    if 1.0 - p >= likely(level):
        return f"{what} are {_sure(1.0 - p, level)}more than {margin:g} apart (probability {beyond})"
    return f"whether {what} are within {margin:g} of each other is open (probability {shown})"


def likely(level: float) -> float:
    """The probability from which on a thing is probable, if not more."""
    return min(LIKELY, decisive(level))


def _sure(p: float, level: float) -> str:
    return "" if p >= decisive(level) else "probably "


def between(a: str, b: str, on: str, low: str, high: str, level: float) -> str:
    """A difference on a measure without a better direction: its interval.

    >>> between("a", "b", "bias", "-0.1", "0.3", 0.95)
    'bias: a minus b is between -0.1 and 0.3 (95% interval); bias has no better direction'
    """
    lies = f"{on}: {a} minus {b} is between {low} and {high} ({100 * level:.12g}% interval)"
    return f"{lies}; {on} has no better direction"


def decisive(level: float) -> float:
    """P(better) from which on a system is called better: then the equal-tailed interval of the level excludes 0.

    >>> decisive(0.95), decisive(0.9)
    (0.975, 0.95)
    """
    return round(0.5 + level / 2.0, 12)
