"""Measures of several samples of each question, such as the answers of a language model that is asked n times.

name = "pass@" k, or "all-pass@" k: the means over questions of the probability that k of its samples, taken at random,
hold one that passes, or hold none that fails. `pass^k` is another name of the latter. parse(str(m)) == m.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

from howsure.arrays import Array
from howsure.errors import BadSetting, UnknownName
from howsure.messages.language import option

if TYPE_CHECKING:
    pass

_NAME: Final = re.compile(r"^(all-?)?pass-?(@|\^|at(?=[-\d])|hat(?=[-\d]))(?:(?<=t)-)?(?:k=)?(.*)$")
_MOST: Final = 10**9

_SOURCE: Final = {"any": "Chen et al. 2021 (Codex), eq. 1", "all": "Yao et al. 2024 (tau-bench), pass^k"}
_MEANING: Final = {
    "any": "probability that at least one of {k} samples of a question passes, mean over questions",
    "all": "probability that all of {k} samples of a question pass, mean over questions",
}
_TEXT: Final = {"any": "mean of 1 - C(n-c, {k})/C(n, {k})", "all": "mean of C(c, {k})/C(n, {k})"}
_LATEX: Final = {
    "any": r"\frac{{1}}{{Q}} \sum_q \left(1 - \binom{{n_q - c_q}}{{{k}}} / \binom{{n_q}}{{{k}}}\right)",
    "all": r"\frac{{1}}{{Q}} \sum_q \binom{{c_q}}{{{k}}} / \binom{{n_q}}{{{k}}}",
}


@dataclass(frozen=True)
class Repeated:
    """pass@k or all-pass@k.

    >>> parse("Pass_at_5"), parse("pass^3")
    (Repeated('pass@5'), Repeated('all-pass@3'))
    """

    passing: Literal["any", "all"]
    k: int

    better: Literal["higher"] = "higher"
    bounds: tuple[float, float] = (0.0, 1.0)
    label: None = None
    undefined: str = "never"
    unbounded: bool = False
    needs_positive: bool = False
    route: str = "quadrature"
    subject: str = "samples"

    @property
    def name(self) -> str:
        """Its own name."""
        return f"{'all-' if self.passing == 'all' else ''}pass@{self.k}"

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names."""
        return (f"pass^{self.k}", f"all-pass-at-{self.k}") if self.passing == "all" else (f"pass-at-{self.k}",)

    @property
    def meaning(self) -> str:
        """In words."""
        return _MEANING[self.passing].format(k=self.k)

    @property
    def source(self) -> str:
        """Where it is from."""
        return _SOURCE[self.passing]

    @property
    def text(self) -> str:
        """The formula: n samples of a question, c of which pass."""
        return _TEXT[self.passing].format(k=self.k)

    @property
    def latex(self) -> str:
        """The formula in LaTeX."""
        return _LATEX[self.passing].format(k=self.k)

    def values(self, n: Any, passed: Any) -> Array:
        """The unbiased estimate of every question from n samples, of which some passed.

        >>> [float(x) for x in parse("pass@2").values([4, 4, 4], [0, 1, 4]).round(3)]
        [0.0, 0.5, 1.0]
        """
        import numpy as np

        from howsure.distributions.without_replacement import log_none_marked

        if self.passing == "any":
            return np.asarray(-np.expm1(log_none_marked(n, passed, self.k)) + 0.0)
        return np.asarray(np.exp(log_none_marked(n, np.subtract(n, passed), self.k)))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Repeated({self.name!r})"


def repeated() -> tuple[Repeated, ...]:
    """One of each, for lists."""
    return Repeated("any", 5), Repeated("all", 5)


def is_repeated(name: object) -> bool:
    """Whether it is one of these measures, or reads as the name of one."""
    return isinstance(name, Repeated) or (isinstance(name, str) and _NAME.match(_plain(name)) is not None)


def parse(name: Any) -> Repeated:
    """The measure of a name."""
    return name if isinstance(name, Repeated) else _parse(name)


@lru_cache(maxsize=256)
def _parse(name: str) -> Repeated:
    found = _NAME.match(_plain(name))
    if found is None:
        raise UnknownName(f"no measure of repeated samples named {name!r}; there are pass@5 and all-pass@5, of any k.")
    passing: Literal["any", "all"] = "all" if found[1] or found[2] in ("^", "hat") else "any"
    if not re.fullmatch(r"[0-9]{1,10}", found[3]) or not 1 <= int(found[3]) <= _MOST:
        few = "all-pass@5" if passing == "all" else "pass@5"
        raise BadSetting(f"{name!r} needs a whole number of samples after pass, 1 or more, such as {few}.")
    return Repeated(passing, int(found[3]))


def refused(name: object) -> UnknownName:
    """What to say of one where there are no questions with samples."""
    way = f"tell which question each sample belongs to with {option('cluster')}"
    return UnknownName(f"{name} is a measure of several samples per question: {way}.")


def near(name: str) -> str:
    """A hint where a name is nearly one of these."""
    base, at, k = _plain(name).partition("@")
    found = get_close_matches(base, ("pass", "all-pass"), n=1, cutoff=0.8) if at else []
    return f" Did you mean {f'{found[0]}@{k}'!r}?" if found else ""


def _plain(name: str) -> str:
    return re.sub(r"[\s_]+", "-", re.sub(r"\s*([@^=])\s*", r"\1", name.strip().lower()))
