"""One batch tried: what is wrong with it, with the smallest example of each kind of wrong."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.stress import checks
from bench.stress.subjects import SUBJECTS, Batch

SINGLES = 2  # tables of each batch that are also tried alone


@dataclass(frozen=True)
class Job:
    """A batch to be tried; everything in it follows from these."""

    subject: str
    measure: str
    seed: int
    size: int
    tolerance: float

    def batch(self) -> Batch:
        rng = np.random.default_rng([self.seed, *self.subject.encode(), *self.measure.encode()])
        return SUBJECTS[self.subject](self.measure, rng, self.size, self.tolerance)

    @property
    def level(self) -> float:
        """A level of its own for each batch."""
        return (0.95, 0.5, 0.999, 0.8, 0.99999)[self.seed % 5]


@dataclass(frozen=True)
class Violation:
    """A kind of wrong: how many tables, and the smallest of them as a text that can be run."""

    kind: str
    count: int
    weight: float
    example: str


def tried(job: Job) -> tuple[Job, list[Violation]]:
    """Every check on a batch; a warning and an error of any kind count as wrong too."""
    batch = job.batch()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return job, list(_wrong(job, batch))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
        return job, [_raised(job, batch, error)]


def _wrong(job: Job, batch: Batch) -> Iterator[Violation]:
    d = batch.law(None)
    numbers = checks.Numbers.of(d, job.level)
    where = f"{job.subject} {job.measure} ({d.route})"
    found = [*checks.broken(d, numbers)]
    if batch.probability is not None and batch.probability()[0] is not None:  # None: a measure without a direction
        found += _probabilities(*batch.probability())
    for what, mask, shown in found:
        flat = np.broadcast_to(mask, (job.size,))
        if flat.any():
            yield _told(f"{where}: {what}", batch, np.flatnonzero(flat), shown, job)
    places = np.random.default_rng(job.seed).choice(job.size, min(SINGLES, job.size), replace=False)
    for i in places.tolist():
        for what, wrong, shown in checks.differs(d, numbers, i, batch.law(i)):
            if wrong:
                yield _told(f"{where}: {what}", batch, np.array([i]), shown, job)


def _probabilities(better: Any, worse: Any) -> list[checks.Found]:
    p, q = np.asarray(better, dtype=float), np.asarray(worse, dtype=float)
    return [
        ("p_better is no probability", ~((p >= 0) & (p <= 1)), p),
        ("p_worse is no probability", ~((q >= 0) & (q <= 1)), q),
        ("p_better and p_worse are not 1 together", ~(np.abs(p + q - 1) <= 1e-9), p + q),
    ]


def _told(kind: str, batch: Batch, places: np.ndarray, shown: Any, job: Job) -> Violation:
    at = int(places[np.argmin(batch.weight[places])])
    numbers = np.asarray(shown, dtype=float)
    own = numbers[..., at] if numbers.ndim and numbers.shape[-1] == job.size else numbers
    return Violation(
        kind, len(places), float(batch.weight[at]), f"{batch.text(at)}  # level {job.level}: {own.tolist()}"
    )


def _raised(job: Job, batch: Batch, error: Exception) -> Violation:
    """The table that raised it, found by halving the batch; all of it where no half does."""
    places = np.arange(job.size)
    while len(places) > 1:
        half = len(places) // 2
        part = next((x for x in (places[:half], places[half:]) if _raises(job, batch, x)), None)
        if part is None:
            break
        places = part
    kind = f"{job.subject} {job.measure}: {type(error).__name__}: {str(error)[:200]}"
    example = batch.text(int(places[0])) if len(places) == 1 else f"bench.stress.trial.tried({job!r})"
    return Violation(kind, 1, float(batch.weight[places].sum()), f"{example}  # level {job.level}")


def _raises(job: Job, batch: Batch, places: np.ndarray) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            d = batch.law(places)
            for _ in checks.broken(d, checks.Numbers.of(d, job.level)):
                pass
    except Exception:  # noqa: BLE001 - the same kind or another: it is the table
        return True
    return False
