"""Questions of every verb, as the API takes them; several of each kind."""

from __future__ import annotations

from typing import Any

FOUR = {"tp": 80, "fp": 20, "fn": 30, "tn": 870}
WORSE = {"tp": 70, "fp": 25, "fn": 40, "tn": 865}
SQUARE = [[50, 3, 1], [4, 40, 2], [0, 5, 30]]
NAMES = ["ham", "spam, or so", "x'y\"z"]

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("score", {"counts": FOUR}),
    ("score", {"counts": FOUR, "metrics": ["f1"], "above": 0.8}),
    ("score", {"counts": FOUR, "metrics": ["f1", "recall"], "above": {"f1": 0.8}, "level": 0.9, "interval": "hdi"}),
    ("score", {"counts": {"tp": 0, "fp": 0, "fn": 0, "tn": 0}, "metrics": ["precision"], "prior": "uniform"}),
    ("score", {"counts": FOUR, "metrics": ["kappa"], "prior": 0.25, "chance": True}),
    ("score", {"rate": {"hits": 47, "of": 50}, "above": 0.9}),
    ("score", {"matrix": {"counts": SQUARE}}),
    ("score", {"matrix": {"counts": SQUARE, "labels": NAMES, "positive": "ham"}, "metrics": ["f1:ham", "macro-f1"]}),
    ("score", {"matrix": {"counts": [[5, 2], [1, 9]], "labels": ["3", "7"], "positive": 7, "rows": "pred"}}),
    ("score", {"matrix": {"counts": SQUARE}, "metrics": ["macro-f1"], "tolerance": 0.1, "seed": 3}),
    ("compare", {"first": {"counts": FOUR}, "second": {"counts": WORSE}}),
    ("compare", {"first": {"counts": FOUR}, "second": {"counts": WORSE}, "metrics": ["recall"], "equal_within": 0.05}),
    ("compare", {"first": {"rate": {"hits": 47, "of": 50}}, "second": {"rate": {"hits": 40, "of": 50}}}),
    ("compare", {"first": {"matrix": {"counts": SQUARE}}, "second": {"matrix": {"counts": SQUARE}},
                 "metrics": ["accuracy"], "prior": "jeffreys", "level": 0.8}),
    ("compare", {"wins": {"first": 17, "second": 4, "same": 3278}}),
    ("compare", {"wins": {"first": 17, "second": 4}, "level": 0.9, "interval": "hdi", "equal_within": 0.1}),
    ("compare", {"items": {"truth": [1, 0, 1, 1, 0, 1], "first": [1, 0, 1, 0, 0, 1], "second": [1, 1, 0, 0, 0, 1]},
                 "metrics": ["accuracy"]}),
    ("compare", {"items": {"truth": ["a", "b", "a", "b"], "first": ["a", "b", "b", "b"],
                           "second": ["a", "a", "b", "b"], "positive": "b"}, "metrics": ["f1"]}),
    ("leaderboard", {"systems": {"a": {"rate": {"hits": 47, "of": 50}}, "b b": {"rate": {"hits": 40, "of": 50}},
                                 "c": {"rate": {"hits": 44, "of": 50}}}}),
    ("leaderboard", {"systems": {"a": {"counts": FOUR}, "b": {"counts": WORSE}}, "metrics": ["f1"], "apart": 0.9}),
    ("plan", {"metric": "f1", "expected": {"recall": 0.8, "precision": 0.7, "prevalence": 0.1}, "width": 0.05}),
    ("plan", {"rate": {"hits": 40, "of": 50}, "above": 0.7, "assurance": 0.9}),
    ("plan", {"counts": FOUR, "metric": "recall", "n": 500, "level": 0.9}),
    ("plan", {"expected": {"rate": 0.8}, "difference": 0.05, "disagreement": 0.1}),
    ("solve", {"values": {"precision": "0.75", "recall": "0.60", "accuracy": "0.85", "n": "200"}}),
    ("solve", {"values": {"P": "75%", "R": ".6", "n": ["100", "120"]}}),
    ("solve", {"values": {"precision": "0.75", "recall": "0.6", "accuracy": "0.85", "n": "200"}, "exact": True}),
    ("solve", {"values": {"precision": "0.75", "recall": "0.6"}}),
    ("solve", {"values": {"precision": "0.9", "recall": "0.9", "f1": "0.5"}}),
    ("tradeoff", {"values": {"accuracy": "0.9", "prevalence": "20%"}}),
    ("tradeoff", {"values": {"accuracy": "0.9", "prevalence": "0.2"}, "recalls": [0.8, 0.95]}),
    ("tradeoff", {"counts": FOUR, "recalls": [0.9], "level": 0.8, "prior": "uniform"}),
    ("curve", {"truth": [1, 0, 1, 1, 0, 0, 1, 0], "scores": [0.9, 0.2, 0.4, 0.8, 0.5, 0.1, 0.7, 0.3]}),
    ("curve", {"truth": ["y", "n", "y", "y", "n"], "scores": [0.9, 0.2, 0.4, 0.8, 0.5], "positive": "y",
               "metrics": ["auc", "f1@0.5"], "level": 0.9}),
]  # fmt: skip

BAD: list[tuple[str, dict[str, Any], str]] = [
    ("score", {"counts": FOUR, "metrics": ["precison"]}, "Did you mean 'precision'?"),
    ("score", {}, "give one of counts, rate and matrix; got none."),
    ("score", {"rate": {"hits": 60, "of": 50}}, "60"),
    ("score", {"matrix": {"counts": [[1, 2]]}}, "square"),
    ("score", {"matrix": {"counts": [[1, 2], [3]]}}, ""),
    ("score", {"counts": FOUR, "prior": "evn"}, "Did you mean 'even'?"),
    (
        "score",
        {"counts": FOUR, "level": 95},
        "a level lies between 0 and 1, such as 0.95; got 95.0. Did you mean 0.95?",
    ),
    ("score", {"counts": {**FOUR, "tp": 12.5}}, "tp must be a whole number; got 12.5."),
    ("score", {"counts": {**FOUR, "tp": -1}}, "tp cannot be negative; got -1."),
    ("score", {"counts": {**FOUR, "tp": "x"}}, "counts.tp must be a number; got 'x'."),
    ("score", {"counts": {**FOUR, "tp": 10**13}}, "counts.tp may be 1,000,000,000,000 at most; got 10000000000000."),
    ("score", {"counts": {"tp": 1}}, "counts.fp is needed."),
    ("score", {"counts": FOUR, "above": "x"}, "above must be a number; got 'x'."),
    ("score", {"counts": FOUR, "seed": -1}, "seed must be a whole number, 0 or more; got -1."),
    ("leaderboard", {"systems": {x: {"rate": {"hits": 1, "of": 2}} for x in "ab"}, "apart": 95}, "between 0.5 and 1"),
    ("compare", {"first": {"counts": FOUR}}, "one of these three"),
    ("compare", {"wins": {"first": 1, "second": 2}, "prior": "even"}, "leave out prior"),
    ("compare", {"items": {"truth": [1], "first": [1, 2], "second": [1]}}, "same length; got 1, 2 and 1"),
    ("plan", {"metric": "f1"}, "pilot"),
    ("solve", {"values": {}}, "nothing is given"),
    ("solve", {"values": {"precision": ""}}, "no value"),
    ("tradeoff", {}, "one of the two"),
    ("curve", {"truth": [1, 0], "scores": [0.1]}, "same length; got 2 and 1"),
    ("curve", {"truth": [1, 1], "scores": [0.1, 0.2]}, ""),
]
