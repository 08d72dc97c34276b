"""The catalogue: every named measure, and the one grammar of their names."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from howsure.catalogue.binary import fbeta, utility
from howsure.catalogue.metric import Metric
from howsure.catalogue.names import metrics
from howsure.catalogue.repeated import Repeated, is_repeated
from howsure.catalogue.repeated import parse as parse_repeated
from howsure.catalogue.retrieval import Ranking, is_ranking, of_table
from howsure.catalogue.retrieval import parse as parse_ranking

__all__ = ["DEFAULT_BINARY", "Metric", "Ranking", "Repeated", "described", "fbeta", "metrics", "parse", "utility"]

DEFAULT_BINARY: Final = ("precision", "recall", "f1", "specificity", "accuracy", "balanced-accuracy", "phi")
DEFAULT_CLASS: Final = ("precision", "recall", "f1")
DEFAULT_WHOLE: Final = ("accuracy", "macro-f1", "weighted-f1")
DEFAULT_LABELS: Final = ("micro-f1", "macro-f1", "weighted-f1", "samples-f1", "subset-accuracy", "hamming-loss")


def described(name: str) -> Metric | Ranking | Repeated:
    """The metric of a name, of tables, of scores or of repeated samples.

    >>> str(described("f-measure")), str(described("roc-auc"))
    ('f1', 'auc')
    """
    if is_repeated(name):
        return parse_repeated(name)
    return parse_ranking(name) if is_ranking(name) else parse(name)


def parse(name: str | Metric) -> Metric:
    """The metric of a name; each is read once.

    >>> str(parse("Sensitivity")), str(parse("F_0.5")), str(parse("f1:spam"))
    ('recall', 'f0.5', 'f1:spam')
    """
    return _parse(name) if isinstance(name, str) else of_table(name)


_parse = lru_cache(maxsize=4096)(of_table)
