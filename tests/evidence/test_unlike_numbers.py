"""What numpy makes numbers of without a word is refused where numbers come in: masked entries, dates, records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import howsure as hs

T = hs.Tally.binary(tp=8, fp=2, fn=3, tn=7)
D = hs.posterior(T)["f1"]
ENTRANCES: dict[str, Callable[[Any], Any]] = {
    "weight": lambda x: hs.score([1, 0, 1, 0], [1, 0, 0, 0], weight=x),
    "weight of scores": lambda x: hs.curve([1, 0, 1, 0], [0.9, 0.1, 0.3, 0.4], weight=x),
    "weight of values": lambda x: hs.score([0.1, 0.2, 0.5, 0.7], weight=x),
    "tp": lambda x: hs.Tally.binary(tp=x, fp=1, fn=1, tn=1),
    "hits": lambda x: hs.Tally.rate(hits=x, of=9),
    "of": lambda x: hs.Tally.rate(hits=0, of=x),
    "wins": lambda x: hs.compare_wins(first=x, second=1),
    "folds": lambda x: hs.compare_folds({"a": x, "b": [0.1, 0.2, 0.3, 0.5]}, test_share=0.25),
    "prior": lambda x: hs.posterior(T, prior=x),
    "cdf": D.cdf,
    "ppf": D.ppf,
    "matrix": lambda x: hs.Tally.matrix(x.reshape(2, 2)),
    "rows of a matrix": lambda x: hs.Tally.matrix(list(x.reshape(2, 2))),
    "many labels": lambda x: hs.Tally.multilabel(x.reshape(2, 2), np.array([[1, 0], [0, 1]])),
}
ONES = np.array([1, 1, 1, 1])
UNLIKE = {
    "masked": np.ma.MaskedArray(ONES, mask=[False, True, False, False]),
    "dates": ONES.astype("M8[ns]"),
    "lengths of time": ONES.astype("m8[s]"),
    "records": np.zeros(4, dtype=[("a", int)]),
    "complex": np.array([1 + 5j, 1, 1, 1]),
}


@pytest.mark.parametrize("given", UNLIKE.values(), ids=UNLIKE)
@pytest.mark.parametrize("enter", ENTRANCES.values(), ids=ENTRANCES)
def test_unlike_numbers_are_refused(enter: Callable[[Any], Any], given: Any) -> None:
    """Each entrance refuses each kind, in one sentence of moderate length."""
    with pytest.raises(hs.HowsureError) as refused:
        enter(given)
    assert len(str(refused.value)) < 250


def test_a_mask_that_hides_nothing_is_no_matter() -> None:
    """Masked arrays are taken where every number is there."""
    whole = np.ma.MaskedArray([3, 1], mask=[False, False])
    assert hs.Tally.rate(hits=whole, of=4) == hs.Tally.rate(hits=[3, 1], of=4)
    assert hs.score([1, 0], [1, 1], weight=whole)["accuracy"].score == 0.75
