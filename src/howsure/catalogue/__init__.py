"""The catalogue: every named measure, and the one grammar of their names."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from howsure.catalogue.binary import fbeta, utility
from howsure.catalogue.metric import Metric
from howsure.catalogue.names import metrics
from howsure.catalogue.names import parse as parse_table
from howsure.errors import HowsureError, UnknownName

if TYPE_CHECKING:
    from howsure.catalogue.repeated import Repeated
    from howsure.catalogue.retrieval import Ranking

__all__ = [
    "DEFAULT_BINARY",
    "Metric",
    "described",
    "fbeta",
    "known",
    "metrics",
    "parse",
    "utility",
]

DEFAULT_BINARY: Final = ("precision", "recall", "f1", "specificity", "accuracy", "balanced-accuracy", "mcc")
DEFAULT_CLASS: Final = ("precision", "recall", "f1")
DEFAULT_WHOLE: Final = ("accuracy", "macro-f1", "weighted-f1")
DEFAULT_LABELS: Final = ("micro-f1", "macro-f1", "weighted-f1", "samples-f1", "subset-accuracy", "hamming-loss")


def described(name: str) -> Metric | Ranking | Repeated:
    """The metric of a name, of tables, of scores or of repeated samples.

    >>> str(described("f-measure")), str(described("roc-auc"))
    ('f1', 'auc')
    """
    from howsure.catalogue.repeated import is_repeated
    from howsure.catalogue.repeated import parse as parse_repeated

    if is_repeated(name):
        return parse_repeated(name)
    from howsure.catalogue.retrieval import is_ranking
    from howsure.catalogue.retrieval import parse as parse_ranking

    return parse_ranking(name) if is_ranking(name) else parse(name)


def known(names: Iterable[str]) -> list[Metric | Ranking | Repeated]:
    """The metrics of names that the catalogue has; measures of users' own are left out.

    >>> [str(m) for m in known(["f1:spam", "no such"])]
    ['f1:spam']
    """
    found = []
    for name in names:
        with suppress(HowsureError):
            found.append(described(name))
    return found


def parse(name: str | Metric) -> Metric:
    """The metric of a name; each is read once.

    >>> str(parse("Sensitivity")), str(parse("F_0.5")), str(parse("f1:spam"))
    ('recall', 'f0.5', 'f1:spam')
    """
    return _parse(name) if isinstance(name, str) else parse_table(name)


@lru_cache(maxsize=4096)
def _parse(name: str) -> Metric:
    with suppress(UnknownName):
        return parse_table(name)
    from howsure.catalogue.retrieval import of_table

    return of_table(name)  # which says what it is
