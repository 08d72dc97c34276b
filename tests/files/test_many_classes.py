"""Very many classes or systems: an answer in seconds, or a refusal that says what is possible."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

import howsure as hs
from howsure._leaderboard import by_draws
from howsure.distributions.classes import ClassSlopes
from howsure.errors import BadLabels

TOO_MANY = (
    r"401 systems with 500 classes are too many \(classes times systems: 200,000 at most\)\. "
    "Give 400 of the systems at a time, or whether each answer is right, as outcome=."
)


def table(classes, rows, path):
    """A file of true labels and predictions of which 70% are right."""
    rng = random.Random(1)
    truth = [f"c{i % classes}" for i in range(rows)]
    lines = [f"{x},{x if rng.random() < 0.7 else f'c{rng.randrange(classes)}'}" for x in truth]
    path.write_text("\n".join(["y,z", *lines]))
    return path


def test_twenty_thousand_classes_are_counted_in_seconds(tmp_path):
    """The time grows with the classes; before, with their square."""
    path = table(20_000, 60_000, tmp_path / "a.csv")
    start = time.process_time()
    assert hs.tally(path, truth="y", pred="z").n == 60_000
    assert time.process_time() - start < 15


@pytest.mark.deep
def test_twenty_thousand_classes_are_scored(tmp_path):
    """All usual metrics; before, the table of all pairs of classes took gigabytes."""
    path = table(20_000, 60_000, tmp_path / "a.csv")
    start = time.process_time()
    report = hs.score(path, truth="y", pred="z")
    assert 0.69 < report["accuracy"].score < 0.71
    assert len(report.to_text()) > 1_000_000
    assert time.process_time() - start < 60


def test_many_systems_of_many_classes_are_refused(tmp_path):
    """From files and from memory; with one system fewer they are read."""
    labels = [f"c{i}" for i in range(500)]
    systems = {f"m{j}": labels[j:] + labels[:j] for j in range(401)}
    path = tmp_path / "a.csv"
    path.write_text("\n".join(map(",".join, [["y", *systems], *zip(labels, *systems.values(), strict=True)])))
    with pytest.raises(BadLabels, match=TOO_MANY):
        hs.tally(path, truth="y", pred="m*")
    with pytest.raises(BadLabels, match=TOO_MANY):
        hs.tally(labels, systems)
    assert len(hs.tally(path, truth="y", pred=list(systems)[1:]).systems) == 400


def test_cells_that_are_alike_keep_their_mean_and_spread():
    """The wrong cells of more classes than are looked at one by one."""
    rng, k = np.random.default_rng(2), 2300
    missed, false, weights = rng.normal(size=k), rng.exponential(size=k), rng.random(k)
    slopes, parts = ClassSlopes(rng.random(k), missed, false).wrong_cells(weights)
    coefs, shapes = np.add.outer(missed, false), np.repeat(weights / (k - 1), k).reshape(k, k)
    np.fill_diagonal(shapes, 0.0)
    for power in (0, 1, 2, 3):
        want = (coefs**power * shapes).sum()
        assert (slopes**power) @ parts == pytest.approx(want, rel=1e-5)


@pytest.mark.parametrize("digits", [0, 1, 12])
def test_ranks_of_draws_are_those_of_all_pairs(digits):
    """With many ties, some and none."""
    draws = np.random.default_rng(3).normal(size=(400, 9)).round(digits)
    n, many = draws.shape
    found = by_draws(draws, True, None)
    ahead, tied = (
        (draws[:, None, :] < draws[:, :, None]).sum(axis=2),
        (draws[:, None, :] == draws[:, :, None]).sum(axis=2),
    )
    ranks = np.stack([(((ahead <= r) & (r < ahead + tied)) / tied).mean(axis=0) for r in range(many)], axis=1)
    assert found.ranks == pytest.approx((n * ranks + 1 / many) / (n + 1), abs=1e-14)
    below = (draws[:, :, None] < draws[:, None, :]).mean(axis=0) + 0.5 * (draws[:, :, None] == draws[:, None, :]).mean(
        axis=0
    )
    assert found.pairs == pytest.approx((n * below + 0.5) / (n + 1), abs=1e-14)
