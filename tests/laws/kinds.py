"""One observation of every kind of evidence, of the systems a, b and c, and the same in two parts where kinds merge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import howsure as hs
from howsure.evidence.label_sets import distinct

RNG = np.random.default_rng(20_260_812)
N = 120
GROUPS = np.repeat(np.arange(24), 5)
Y = RNG.integers(0, 2, N)
K = RNG.integers(0, 3, N)
RIGHT = {name: RNG.random(N) < share for name, share in (("a", 0.85), ("b", 0.75), ("c", 0.6))}
BINARY = {name: np.where(right, Y, 1 - Y) for name, right in RIGHT.items()}
CLASSES = {name: np.where(right, K, (K + 1) % 3) for name, right in RIGHT.items()}
SETS = [{"xyz"[i % 3], "xyz"[(i // 3) % 3]} for i in range(N)]
LABELS = {name: [s if r else {"x"} for s, r in zip(SETS, right, strict=True)] for name, right in RIGHT.items()}
VALUES = {name: np.round(0.5 * right + 0.5 * RNG.random(N), 3) for name, right in RIGHT.items()}
SCORES = {name: np.round(RNG.normal(size=N) + 1.5 * right * (2 * Y - 1), 3) for name, right in RIGHT.items()}

Part = slice | np.ndarray


def _binary(at: Part) -> Any:
    return hs.tally(Y[at], {k: v[at] for k, v in BINARY.items()}, labels=[0, 1])


def _target(at: Part, prevalence: Any) -> Any:
    return hs.shift(_binary(at), prevalence).evidence


def _classes(at: Part) -> Any:
    return hs.tally(K[at], {k: v[at] for k, v in CLASSES.items()}, labels=[0, 1, 2])


def _outcomes(at: Part) -> Any:
    joint = np.stack([RIGHT[k][at] for k in "abc"], axis=1).astype(int)
    cells, counts = np.unique(joint, axis=0, return_counts=True)
    return hs.Outcomes(cells=cells, counts=counts, systems=("a", "b", "c"))


def _labels(at: Part) -> Any:
    chosen = np.arange(N)[at]
    answers = {k: [v[i] for i in chosen] for k, v in LABELS.items()}
    return hs.Tally.multilabel([SETS[i] for i in chosen], answers, labels=["x", "y", "z"])


def _batched(make: Callable[[Part], Any], at: Part) -> Any:
    """The tables of the groups, as a batch."""
    here = np.arange(N)[at]
    parts = [make(here[GROUPS[here] == g]) for g in range(24) if (GROUPS[here] == g).any()]
    return _together(parts, "group", tuple(int(g) for g in range(24) if (GROUPS[here] == g).any()))


def _together(parts: list[Any], name: str, axis: tuple[Any, ...]) -> Any:
    """Tables with the same codes, as a batch."""
    sets = list(dict.fromkeys(s for p in parts for s in (p.sets.tuples() if hasattr(p, "sets") else ())))
    codes = [
        np.array([sets.index(s) for s in p.sets.tuples()])[p.cells] if sets else np.asarray(p.cells) for p in parts
    ]
    cells = np.unique(np.concatenate(codes), axis=0)
    place = {tuple(c): i for i, c in enumerate(cells.tolist())}
    counts = np.zeros((len(parts), len(cells)), dtype=np.int64)
    for j, (part, own) in enumerate(zip(parts, codes, strict=True)):
        for cell, count in zip(own.tolist(), part.counts.tolist(), strict=True):
            counts[j, place[tuple(cell)]] += count
    more = {"sets": distinct(sets)} if sets else {}
    return replace(parts[0], cells=cells, counts=counts, batch=((name, axis),), **more)


def _strata(make: Callable[[Part], Any]) -> Any:
    halves = [make(np.arange(N) < 40), make(np.arange(N) >= 40)]
    return _together(halves, "stratum", ("s", "t")).stratified({"s": 3, "t": 7})


def _runs() -> Any:
    rng = np.random.default_rng(4)
    qrels = {f"q{i}": {f"d{j}": int(rng.random() < 0.3) | (j == 0) for j in range(12)} for i in range(20)}
    runs = {
        name: {q: {d: float(rng.random() + lift * grade) for d, grade in docs.items()} for q, docs in qrels.items()}
        for name, lift in (("a", 0.6), ("b", 0.4), ("c", 0.1))
    }
    return hs.trec(qrels, runs, metrics=["AP", "P@5"])


JUDGED = {name: np.where(np.arange(N) % 7 == 2, ~right, right) for name, right in RIGHT.items()}
SEEN = np.arange(N) % 3 == 0


def _verdicts(at: Part) -> Any:
    from howsure.io.entrance import evidence

    here = np.arange(N)[at]
    verdicts = {k: JUDGED[k][here].astype(int).tolist() for k in "abc"}
    people = {f"h{k}": [int(RIGHT[k][i]) if SEEN[i] else None for i in here] for k in "abc"}
    return evidence({**verdicts, **people}, judge=["a", "b", "c"], human=["ha", "hb", "hc"])


def _elsewhere() -> Any:
    rest = {k: JUDGED[k][~SEEN] for k in "abc"}
    return hs.correct_judge(rest, (RIGHT["a"][SEEN], JUDGED["a"][SEEN])).evidence


def _judged_classes(at: Part) -> Any:
    from howsure.io.entrance import evidence

    here = np.arange(N)[at]
    people = [int(Y[i]) if SEEN[i] else None for i in here]
    judge = np.where(here % 7 == 2, 1 - Y[here], Y[here]).tolist()
    answers = {k: BINARY[k][here].tolist() for k in "abc"}
    return evidence({"h": people, "j": judge, **answers}, judge="j", human="h", pred=["a", "b", "c"])


WHOLE = slice(None)
LEFT, REST = np.arange(N) < 50, np.arange(N) >= 50


def _clustered(make: Callable[[Part], Any], at: Part = WHOLE) -> Any:
    return hs.Clustered.joint(_batched(make, at))


def _items(at: Part, **settings: Any) -> Any:
    return hs.graded({k: v[at] for k, v in VALUES.items()}, **settings)


def _scored(at: Part, **settings: Any) -> Any:
    from howsure.io.arrays import scored

    return scored(Y[at], {k: v[at] for k, v in SCORES.items()}, **settings)


KINDS: dict[str, Callable[[], Any]] = {
    "classes of two": lambda: _binary(WHOLE),
    "classes in a target": lambda: _target(WHOLE, 0.1),
    "classes in a target between": lambda: _target(WHOLE, (0.05, 0.3)),
    "classes of three": lambda: _classes(WHOLE),
    "outcomes": lambda: _outcomes(WHOLE),
    "label sets": lambda: _labels(WHOLE),
    "strata of classes": lambda: _strata(_binary),
    "strata of outcomes": lambda: _strata(_outcomes),
    "clusters of outcomes": lambda: _clustered(_outcomes),
    "clusters of two classes": lambda: _clustered(_binary),
    "clusters of three classes": lambda: _clustered(_classes),
    "clusters of label sets": lambda: _clustered(_labels),
    "graded items": lambda: _items(WHOLE),
    "graded items with bounds": lambda: _items(WHOLE, bounds=(0, 1)),
    "graded items in clusters": lambda: _items(WHOLE, bounds=(0, 1), cluster=GROUPS),
    "queries": _runs,
    "verdicts": lambda: _verdicts(WHOLE),
    "verdicts from elsewhere": _elsewhere,
    "judged classes": lambda: _judged_classes(WHOLE),
    "scored items": lambda: _scored(WHOLE),
    "scored items in clusters": lambda: _scored(WHOLE, cluster=GROUPS),
}
PARTS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "classes of two": lambda: (_binary(LEFT), _binary(REST)),
    "classes in a target": lambda: (_target(LEFT, 0.1), _target(REST, 0.1)),
    "classes of three": lambda: (_classes(LEFT), _classes(REST)),
    "outcomes": lambda: (_outcomes(LEFT), _outcomes(REST)),
    "label sets": lambda: (_labels(LEFT), _labels(REST)),
    "graded items": lambda: (_items(LEFT), _items(REST)),
    "graded items with bounds": lambda: (_items(LEFT, bounds=(0, 1)), _items(REST, bounds=(0, 1))),
    "scored items": lambda: (_scored(LEFT), _scored(REST)),
    "verdicts": lambda: (_verdicts(LEFT), _verdicts(REST)),
    "judged classes": lambda: (_judged_classes(LEFT), _judged_classes(REST)),
}
