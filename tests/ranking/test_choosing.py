"""The choice of a threshold: the best of all of them, its limits, and the optimism of choosing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure as hs
from howsure.catalogue import parse
from howsure.evidence.scored import Scored
from howsure.model.thresholds import tally_at
from howsure.ranking.choosing import choose


def scored(n: int, share: float, apart: float, seed: int, levels: int | None = None) -> Scored:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    s = rng.normal(size=n) + apart * y
    return Scored(y, (s if levels is None else np.round(s * levels) / levels)[:, None])


@given(
    st.integers(0, 10_000),
    st.integers(8, 40),
    st.sampled_from(["f1", "accuracy", "informedness", "error-rate", "precision"]),
    st.sampled_from([{}, {"at_least": {"recall": 0.7}}, {"at_most": {"fallout": 0.2}, "at_least": {"bias": 0.1}}]),
)
@settings(max_examples=60, deadline=None)
def test_the_choice_is_the_best_of_all_thresholds(
    seed: int, n: int, name: str, limits: dict[str, dict[str, float]]
) -> None:
    """Every distinct score and calling nothing positive, limits kept, tried one by one."""
    d = scored(n, 0.4, 1.0, seed, levels=2)
    if not 1 < d.truth.sum() < n - 1:
        return
    every = tally_at(d, [np.inf, *np.unique(d.scores)[::-1]])
    cells = every.named()
    m = parse(name)
    sign = 1 if m.better == "higher" else -1
    value = sign * np.asarray(m.score(cells), dtype=float)
    ok = ~np.isnan(value)
    for side, given_limits in limits.items():
        for other, limit in given_limits.items():
            x = np.asarray(parse(other).score(cells), dtype=float)
            ok &= (x >= limit - 1e-12) if side == "at_least" else (x <= limit + 1e-12)
    p = hs.posterior(d)
    if not ok.any():
        with pytest.raises(hs.HowsureError, match="no threshold has"):
            choose(p, name, correct=None, **limits)
        return
    found = choose(p, name, correct=None, **limits)
    assert sign * found.score == pytest.approx(value[ok].max(), abs=1e-12)
    at = found.cells
    assert float(np.asarray(m.score({k: np.float64(x) for k, x in at.items()}))) == pytest.approx(found.score)


@pytest.mark.slow
def test_scores_of_pure_chance_are_found_out() -> None:
    """Of 20 sets of random scores, apparent intervals of informedness leave out 0 often, corrected ones hardly."""
    lost = {"apparent": 0, "corrected": 0}
    for seed in range(20):
        c = choose(hs.posterior(scored(150, 0.3, 0.0, seed), seed=seed), "informedness")
        assert c.optimism > 0
        lost["apparent"] += c.apparent.interval().low > 0
        lost["corrected"] += c.corrected.interval().low > 0
    assert lost["apparent"] >= 5
    assert lost["corrected"] <= 3


def test_optimism_falls_with_the_number_of_items() -> None:
    """Ten times the items leave less to chance."""
    few, many = (choose(hs.posterior(scored(n, 0.3, 1.5, 1)), "f1").optimism for n in (80, 2000))
    assert 0 < many < 0.5 * few


def test_a_measure_at_its_edge_is_corrected_within_reason() -> None:
    """Recall is 1 wherever it is chosen: what is taken off leaves it near the other halves' recall."""
    c = choose(hs.posterior(scored(150, 0.3, 1.0, 2)), "recall", correct="split")
    low, high = c.corrected.interval()
    assert 0.5 < low < c.corrected.mean < high


@pytest.mark.parametrize("correct", ["resample", "split"])
def test_clusters_are_chosen_on_whole(correct: str) -> None:
    """Thirty items that each come ten times flatter a threshold as thirty do, not as three hundred."""
    d = scored(30, 0.4, 1.0, 3)
    ten = Scored(np.repeat(d.truth, 10), np.repeat(d.scores, 10, axis=0), clusters=np.repeat(np.arange(30), 10))
    one = Scored(d.truth, d.scores, clusters=np.arange(30))
    few, many = (choose(hs.posterior(x), "f1", correct=correct).optimism for x in (one, ten))
    assert many == pytest.approx(few, abs=0.01)
    assert many > 0.03


@pytest.mark.parametrize("correct", ["resample", "split"])
def test_same_seed_same_choice(correct: str) -> None:
    """Numbers do not depend on threads or on earlier calls, and a cost is corrected upwards."""
    d = scored(800, 0.2, 1.5, 5)  # draws come in several chunks
    first, second = (choose(hs.posterior(d), "f1", correct=correct) for _ in range(2))
    assert first.to_dict() == second.to_dict()
    cost = choose(hs.posterior(d), hs.utility(fp=1, fn=5, cost=True), correct=correct)
    assert cost.corrected.mean > cost.apparent.mean
    assert cost.optimism < 0


def test_rows_and_notes_tell_the_optimism() -> None:
    """The document carries the table at the threshold, the laws and the words."""
    c = choose(hs.posterior(scored(300, 0.3, 1.5, 1)), "f1", at_least={"recall": 0.8})
    document = c.to_dict()
    assert document["schema"] == "howsure.threshold/1"
    assert sum(document["cells"].values()) == 300
    assert [row["what"] for row in document["rows"]] == ["threshold", "f1", "f1, corrected"]
    assert any(note["code"] == "optimism" for note in document["notes"])
    assert "corrected for the choice" in repr(c)
    recall = hs.posterior(hs.Tally.binary(**document["cells"]))["recall"]
    assert document["limits"][0]["p"] == pytest.approx(recall.sf(0.8), abs=1e-12)
    assert "f1, corrected" in str(c)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"metric": "prevalence"}, "prevalence has no better direction"),
        ({"metric": "macro-f1"}, "not a measure of a 2x2 table"),
        ({"correct": "splt"}, "Did you mean 'split'"),
        ({"at_least": {"recall": 90}}, "Did you mean 0.9"),
        ({"at_least": 0.9}, "takes a mapping"),
        ({"at_least": {"precision": 1.0, "recall": 1.0}}, "ask for less"),
    ],
)
def test_bad_choices_are_refused_in_one_sentence(kwargs: dict[str, object], message: str) -> None:
    """What was given, what is needed."""
    with pytest.raises(hs.HowsureError, match=message):
        choose(hs.posterior(scored(100, 0.3, 1.0, 1)), **kwargs)  # type: ignore[arg-type]
