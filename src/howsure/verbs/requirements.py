"""Requirements of a gate: `f1 > 0.8 in region=north with 0.95`, read from the right, and written the one usual way.

The right end is taken off first, so that a label may hold blanks, signs and any of these words. Where that is not
enough, labels and values stand in quotes, in which a doubled quote is one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from howsure.errors import BadSetting
from howsure.messages.language import spelled

USUAL_P: Final = 0.95
NOT_WORSE: Final = "not worse"
_LONGEST: Final = 2000  # characters of a requirement
_NUMBER: Final = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s?%?"
_WITH: Final = re.compile(rf"(.*\S)\s+with\s+({_NUMBER})", re.DOTALL | re.IGNORECASE)
_LIMIT: Final = re.compile(rf"(.*[^\s<>=])\s*([<>]=?)\s*({_NUMBER})", re.DOTALL)
_MARGIN: Final = re.compile(rf"(.*\S)\s+not\s+worse(?:\s+by\s+({_NUMBER}))?", re.DOTALL | re.IGNORECASE)
_IN: Final = re.compile(r"\s+in\s+(?=[^=]*[^=\s]\s*=)", re.IGNORECASE)
_AND: Final = re.compile(r"\s*,\s*(?=[^,=]*[^,=\s]\s*=)")
_TURNED: Final = re.compile(rf".*\S\s+with\s+{_NUMBER}\s+in\s+\S.*=.*", re.DOTALL | re.IGNORECASE)
_QUOTED: Final = re.compile(r"""(?<=[:=])\s*(["'])(?:(?!\1).|\1\1)*\1(?=[\s,]|$)""", re.DOTALL)
_WHOLE: Final = re.compile(r"""\s*(["'])((?:(?!\1).|\1\1)*)\1\s*""", re.DOTALL)
_PLAIN: Final = re.compile(r"[\w.+/*@-]+")
_GRAMMAR: Final = (
    "metric > number [in column=value] [with probability]",
    "metric not worse [by number] [in column=value] [with probability].",
)


@dataclass(frozen=True)
class Requirement:
    """What is to hold, and how surely: a limit that a measure is above or below, or a margin below a baseline.

    >>> r = requirement("recall:fraud>90% in region=north with .9")
    >>> str(r), r.metric, r.sign, r.number, r.where, r.p
    ('recall:fraud > 0.9 in region=north with 0.9', 'recall:fraud', '>', 0.9, (('region', 'north'),), 0.9)
    """

    metric: str
    sign: str  # > >= < <= or `not worse`
    number: float  # the limit, or the margin
    where: tuple[tuple[str, str], ...] = ()
    p: float = USUAL_P

    @property
    def kind(self) -> str:
        """`above`, `below` or `not worse`."""
        return {">": "above", "<": "below"}.get(self.sign[0], NOT_WORSE)

    @property
    def compares(self) -> bool:
        """Whether it needs a baseline."""
        return self.sign == NOT_WORSE

    def of(self, metric: str) -> Requirement:
        """The same of another measure, such as one class of several."""
        return Requirement(metric, self.sign, self.number, self.where, self.p)

    def __str__(self) -> str:
        base, colon, label = self.metric.partition(":")
        by = " by" if self.compares else ""
        amount = f"{by} {short(self.number)}" if self.number or not self.compares else ""
        places = ", ".join(f"{column}={_written(value)}" for column, value in self.where)
        return (
            f"{base}{colon}{_written(label) if colon else ''} {self.sign}{amount}"
            f"{' in ' if places else ''}{places} with {short(self.p)}"
        )


def short(x: float) -> str:
    """A number in as few digits as tell it."""
    return next((text for text in (f"{x:.6g}", f"{x:.12g}") if float(text) == x), repr(x))


def _written(text: str) -> str:
    """A label or a value as it stands in a requirement."""
    return text if _PLAIN.fullmatch(text) else '"' + text.replace('"', '""') + '"'


def requirements(given: Any) -> tuple[Requirement, ...]:
    """All that is to hold, from one text or several; none twice."""
    texts = [given] if isinstance(given, (str, Requirement)) else given
    if not isinstance(texts, Iterable):
        raise BadSetting(f"a gate needs requirements, such as ['f1 > 0.8 with 0.95']; got {given!r}.")
    found = tuple(x if isinstance(x, Requirement) else requirement(x) for x in texts)
    if not found:
        raise BadSetting("a gate needs at least one requirement, such as 'f1 > 0.8 with 0.95'.")
    twice = next((x for i, x in enumerate(found) if x in found[:i]), None)
    if twice is not None:
        raise BadSetting(f"the requirement {str(twice)!r} is given twice: give it once.")
    return found


def requirement(text: Any) -> Requirement:
    """One requirement, from its text."""
    if not isinstance(text, str):
        raise BadSetting(f"a requirement is a text, such as 'f1 > 0.8 with 0.95'; got {text!r}.")
    clean = text.strip().replace("≥", ">=").replace("≤", "<=")
    if not clean:
        raise BadSetting("a requirement is empty; write one such as 'f1 > 0.8 with 0.95'.")
    if len(clean) > _LONGEST:
        raise BadSetting(f"a requirement has at most {_LONGEST:,} characters; got {len(clean):,}.")
    seen = _QUOTED.sub(lambda m: "_" * len(m[0]), clean)  # nothing inside quotes is a word of the grammar
    surely = _WITH.fullmatch(seen)
    body = seen if surely is None else seen[: surely.end(1)]
    p = USUAL_P if surely is None else _probability(surely[2], clean)
    for head, at in _heads(body):
        found = _LIMIT.fullmatch(head) or _MARGIN.fullmatch(head)
        if found is not None:
            where = () if at is None else _where(clean[at : len(body)], seen[at : len(body)])
            _refuse_two(seen[: found.end(1)], clean)
            sign, amount = (NOT_WORSE, found[2] or "0") if found.re is _MARGIN else (found[2], found[3])
            return Requirement(_metric(clean[: found.end(1)]), sign, _amount(amount, sign, clean), where, p)
    if _TURNED.fullmatch(seen):
        raise BadSetting(f"'in column=value' stands before 'with'; got {clean!r}.")
    raise _unread(clean, seen)


def _refuse_two(measure: str, whole: str) -> None:
    """A limit before the last one, in the name of a measure and not in its label, is a requirement of its own."""
    if re.search(r"[<>]", measure.partition(":")[0]):
        raise BadSetting(f"a requirement has one measure and one limit: write one for each of those in {whole!r}.")


def _heads(body: str) -> Iterator[tuple[str, int | None]]:
    """What may stand before `in column=value`, and where that begins: the last one first, and none at last."""
    for found in reversed(list(_IN.finditer(body))):
        yield body[: found.start()], found.end()
    yield body, None


def _where(text: str, seen: str) -> tuple[tuple[str, str], ...]:
    """Columns and values; a comma that no column follows is part of a value."""
    ends = [(m.start(), m.end()) for m in _AND.finditer(seen)]
    starts, stops = [0, *(end for _, end in ends)], [*(start for start, _ in ends), len(text)]
    found = []
    for a, b in zip(starts, stops, strict=True):
        column, equals, value = text[a:b].partition("=")
        if not equals or not column.strip():
            raise BadSetting(f"a slice is column=value, such as region=north; got {text[a:b].strip()!r} in {text!r}.")
        found.append((column.strip(), _bare(value)))
    columns = [column for column, _ in found]
    twice = next((c for i, c in enumerate(columns) if c in columns[:i]), None)
    if twice is not None:
        raise BadSetting(f"a slice has one value of {twice!r}; got {text!r}: write a requirement for each.")
    return tuple(found)


def _metric(text: str) -> str:
    """The name of a measure, its label without quotes."""
    base, colon, label = text.partition(":")
    return f"{base.strip()}{colon}{_bare(label)}"


def _bare(text: str) -> str:
    found = _WHOLE.fullmatch(text)
    return text.strip() if found is None else found[2].replace(found[1] * 2, found[1])


def _value(text: str) -> float:
    return float(text.rstrip("% ")) / 100 if text.endswith("%") else float(text)


def _amount(text: str, sign: str, whole: str) -> float:
    found = _value(text)
    if not math.isfinite(found) or (sign == NOT_WORSE and found < 0):
        what = "margin must be 0 or more" if sign == NOT_WORSE else "limit must be finite"
        raise BadSetting(f"a {what}; got {text} in {whole!r}.")
    return found + 0.0


def _probability(text: str, whole: str) -> float:
    found = _value(text)
    if not 0.5 < found < 1:
        hint = f" Did you mean {short(found)}%?" if 50 < found < 100 else ""
        raise BadSetting(f"'with' takes a probability above 0.5 and below 1; got {text} in {whole!r}.{hint}")
    return found


# -- what cannot be read


def _unread(text: str, seen: str) -> BadSetting:
    """One sentence, the text with a mark where reading stopped, and the grammar."""
    at, needed = _stop(seen)
    shown = text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)
    lines = [f"cannot read the requirement; at the mark there should be {needed}:", f"  {shown}", f"  {' ' * at}^"]
    return BadSetting("\n".join([*lines, *(f"  {x}" for x in _GRAMMAR)]))


def _stop(seen: str) -> tuple[int, str]:
    """Where reading stopped, and what was looked for."""
    surely = _last(r"\s+with(\s+|$)", seen)
    end = len(seen)
    if surely is not None:
        if not re.fullmatch(_NUMBER, seen[surely.end() :]):
            return surely.end(), "a probability, such as 0.95"
        end = surely.start()
    sign, worse = _last(r"[<>]=?\s*", seen[:end]), _last(r"(^|\s+)not\s+worse\b\s*", seen[:end])
    place = _last(r"\s+in(\s+|$)", seen[:end])
    after = max((m.end() for m in (sign, worse) if m is not None), default=None)
    if place is not None and after is not None and place.start() >= after and "=" not in seen[place.end() : end]:
        return place.end(), "a column and its value, as in region=north"
    if sign is None and worse is None:
        body = seen[:end] if place is None else seen[: place.start()]
        wrong = re.search(r"[=≥≤≈!]", body)
        quoted = spelled("", " (all in quotes, since a shell takes > for the name of a file)")
        return (_unsaid(body) if wrong is None else wrong.start()), f"> or < and a number, or 'not worse'{quoted}"
    if worse is not None and (sign is None or worse.end() > sign.end()):
        return (0, "the name of a measure") if not seen[: worse.start()].strip() else _after_margin(worse, seen[:end])
    assert sign is not None  # noqa: S101 - narrows the type
    if not seen[: sign.start()].strip():
        return 0, "the name of a measure"
    if seen[sign.start() - 1] in "<>=!":
        return sign.start() - 1, "one of > >= < <="
    if not re.match(_NUMBER, seen[sign.end() :]):
        return sign.end(), "a number, such as 0.8 or 80%"
    number = re.compile(_NUMBER).match(seen, sign.end())
    return (number.end() if number else end), "'in column=value', 'with' and a probability, or the end"


def _unsaid(body: str) -> int:
    """Where a sign should be: after the name of the measure, whose label may hold blanks, or before the number."""
    label = r"[^\s:]+:.*?\S\s+(?=\S+\s+" + _NUMBER + "$)" if ":" in body else r"\S+\s+(?=\S)"
    found = re.match(label, body, re.DOTALL)
    return len(body) if found is None else found.end()


def _after_margin(worse: re.Match[str], body: str) -> tuple[int, str]:
    by = re.compile(r"by(\s+|$)").match(body, worse.end())
    return (worse.end(), "'by' and a number, or the end") if by is None else (by.end(), "a number, such as 0.01")


def _last(pattern: str, text: str) -> re.Match[str] | None:
    return next(reversed(list(re.finditer(pattern, text))), None)
