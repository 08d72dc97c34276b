"""The tetrachoric correlation of 2x2 tables: one, and many at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from bench.registry import Row, Run, Under, group
from bench.rows.core import _rules
from bench.timing import race
from howsure.distributions.tetrachoric import correlation

TABLE = (1562, 383, 42, 94)
RHO = 0.59581556914737743079  # mpmath
RARE = (100, 100, 100, 9_999_900)
RARE_RHO = 0.95253008658406512509


@group("association", "Tetrachoric correlation of 2x2 tables", "Times of batches are for all 100,000 tables.")
def tetrachoric(run: Run) -> Iterator[Row]:
    run.say("association: one table")
    cells = [float(x) for x in TABLE]
    racers: dict[str, Callable[[], float]] = {"ours": lambda: float(correlation(*cells))}
    peer = _ordinalcorr(TABLE)
    if peer is not None:
        racers["peer"] = peer
    laps = race(racers, _rules(run, 1000))
    off = abs(laps["ours"].value - RHO)
    note, theirs = f"off by {off:.0e}", None
    if peer is not None:
        theirs = laps["peer"]
        rare = _ordinalcorr(RARE)
        assert rare is not None
        note += (
            f"; ordinalcorr by {abs(laps['peer'].value - RHO):.0e}, and by {abs(_tried(rare) - RARE_RHO):.2g} on {RARE}"
        )
    against = "ordinalcorr.polychoric" if theirs is not None else ""
    yield Row("tetrachoric, one table", laps["ours"], against, theirs, Under(1e-4), note=note)
    run.say("association: 100,000 tables")
    rng = np.random.default_rng(0)
    for what, many in (
        ("counts 1 to 500", rng.integers(1, 500, (4, 100_000)).astype(float)),
        ("counts 1 to 1e8, log-uniform", 10.0 ** rng.uniform(0, 8, (4, 100_000))),
        ("draws of one posterior", rng.dirichlet([80.5, 20.5, 30.5, 870.5], 100_000).T),
    ):
        batch = race({"ours": lambda many=many: correlation(*many)}, _rules(run, 1))  # type: ignore[misc]
        yield Row(f"tetrachoric, 100,000 tables, {what}", batch["ours"], target=Under(1.0))


def _tried(call: Callable[[], float]) -> float:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


def _ordinalcorr(table: tuple[int, ...]) -> Callable[[], float] | None:
    """polychoric of the two arrays of labels."""
    try:
        from ordinalcorr import polychoric  # type: ignore[import-not-found]
    except ImportError:
        return None
    tp, fp, fn, tn = table
    x, y = (np.repeat(v, table) for v in ([1, 0, 1, 0], [1, 1, 0, 0]))
    assert len(x) == tp + fp + fn + tn
    return lambda: float(polychoric(x, y))
