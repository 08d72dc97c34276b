"""The choice of a threshold: the best of all of them, its limits, and the optimism of choosing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import howsure as hs
from howsure.catalogue import parse
from howsure.evidence.scored import Scored
from howsure.messages.numbers import short
from howsure.posteriors.score_samples import score_draws
from howsure.posteriors.thresholds import tally_at
from howsure.ranking.thresholds import Pick, choose, tried
from tests.tiers import examples


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
@examples(20, 60)
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


@pytest.mark.deep
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


@pytest.mark.parametrize("correct", ["folds", "resample", "split"])
def test_clusters_are_chosen_on_whole(correct: str) -> None:
    """Thirty items that each come ten times flatter a threshold as thirty do, not as three hundred."""
    d = scored(30, 0.4, 1.0, 3)
    ten = Scored(np.repeat(d.truth, 10), np.repeat(d.scores, 10, axis=0), clusters=np.repeat(np.arange(30), 10))
    one = Scored(d.truth, d.scores, clusters=np.arange(30))
    few, many = (choose(hs.posterior(x), "f1", correct=correct).optimism for x in (one, ten))
    assert many == pytest.approx(few, abs=0.01)
    assert many > 0.03


@pytest.mark.parametrize("correct", ["folds", "resample", "split"])
def test_same_seed_same_choice(correct: str) -> None:
    """Numbers do not depend on threads or on earlier calls, and a cost is corrected upwards."""
    d = scored(800, 0.2, 1.5, 5)  # draws come in several chunks
    first, second = (choose(hs.posterior(d, tolerance=0.05), "f1", correct=correct) for _ in range(2))
    assert first.to_dict() == second.to_dict()
    cost = choose(hs.posterior(d, tolerance=0.05), hs.utility(fp=1, fn=5, cost=True), correct=correct)
    assert cost.corrected.mean > cost.apparent.mean
    assert cost.optimism < 0
    told = next(note.text for note in cost.notes if note.code == "optimism")
    assert f"look lower by {short(-cost.optimism)} ±" in told


def one_deal(d: Scored, rng: np.random.Generator) -> np.ndarray:
    """tn, fp, fn, tp of five folds, each class dealt out evenly, by loops over folds and thresholds."""
    y, s = d.truth, d.scores[:, 0]
    fold = np.empty(len(y), dtype=int)
    for kind in (True, False):
        (at,) = np.nonzero(y == kind)
        fold[rng.permutation(at)] = (np.arange(at.size) + rng.integers(5)) % 5
    cells = np.zeros(4)
    for k in range(5):
        yes, score = y[fold != k], s[fold != k]
        f1 = {t: 2 * (yes & (score >= t)).sum() / (yes.sum() + (score >= t).sum()) for t in sorted(set(score))[::-1]}
        t = max(f1, key=lambda x: f1[x])
        np.add.at(cells, 2 * y[fold == k] + (s[fold == k] >= t), 1.0)
    return cells


@cache
def dealt_by_loops() -> tuple[Scored, np.ndarray]:
    """Fifty items, and their tables by 150 deals."""
    d = scored(50, 0.3, 1.0, 7, levels=2)
    rng = np.random.default_rng(0)
    return d, np.array([one_deal(d, rng) for _ in range(150)])


@pytest.mark.parametrize("form", ["items", "counts"])
def test_folds_make_the_table_of_other_items(form: str) -> None:
    """The table is that of plain loops, of rows that stand for several items too, and its law the one of that table."""
    d, loops = dealt_by_loops()
    given = d
    if form == "counts":
        pairs, counts = np.unique(np.stack([d.truth, d.scores[:, 0]]), axis=1, return_counts=True)
        given = Scored(pairs[0] == 1, pairs[1][:, None], counts=counts.astype(float))
    p = hs.posterior(given, tolerance=0.02)
    cells = tried(p, Pick(parse("f1"), 1.0, ()), "folds", 0.5).cells
    assert cells is not None
    assert cells.sum() == pytest.approx(50)
    error = loops.std(axis=0) / np.sqrt(150)
    np.testing.assert_allclose(cells, loops.mean(axis=0), atol=5 * error.max())
    _, fp, fn, tp = cells
    b = stats.beta(tp + 0.5, fp + fn + 1.0)
    found = choose(p, "f1").corrected
    assert found.route == "sampled"
    np.testing.assert_allclose(found.interval(), [2 * b.ppf(q) / (1 + b.ppf(q)) for q in (0.025, 0.975)], rtol=1e-9)


@pytest.mark.parametrize(("prior", "clusters"), [("none", None), ("even", np.arange(80) // 2)])
def test_folds_move_the_law_where_a_table_has_none(prior: str, clusters: np.ndarray | None) -> None:
    """The plain bootstrap and clusters: by the optimism, on the logit scale, and the note says so."""
    d = scored(80, 0.3, 1.0, 9)
    c = choose(hs.posterior(Scored(d.truth, d.scores, clusters=clusters), prior=prior), "f1")
    gap = np.log(c.score / (1 - c.score)) - np.log((c.score - c.optimism) / (1 - c.score + c.optimism))
    low = c.apparent.interval().low
    assert c.corrected.interval().low == pytest.approx(1 / (1 + np.exp(gap) * (1 / low - 1)), abs=0.002)
    assert next(n.text for n in c.notes if n.code == "optimism").endswith("the corrected row is shifted by that")


def test_folds_of_weighted_items() -> None:
    """Weights that are all 2 leave the table twice as large and its law that of the plain items."""
    d = scored(80, 0.3, 1.0, 9).tidy
    two = Scored(d.truth, d.scores, counts=np.full(80, 2.0), squares=np.full(80, 4.0))
    one, other = (choose(hs.posterior(x), "f1") for x in (d, two))
    np.testing.assert_allclose(other.corrected.interval(), one.corrected.interval(), rtol=1e-9)
    assert other.optimism == pytest.approx(one.optimism)


def test_folds_do_not_depend_on_the_order_of_rows() -> None:
    """Rows given in another order are dealt out alike."""
    d = scored(80, 0.3, 1.0, 9)
    turned = Scored(d.truth[::-1].copy(), d.scores[::-1].copy())
    one, two = (choose(hs.posterior(x), "f1").corrected.interval() for x in (d, turned))
    assert (one.low, one.high) == (two.low, two.high)


@pytest.mark.deep
def test_folds_find_the_optimism_that_samples_miss() -> None:
    """Sixty items, a tenth of them positive: F1 on new items at the threshold, on average over 60 tests."""
    rng = np.random.default_rng(12)
    y = rng.random(200_000) < 0.1
    new = Scored(y, (rng.normal(size=y.size) + 1.5 * y)[:, None])
    off: dict[str, list[float]] = {"folds": [], "resample": []}
    for seed in range(60):
        d = scored(60, 0.1, 1.5, 1_000 + seed)
        if d.truth.sum() < 2:
            continue
        for how, errors in off.items():
            c = choose(hs.posterior(d, tolerance=0.06, seed=seed), "f1", correct=how)
            cells = {k: np.asarray(x)[0] for k, x in tally_at(new, [c.threshold]).named().items()}
            errors.append(float(c.corrected.mean - parse("f1").score(cells)))
    assert np.mean(off["resample"]) > 0.05
    assert abs(np.mean(off["folds"])) < 0.6 * np.mean(off["resample"])


def test_the_best_of_all_thresholds_is_tried_on_another_draw() -> None:
    """max-f1: the threshold from one draw of weights, F1 from another, as plain loops have it; else it is flattered."""
    d = scored(40, 0.25, 1.2, 4)
    p = hs.posterior(d, tolerance=0.03)
    order = np.argsort(-d.scores[:, 0])
    y = d.truth[order]
    rng = np.random.default_rng(8)
    w, extra = rng.standard_exponential((6_000, 40)), rng.standard_gamma(0.5, (6_000, 4))
    tp, fp = (np.cumsum(w * x, axis=1) + extra[:, [i]] for x, i in ((y, 0), (~y, 2)))
    f1 = 2 * tp / (tp + fp + tp[:, [-1]] + extra[:, [1]])
    best = f1.argmax(axis=1)
    other = f1[np.arange(6_000), np.roll(best, 1)]
    law = p["max-f1"]
    assert law.mean == pytest.approx(other.mean(), abs=4 * other.std() * np.sqrt(2 / 6_000))
    assert np.mean(other <= law.ppf(0.1)) == pytest.approx(0.1, abs=0.02)
    own = score_draws(p).through(p.measure("max-f1").evaluate, 4_000, 3)[0]
    assert own.mean() == pytest.approx(f1.max(axis=1).mean(), abs=4 * own.std() * np.sqrt(2 / 4_000))
    assert law.mean < own.mean() - 0.02
    few, many = (p.draws(n, seed=5, metrics=["max-f1", "auc"]) for n in (37, 90))
    assert all((many[k][:37] == few[k]).all() for k in few)


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
        ({"at_least": 0.9}, "must be a mapping"),
        ({"at_least": {"recall": (0.9, 2)}}, "the second number of a limit is a probability between 0 and 1; got 2"),
        ({"at_least": {"recall": (0.9, 95)}}, "Did you mean 0.95"),
        ({"at_least": {"recall": (0.9, "x")}}, "got 'x'"),
        ({"at_least": {"recall": (0.9,)}}, "or a pair such as"),
        ({"at_least": {"recall": (0.9, 0.9, 0.9)}}, "or a pair such as"),
        ({"at_least": {"recall": ("x", 0.9)}}, "recall at least needs a number; got 'x'"),
        ({"at_least": {"informedness": (0.2, 0.9)}}, "informedness has none; give a plain number"),
        ({"at_least": {"precision": 1.0, "recall": 1.0}}, "ask for less"),
    ],
)
def test_bad_choices_are_refused_in_one_sentence(kwargs: dict[str, object], message: str) -> None:
    """What was given, what is needed."""
    with pytest.raises(hs.HowsureError, match=message):
        choose(hs.posterior(scored(100, 0.3, 1.0, 1)), **kwargs)  # type: ignore[arg-type]


def test_the_corrected_law_is_as_sure_as_the_deals_behind_it() -> None:
    """Other seeds deal otherwise: means, ends and probabilities stay within the errors that are stated, and say so."""
    rng = np.random.default_rng(1)
    y = rng.random(80) < 0.3
    s = rng.normal(size=80) + 1.5 * y
    for correct in ("folds", "resample"):
        found = [hs.curve(y, s, seed=k).choose("f1", correct=correct) for k in range(6)]
        laws = [c.corrected for c in found]
        assert {d.route for d in laws} == {"sampled"}
        assert 0.001 < laws[0].error.value < 0.02
        means, ends = [d.mean for d in laws], np.array([d.interval().low for d in laws])
        assert 1e-5 < np.ptp(means) < 2 * laws[0].mean_error()
        assert np.ptp(ends) < 2 * laws[0].end_errors(0.95, "equal-tailed")[0]
        assert np.ptp([d.cdf(0.5) for d in laws]) < 2 * laws[0].error.probability
        row = found[0].to_dict()["rows"][2]
        assert row["error"]["mean"] == pytest.approx(float(laws[0].mean_error()))
        assert f"{laws[0].mean:.3f}" not in str(found[0])  # no digit beyond the error
