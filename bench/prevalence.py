"""Coverage at another prevalence: `.venv/bin/python bench/prevalence.py [--replicates 2000] [--seed 35]`.

Tests with so many positive and negative items, chosen by design, of systems with known recall and specificity. How
often do 95% intervals hold the value in the target, and how wide are they? Beside them, for precision: the logit
interval of Mercaldo, Lau and Zhou (2007), which there is none of where no positive item is found or no negative one is
mistaken; the interval of the items tested; and, where the target is known by a sample only, the interval that takes the
sample's share for known (an eighth of the replicates: each takes an integral in the complex plane).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path[0] = str(Path(__file__).resolve().parent.parent)

import howsure as hs  # noqa: E402

Array = NDArray[Any]
CASES = (  # recall, specificity, positive and negative items, prevalence in the target
    (0.9, 0.95, 50, 50, 0.01),
    (0.9, 0.95, 100, 1000, 0.01),
    (0.8, 0.99, 30, 300, 0.001),
    (0.95, 0.8, 200, 200, 0.1),
    (0.7, 0.9, 20, 20, 0.05),
)
MEASURES = ("precision", "npv", "f1", "accuracy")
SAMPLED = (0.9, 0.95, 100, 400, 0.05)  # where the target is known by samples of these sizes
SIZES = (100, 400)
Z = 1.959963984540054


def truth(recall: float, specificity: float, share: float) -> dict[str, float]:
    """The measures of the target itself."""
    tp, fn = share * recall, share * (1 - recall)
    fp, tn = (1 - share) * (1 - specificity), (1 - share) * specificity
    return {"precision": tp / (tp + fp), "npv": tn / (tn + fn), "f1": 2 * tp / (2 * tp + fp + fn), "accuracy": tp + tn}


def tables(case: tuple[float, ...], n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Found positives and mistaken negatives of n tests."""
    recall, specificity, positives, negatives, _ = case
    return rng.binomial(int(positives), recall, n), rng.binomial(int(negatives), 1 - specificity, n)


def tally(tp: Array, fp: Array, case: tuple[float, ...]) -> hs.Tally:
    """The tests as a batch."""
    return hs.Tally.binary(tp=tp, fp=fp, fn=int(case[2]) - tp, tn=int(case[3]) - fp)


def held(low: Array, high: Array, value: float) -> tuple[float, float]:
    """The share of intervals that hold a value, and their mean width."""
    inside = (low <= value) & (value <= high)
    return float(inside.mean()), float(np.nanmean(high - low))


def intervals(tp: Array, fp: Array, case: tuple[float, ...], target: Any, metric: str) -> tuple[Array, Array]:
    """Ours; equal tests are taken once. Without a target, of the items tested."""
    rows, back = np.unique(np.stack([tp, fp]), axis=1, return_inverse=True)
    made = tally(rows[0], rows[1], case)
    ends = (hs.posterior(made) if target is None else hs.shift(made, target))[metric].interval()
    place = np.ravel(back)
    return np.asarray(ends.low)[place], np.asarray(ends.high)[place]


def logit(tp: Array, fp: Array, case: tuple[float, ...]) -> tuple[Array, Array]:
    """Mercaldo, Lau & Zhou (2007): precision on the logit scale by the delta method; NaN where it has none."""
    _, _, n1, n0, share = case
    recall, fallout = tp / n1, fp / n0
    with np.errstate(all="ignore"):
        middle = np.log(share / (1 - share)) + np.log(recall) - np.log(fallout)
        reach = Z * np.sqrt((1 - recall) / (n1 * recall) + (1 - fallout) / (n0 * fallout))
        low, high = (1 / (1 + np.exp(-(middle + side * reach))) for side in (-1, 1))
    known = (tp > 0) & (fp > 0)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def known_shares(n: int, seed: int) -> list[tuple[tuple[float, ...], dict[str, tuple[float, float]]]]:
    """Coverage and width at a known share, of every case."""
    found = []
    for k, case in enumerate(CASES):
        tp, fp = tables(case, n, np.random.default_rng([seed, k]))
        value = truth(case[0], case[1], case[4])
        row = {m: held(*intervals(tp, fp, case, case[4], m), value[m]) for m in MEASURES}
        row["logit"] = held(*logit(tp, fp, case), value["precision"])
        row["tested"] = held(*intervals(tp, fp, case, None, "precision"), value["precision"])
        found.append((case, row))
    return found


def sampled_shares(n: int, seed: int) -> list[tuple[int, tuple[float, float], tuple[float, float]]]:
    """Coverage and width of precision where the target is a sample: its uncertainty taken in, and left out."""
    found, value = [], truth(SAMPLED[0], SAMPLED[1], SAMPLED[4])["precision"]
    for k, size in enumerate(SIZES):
        rng = np.random.default_rng([seed, 100 + k])
        tp, fp = tables(SAMPLED, n, rng)
        hits = rng.binomial(size, SAMPLED[4], n)
        ends = np.full((2, 2, n), np.nan)
        for seen in np.unique(hits).tolist():
            here = hits == seen
            sample = hs.Tally.rate(hits=seen, of=size)
            ends[0][:, here] = intervals(tp[here], fp[here], SAMPLED, sample, "precision")
            if seen:
                ends[1][:, here] = intervals(tp[here], fp[here], SAMPLED, seen / size, "precision")
        found.append((size, held(*ends[0], value), held(*ends[1], value)))
    return found


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=35)
    given = parser.parse_args()
    names = (*MEASURES, "logit", "tested")
    print("recall  specificity  positive  negative  prevalence  " + "  ".join(f"{m:>11}" for m in names))
    for case, row in known_shares(given.replicates, given.seed):
        shown = "  ".join(f"{row[m][0]:.3f} {row[m][1]:.3f}".rjust(11) for m in names)
        print(f"{case[0]:6}  {case[1]:11}  {case[2]:8}  {case[3]:8}  {case[4]:10}  {shown}")
    print("\nsample of the target    taken in  as if known")
    for size, ours, plain in sampled_shares(given.replicates // 8, given.seed):
        print(f"{size:20}  {ours[0]:.3f} {ours[1]:.3f}  {plain[0]:.3f} {plain[1]:.3f}")


if __name__ == "__main__":
    main()
