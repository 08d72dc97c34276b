"""What is tried: batches of random evidence of each kind, and how to write one of them down to be tried again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import howsure as hs
from howsure.posteriors.distribution import Distribution

Counts = NDArray[np.int64]
MOST = 10**15
CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True)
class Batch:
    """Random evidence: the law of all of it, of some of it, and the text that makes the law `d` of one."""

    law: Callable[[NDArray[np.intp] | int | None], Distribution]  # all, some, or a single one by its place
    text: Callable[[int], str]
    weight: NDArray[np.float64]  # how large each is: the smallest is shown
    probability: Callable[[], Any] | None = None  # of a comparison: p_better and p_worse


def random_counts(rng: np.random.Generator, size: int, cells: int) -> Counts:
    """Counts from 0 to 1e15: small tables, large ones, and those whose cells are of very different size."""
    ceiling = rng.uniform(0, 15, (size, 1))
    own = np.where(rng.random((size, 1)) < 0.4, ceiling, rng.uniform(0, 15, (size, cells)))
    counts = np.floor(10 ** (own * rng.random((size, cells)) ** 0.5))
    counts[rng.random((size, cells)) < rng.choice([0.0, 0.2, 0.7], (size, 1))] = 0
    return np.minimum(counts, MOST).astype(np.int64)


def random_prior(rng: np.random.Generator, cells: int) -> Any:
    """One weight, one for each cell, or a prior by name; from 1e-3 to 1e3."""
    way = rng.random()
    if way < 0.2:
        return str(rng.choice(["even", "jeffreys", "uniform"]))
    if way < 0.5:
        return _digits(10 ** rng.uniform(-3, 3))
    side = round(cells**0.5)
    return [[_digits(10 ** rng.uniform(-3, 3)) for _ in range(side)] for _ in range(side)]


def _digits(x: float) -> float:
    return float(f"{x:.6g}")


def binary(name: str, rng: np.random.Generator, size: int, tolerance: float) -> Batch:
    """Tables of two classes."""
    counts, prior = random_counts(rng, size, 4), random_prior(rng, 4)

    def law(pick: Any) -> Distribution:
        return hs.posterior(_tables(counts, pick), prior, tolerance=tolerance)[name]

    def text(i: int) -> str:
        return f"d = hs.posterior({_table_text(counts[i])}, {prior!r}, tolerance={tolerance})[{name!r}]"

    return Batch(law, text, counts.sum(axis=1).astype(float))


def _tables(counts: Counts, pick: Any) -> hs.Tally:
    chosen = counts if pick is None else counts[pick]
    return hs.Tally.binary(**dict(zip(CELLS, chosen.T, strict=True)))


def _table_text(row: Counts) -> str:
    return f"hs.Tally.binary({', '.join(f'{c}={x}' for c, x in zip(CELLS, row.tolist(), strict=True))})"


def rates(name: str, rng: np.random.Generator, size: int, tolerance: float) -> Batch:
    """Passes and fails."""
    counts, prior = random_counts(rng, size, 2), random_prior(rng, 1)
    prior = prior[0][0] if isinstance(prior, list) else prior
    hits, of = counts[:, 0], counts.sum(axis=1)

    def law(pick: Any) -> Distribution:
        chosen = slice(None) if pick is None else pick
        return hs.posterior(hs.Tally.rate(hits=hits[chosen], of=of[chosen]), prior, tolerance=tolerance)[name]

    def text(i: int) -> str:
        return f"d = hs.posterior(hs.Tally.rate(hits={hits[i]}, of={of[i]}), {prior!r})[{name!r}]"

    return Batch(law, text, of.astype(float))


def classes(name: str, rng: np.random.Generator, size: int, tolerance: float) -> Batch:
    """Tables of three to five classes."""
    k = int(rng.integers(3, 6))
    counts, prior = random_counts(rng, size, k * k).reshape(size, k, k), random_prior(rng, k * k)

    def law(pick: Any) -> Distribution:
        table = counts if pick is None else counts[pick]
        return hs.posterior(hs.Tally.matrix(table), prior, tolerance=tolerance)[name]

    def text(i: int) -> str:
        table = f"hs.Tally.matrix({counts[i].tolist()})"
        return f"d = hs.posterior({table}, {prior!r}, tolerance={tolerance})[{name!r}]"

    return Batch(law, text, counts.sum(axis=(1, 2)).astype(float))


def weighted(name: str, rng: np.random.Generator, size: int, tolerance: float) -> Batch:
    """Tables of weighted items: fractions of 1e-6 and items that count a million times."""
    items = 6
    truth, answer = rng.integers(0, 2, (2, size, items))
    weights = np.array([_digits(w) for w in 10 ** rng.uniform(-6, 6, items)])
    weights = np.stack([rng.permutation(weights) for _ in range(4)])[rng.integers(0, 4, size)]
    prior = random_prior(rng, 4)

    def law(pick: Any) -> Distribution:
        if isinstance(pick, (int, np.integer)):
            t = hs.tally(truth[pick], answer[pick], labels=[0, 1], positive=1, weight=weights[pick])
            return hs.posterior(t, prior, tolerance=tolerance)[name]
        chosen = np.arange(size) if pick is None else pick
        part = np.repeat(np.arange(len(chosen)), items)
        columns = (truth[chosen].ravel(), answer[chosen].ravel(), weights[chosen].ravel())
        data = dict(zip(("y", "z", "w"), columns, strict=True)) | {"part": part}
        t = hs.tally(data, truth="y", pred="z", by=["part"], weight="w", labels=[0, 1], positive=1)
        return hs.posterior(t, prior, tolerance=tolerance)[name]

    def text(i: int) -> str:
        given = f"{truth[i].tolist()}, {answer[i].tolist()}, labels=[0, 1], positive=1, weight={weights[i].tolist()}"
        return f"d = hs.posterior(hs.tally({given}), {prior!r}, tolerance={tolerance})[{name!r}]"

    return Batch(law, text, weights.sum(axis=1))


def differences(name: str, rng: np.random.Generator, size: int, tolerance: float) -> Batch:
    """Two systems on different items."""
    one, two = random_counts(rng, size, 4), random_counts(rng, size, 4)
    prior = random_prior(rng, 4)

    def made(pick: Any) -> Any:
        return hs.compare(_tables(one, pick), _tables(two, pick), metric=name, prior=prior, tolerance=tolerance)

    def text(i: int) -> str:
        both = f"{_table_text(one[i])}, {_table_text(two[i])}"
        asked = f"metric={name!r}, prior={prior!r}, tolerance={tolerance}"
        return f"c = hs.compare({both}, {asked}); d = c.difference"

    return _compared(made, text, (one + 0.0 + two).sum(axis=1))


def pairs(name: str, rng: np.random.Generator, size: int, tolerance: float) -> Batch:
    """Two systems on the same items."""
    counts, prior = random_counts(rng, size, 8), random_prior(rng, 4)
    cells = np.array([(y, a, b) for y in (0, 1) for a in (0, 1) for b in (0, 1)])

    def tally(chosen: Counts) -> hs.Tally:
        return hs.Tally(cells=cells, counts=chosen, systems=("a", "b"), labels=(0, 1), positive=1)

    def made(pick: Any) -> Any:
        chosen = counts if pick is None else counts[pick]
        return hs.compare(tally(chosen), "a", "b", metric=name, prior=prior, tolerance=tolerance)

    def text(i: int) -> str:
        patterns = f"cells={cells.tolist()}, counts={counts[i].tolist()}"
        t = f"hs.Tally({patterns}, systems=('a', 'b'), labels=(0, 1), positive=1)"
        asked = f"metric={name!r}, prior={prior!r}, tolerance={tolerance}"
        return f"c = hs.compare({t}, 'a', 'b', {asked}); d = c.difference"

    return _compared(made, text, counts.sum(axis=1).astype(float))


def wins(name: str, rng: np.random.Generator, size: int, tolerance: float) -> Batch:
    """Wins of one system and of another, and draws."""
    del tolerance
    counts = random_counts(rng, size, 3)

    def made(pick: Any) -> Any:
        first, second, same = (counts if pick is None else counts[pick]).T
        return hs.compare_wins(first=first, second=second, same=same)

    def text(i: int) -> str:
        first, second, same = counts[i].tolist()
        return f"c = hs.compare_wins(first={first}, second={second}, same={same}); d = c.difference  # {name}"

    return _compared(made, text, counts.sum(axis=1).astype(float))


def _compared(made: Callable[[Any], Any], text: Callable[[int], str], weight: NDArray[np.float64]) -> Batch:
    """The law of the difference, and the two probabilities, of one comparison that is made once."""
    kept: list[Any] = []

    def whole() -> Any:
        if not kept:
            kept.append(made(None))
        return kept[0]

    def law(pick: Any) -> Distribution:
        return (whole() if pick is None else made(pick)).difference  # type: ignore[no-any-return]

    return Batch(law, text, weight, lambda: (whole().p_better, whole().p_worse))


SUBJECTS: dict[str, Callable[[str, np.random.Generator, int, float], Batch]] = {
    "binary": binary,
    "rates": rates,
    "classes": classes,
    "weighted": weighted,
    "differences": differences,
    "pairs": pairs,
    "wins": wins,
}
