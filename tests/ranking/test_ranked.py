"""Measures of a ranking: against scikit-learn, against slow rules written out, and the laws of their posterior."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as peer

import howsure as hs
from howsure.catalogue import retrieval
from howsure.distributions import ranked
from howsure.distributions.ranked import Cuts
from howsure.evidence.scored import Scored
from howsure.posteriors.score_samples import score_draws
from howsure.posteriors.thresholds import tally_at
from howsure.ranking.names import parse as run_measure
from tests.tiers import examples, some, spread

NAMES = ["auc", "AP", "BEP", "BEP(rule='nearest')", "BEP(rule='r-precision')", "AP11", "AP11(rule='trec_eval-9')",
         "AP11(rule='trec_eval-10')",
         "max-f1", "min-error-rate", "precision@recall=0.9", "recall@fallout=0.1", "f1@0.5"]  # fmt: skip


def scored(n=200, seed=0, digits=1, systems=1, share=0.3):
    """Scores with many ties; several systems share a part of their noise."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < share
    truth[:2] = True, False
    common = rng.normal(size=n)
    columns = [(common + 0.7 * rng.normal(size=n) + (1 + 0.2 * k) * truth).round(digits) for k in range(systems)]
    return Scored(truth, np.stack(columns, axis=1), tuple("abcdefgh"[:systems]) if systems > 1 else ("system",))


def cuts(truth, scores, weights=None):
    w = np.ones(len(truth)) if weights is None else np.asarray(weights, dtype=float)
    truth = np.asarray(truth, dtype=bool)
    order = ranked.order_of(truth, np.asarray(scores, dtype=float))
    return Cuts.weigh(order, w[None, truth], w[None, ~truth])


@st.composite
def lists(draw):
    """Truths of both classes, scores with ties, and weights."""
    n = draw(st.integers(2, 40))
    truth = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda x: 0 < sum(x) < len(x)))
    scores = draw(st.lists(st.sampled_from([-3.0, 0.0, 0.1, 0.25, 0.5, 0.9, 1e9]), min_size=n, max_size=n))
    weights = draw(st.lists(st.floats(1e-3, 1e3), min_size=n, max_size=n))
    return np.array(truth), np.array(scores), np.array(weights)


@given(lists(), st.booleans())
@examples(60, 200)
def test_areas_are_those_of_scikit_learn(data, weighted):
    """AUC and average precision agree to 1e-12 with ties and weights."""
    truth, scores, weights = data
    w = weights if weighted else None
    c = cuts(truth, scores, w)
    assert ranked.auc(c)[0] == pytest.approx(peer.roc_auc_score(truth, scores, sample_weight=w), abs=1e-12)
    expected = peer.average_precision_score(truth, scores, sample_weight=w)
    assert ranked.average_precision(c)[0] == pytest.approx(expected, abs=1e-12)


@given(lists())
@examples(50, 100)
def test_counts_at_thresholds_are_those_of_the_curves_of_scikit_learn(data):
    """The batched table over distinct scores holds the points of roc_curve and precision_recall_curve."""
    truth, scores, weights = data
    t = tally_at(Scored(truth, scores[:, None], counts=weights, squares=weights**2))
    fpr, tpr, cut = peer.roc_curve(truth, scores, sample_weight=weights, drop_intermediate=False)
    assert np.array_equal(cut[1:], t.batch[0][1])
    np.testing.assert_allclose(t.tp / (t.tp + t.fn), tpr[1:], rtol=0, atol=1e-12)
    np.testing.assert_allclose(t.fp / (t.fp + t.tn), fpr[1:], rtol=0, atol=1e-12)
    precision, _, cut = peer.precision_recall_curve(truth, scores, sample_weight=weights)
    np.testing.assert_allclose((t.tp / (t.tp + t.fp))[::-1], precision[:-1], rtol=0, atol=1e-12)
    assert np.array_equal(cut[::-1], t.batch[0][1])


def slow_eleven(relevance, rule):
    """The three rules written out for a list of 0 and 1 without ties."""
    found = np.cumsum(relevance)
    precision = found / np.arange(1, len(relevance) + 1)
    total = int(found[-1])
    values = []
    for level in range(11):
        least = {
            "ceil": -(-level * total // 10),
            "trec_eval-9": int(level / 10 * total + 0.9),
            "trec_eval-10": math.floor(level / 10 * total + 0.5),
        }[rule]
        values.append(max(p for p, f in zip(precision, found, strict=True) if f >= least))
    if rule == "ceil":
        values[0] = precision[int(np.argmax(np.asarray(relevance) > 0))]
    return float(np.mean(values))


@pytest.mark.parametrize("rule", ["ceil", "trec_eval-9", "trec_eval-10"])
def test_eleven_points_by_each_rule(rule):
    """Each rule agrees with itself written out, for every number of relevant items up to 30."""
    rng = np.random.default_rng(1)
    for total in range(1, 31):
        relevance = rng.permutation([1] * total + [0] * 40)
        c = cuts(relevance, -np.arange(len(relevance)))
        assert ranked.eleven_points(c, rule).mean() == pytest.approx(slow_eleven(relevance, rule), abs=1e-14)


def test_the_three_rules_of_eleven_points_differ():
    """A list of 7 relevant items tells all three apart: the first is not the best, and 0.3 x 7 = 2.1."""
    relevance = [0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1]
    c = cuts(relevance, -np.arange(16))
    values = {float(ranked.eleven_points(c, r).mean()) for r in ("ceil", "trec_eval-9", "trec_eval-10")}
    assert len(values) == 3


def test_break_even_is_r_precision_of_a_list_without_ties():
    """p = r where as many are found as are relevant, so all three rules give precision at R."""
    rng = np.random.default_rng(2)
    for total in range(1, 20):
        relevance = rng.permutation([1] * total + [0] * 25)
        c = cuts(relevance, -np.arange(len(relevance)))
        expected = relevance[:total].sum() / total
        for rule in ("crossing", "r-precision"):
            assert ranked.break_even(c, rule)[0] == pytest.approx(expected, abs=1e-14)
        if expected > 0:
            assert ranked.break_even(c, "nearest")[0] == pytest.approx(expected, abs=1e-14)


def test_break_even_is_never_the_origin():
    """Where the first items are negative, p = r = 0 there; the crossing is the later one."""
    c = cuts([0, 0, 0, 1, 1, 1, 1, 1], -np.arange(8.0))
    assert ranked.break_even(c)[0] == pytest.approx(0.4)
    assert ranked.break_even(c, "nearest")[0] == pytest.approx(0.4)


def test_break_even_of_ties_is_the_mean_over_their_orders():
    """On the line between two cuts the break-even point is R-precision expected under a random order of the ties."""
    truth, scores = np.array([1, 0, 1, 0, 0, 1, 0], dtype=bool), np.array([3.0, 2, 2, 2, 2, 1, 0])
    rng = np.random.default_rng(0)
    total = [truth[np.lexsort((rng.random(7), -scores))][:3].mean() for _ in range(20_000)]
    assert ranked.break_even(cuts(truth, scores))[0] == pytest.approx(np.mean(total), abs=0.01)


@given(lists())
@examples(33, 100)
def test_rates_at_a_point_lie_on_the_roc_curve(data):
    """Recall at a fallout is numpy's interpolation of the ROC curve; precision at a recall comes from the same line."""
    truth, scores, weights = data
    c = cuts(truth, scores, weights)
    fpr, tpr, _ = peer.roc_curve(truth, scores, sample_weight=weights, drop_intermediate=False)
    levels = np.array([0.0137, 0.31, 0.77])
    tp, _ = ranked.at_fallout(c, levels)
    np.testing.assert_allclose(tp[:, 0] / c.positives[0], np.interp(levels, fpr, tpr), rtol=0, atol=1e-9)
    tp, fp = ranked.at_recall(c, levels)
    np.testing.assert_allclose(tp[:, 0] / c.positives[0], levels, rtol=0, atol=1e-12)
    np.testing.assert_allclose(fp[:, 0] / c.negatives[0], np.interp(levels, tpr, fpr), rtol=0, atol=1e-9)


@given(
    lists(), st.sampled_from(["f1", "f2", "accuracy", "informedness", "phi", "error-rate", "jaccard", "specificity"])
)
@examples(50, 150)
def test_the_best_cut_is_the_best_of_all_tables(data, name):
    """max- and min- agree with the measure at every distinct score and at finding nothing; undefined if all are."""
    truth, scores, _ = data
    d = Scored(truth, scores[:, None])
    metric = hs.posterior(hs.Tally.binary(tp=1, fp=1, fn=1, tn=1)).measure(name)
    t = tally_at(d)
    none = {"tp": 0, "fp": 0, "fn": int(truth.sum()), "tn": int((~truth).sum())}
    every = np.append(metric.score(t.named()), metric.score(none))
    which = "min" if metric.better == "lower" else "max"
    found = float(hs.posterior(d).point(f"{which}-{name}"))
    if np.isnan(every).all():
        assert np.isnan(found)
        return
    expected = np.nanmin(every) if which == "min" else np.nanmax(every)
    assert found == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("name", [*NAMES, *(str(m) for m in retrieval.rankings())])
def test_names_parse_to_themselves(name):
    """parse and str are inverse, and case and underscores are forgiven."""
    m = retrieval.parse(name)
    assert str(m) == name
    assert retrieval.parse(str(m)) == m
    assert retrieval.parse(name.upper()) == m
    assert hash(retrieval.parse(name)) == hash(m)


@pytest.mark.parametrize(
    "spelled", ["AP11@trec_eval-9", "ap11@TREC-EVAL-9", "AP11(rule='trec_eval-9')", 'AP11( rule = "trec_eval-9" )',
                "AP11(rule=trec_eval-9)", "11-point(trec_eval-9)"],
)  # fmt: skip
def test_a_rule_has_one_name(spelled):
    """However a rule is spelled, the measure prints as hs.trec prints it."""
    assert str(retrieval.parse(spelled)) == "AP11(rule='trec_eval-9')" == str(run_measure("AP11@trec_eval-9"))
    assert retrieval.parse(spelled) == retrieval.parse("AP11@trec_eval-9")


@pytest.mark.parametrize("name", ["AP(rel=2)", "AP11(rule='trec')", "auc(rule='ceil')", "BEP(nearest", "f1(rule='x')"])
def test_a_rule_that_is_none_is_refused(name):
    """Brackets that no measure of scores has are one sentence, not a guess."""
    with pytest.raises(hs.HowsureError) as caught:
        retrieval.parse(name)
    assert "\n" not in str(caught.value)


def test_aliases_lead_home():
    """Every alias is the measure it belongs to, and no two measures share one."""
    names = [x for m in retrieval.DECLARED for x in (m.name, *m.aliases)]
    assert len({x.lower() for x in names}) == len(names)
    for m in retrieval.DECLARED:
        assert all(retrieval.parse(x) == m for x in m.aliases)


# -- the posterior


@pytest.mark.parametrize(
    ("prior", "name"),
    spread(["even", "uniform", 2.0], ["f1", "precision", "recall", "fallout", "accuracy", "informedness"]),
)
def test_the_bootstrap_at_a_threshold_is_the_closed_law(name, prior):
    """Draws of the curve, looked at where a threshold cuts it, follow the closed posterior of that table."""
    p = hs.posterior(scored(60), prior)
    asked = [retrieval.parse(f"{name}@{threshold:g}") for threshold in (-9.0, 0.0, 0.8, 99.0)]
    for m, draws in zip(asked, score_draws(p).of(asked, 20_000, 3), strict=True):
        drawn = np.sort(draws[:, 0])
        law = p[str(m)]
        assert law.route != "sampled"
        some = np.arange(50, 20_000, 100)
        ks = np.abs(law.cdf(drawn[some]) - (some + 0.5) / 20_000).max()
        assert ks < 1.95 / np.sqrt(20_000)  # exceeded once in a thousand


def test_weighted_items_have_the_closed_law_at_a_threshold_too():
    """The table's Gammas have the mean and the variance of the draws' sums over items: nearly the same law."""
    d = scored(60)
    weights = np.random.default_rng(2).uniform(0.1, 4.0, 60)
    p = hs.posterior(Scored(d.truth, d.scores, counts=weights, squares=weights**2))
    for name in ("precision@0.5", "recall@1", "f1@-0.5"):
        drawn = np.sort(score_draws(p).of([retrieval.parse(name)], 20_000, 3)[0][:, 0])
        some = np.arange(50, 20_000, 100)
        assert np.abs(p[name].cdf(drawn[some]) - (some + 0.5) / 20_000).max() < 0.01 + 1.95 / np.sqrt(20_000)


def test_turning_scores_and_classes_around_leaves_auc():
    """AUC does not tell which class is called positive, nor does its law."""
    d = scored(60)
    a, b = (hs.posterior(x, tolerance=0.05)["auc"] for x in (d, Scored(~d.truth, -d.scores)))
    assert a.mean == pytest.approx(b.mean, abs=1e-14)
    assert a.std == pytest.approx(b.std, rel=0.03)
    assert a.interval().low == pytest.approx(b.interval().low, abs=a.error.value + b.error.value)


def test_the_mean_of_auc_is_closed():
    """The mean of the draws is the known mean within three standard errors, with weights and ties too."""
    d = scored(80)
    weights = np.random.default_rng(1).uniform(0.2, 3.0, 80)
    for data in (d, Scored(d.truth, d.scores, counts=weights, squares=weights**2)):
        p = hs.posterior(data)
        x = score_draws(p).of([retrieval.parse("auc")], 10_000, 1)[0][:, 0]
        assert p["auc"].mean == pytest.approx(x.mean(), abs=3.5 * x.std() / 100)


@cache
def before_and_turned():
    """Posteriors that all measures share: of scores, and of a rising transform of them."""
    d = scored(70)
    return [hs.posterior(x, tolerance=0.5) for x in (d, Scored(d.truth, np.exp(d.scores) / 7))]


@pytest.mark.parametrize("name", NAMES)
def test_a_rising_transform_of_the_scores_changes_nothing(name):
    """Only the order of the scores counts."""
    a, b = before_and_turned()
    b = b if "0.5" not in name else hs.posterior(scored(70), tolerance=0.5)
    assert a[name].interval() == b[name].interval()
    assert float(a.point(name)) == float(b.point(name))


@cache
def whole_and_parts():
    """Posteriors that all measures share: of the whole, of added shards, of shuffled rows, and brought up to date."""
    d = scored(90)
    parts = [Scored(d.truth[x], d.scores[x]) for x in (slice(0, 30), slice(30, 31), slice(31, None))]
    order = np.random.default_rng(0).permutation(90)
    made = [hs.posterior(x, tolerance=0.5) for x in (d, sum(parts), Scored(d.truth[order], d.scores[order]))]
    return [*made, hs.posterior(parts[0], tolerance=0.5).update(parts[1] + parts[2])]


@pytest.mark.parametrize("name", NAMES)
def test_shards_merge_and_rows_may_come_in_any_order(name):
    """Two shards added up, or the rows shuffled, give the same numbers as the whole."""
    whole, *others = [p[name].interval() for p in whole_and_parts()]
    assert others == [whole] * 3


@cache
def listed_and_counted():
    """Posteriors that all measures share: of items one by one, and of counts of distinct scores."""
    d = scored(150, digits=0)
    pairs, number = np.unique(np.stack([d.truth, d.scores[:, 0]], axis=1), axis=0, return_counts=True)
    counted = Scored(pairs[:, 0] > 0, pairs[:, 1:].copy(), counts=number.astype(float))
    return [hs.posterior(x, tolerance=0.1) for x in (d, counted)]


@pytest.mark.parametrize("name", NAMES)
def test_rows_that_stand_for_many_items_have_the_law_of_those_items(name):
    """Counts a distinct score are the same as the items one by one: equal points, laws within their errors."""
    a, b = listed_and_counted()
    assert float(a.point(name)) == pytest.approx(float(b.point(name)), abs=1e-13)
    assert a[name].interval() == b[name].interval()


def test_threads_change_nothing(monkeypatch):
    """The same seed gives the same numbers on one core and on several, and longer runs begin like shorter ones."""
    from howsure.posteriors import score_samples as model

    p = hs.posterior(scored(3_000, digits=9))
    many = p.draws(700, seed=5)["AP"]
    monkeypatch.setattr(model, "_cores", lambda: 1)
    assert np.array_equal(p.draws(700, seed=5)["AP"], many)
    assert np.array_equal(p.draws(300, seed=5)["AP"], many[:300])
    assert not np.array_equal(p.draws(300, seed=6)["AP"], many[:300])


def test_perfect_separation_has_an_interval():
    """Under even no interval has width 0; plain resampling cannot tell, and says so."""
    truth = np.arange(20) >= 12
    d = Scored(truth, np.arange(20.0)[:, None])
    p = hs.posterior(d, tolerance=0.2)
    for name in NAMES[:8]:
        low, high = p[name].interval()
        assert 0 < low < high <= 1
    assert float(p.point("auc")) == 1.0
    with pytest.raises(hs.HowsureError, match="auc is 1 however the items are resampled"):
        hs.posterior(d, "none")["auc"]


def test_none_is_the_plain_bootstrap():
    """Without a prior the draws are those of exponentials alone, evaluated by scikit-learn."""
    d = scored(40, digits=9)
    x = hs.posterior(d, "none").draws(4_000, seed=0)["auc"]
    rng = np.random.default_rng(8)
    y = [peer.roc_auc_score(d.truth, d.scores[:, 0], sample_weight=w) for w in rng.exponential(size=(800, 40))]
    assert x.mean() == pytest.approx(np.mean(y), abs=4 * np.std(y) / np.sqrt(650))
    assert x.std() == pytest.approx(np.std(y), rel=0.1)


def test_a_measure_that_wants_more_draws_leaves_the_others_theirs():
    """Of one pass each has the first of the draws, as many as it wants, and is looked at no further."""
    drawn, seen = score_draws(hs.posterior(scored(60, 3, 2))), []

    def looked(c):
        seen.append(c.positives.size)
        return ranked.auc(c)

    few, best, many = (retrieval.parse(x) for x in ("auc", "max-f1", "AP"))
    wanted = {replace(few, evaluate=looked): 5_000, best: 4_097, many: 20_000}
    found = drawn.as_many(wanted, 4)
    for m, own in zip((few, best, many), found.values(), strict=True):
        n = {"auc": 5_000, "max-f1": 4_097, "AP": 20_000}[m.name]
        np.testing.assert_array_equal(own, drawn.of([m], 20_000, 4)[0][:n])
        assert own.shape == (n, 1)
    assert sum(seen) < 12_000


@pytest.mark.parametrize("systems", [2, 8])
def test_each_system_is_the_same_alone_and_in_company(systems):
    """The marginal law of a system does not depend on those it is drawn with (8 systems: by sticks)."""
    joint = hs.posterior(scored(50, systems=systems), tolerance=0.1)
    x = score_draws(joint).of([retrieval.parse("AP")], 20_000, 4)[0]
    for k, name in enumerate(joint.evidence.systems[:2]):
        alone = score_draws(joint.system(name)).of([retrieval.parse("AP")], 20_000, 9)[0][:, 0]
        both = np.sort(np.concatenate([x[:, k], alone]))
        gap = [np.searchsorted(np.sort(v), both, side="right") / 20_000 for v in (x[:, k], alone)]
        assert np.abs(gap[0] - gap[1]).max() < 1.95 * np.sqrt(2 / 20_000)


@pytest.mark.parametrize("name", some(["auc", "AP", "BEP", "AP11", "f1@0.5", "fallout@recall=0.8"], every=3))
def test_swapped_systems_swap_their_chances(name):
    """compare(a, b) and compare(b, a) mirror each other, and the leaderboard agrees with them."""
    d = scored(120, systems=2)
    a, b = (hs.compare(d, *names, metric=name, tolerance=0.05) for names in (("a", "b"), ("b", "a")))
    assert a.p_better == pytest.approx(b.p_worse, abs=0.02)
    assert a.p_better + a.p_worse == pytest.approx(1)
    assert a.difference.mean == pytest.approx(-b.difference.mean, abs=4 * a.difference.error.value)
    board = hs.leaderboard(d, metric=name, tolerance=0.05)
    best = dict(zip(board.names, board.p_best, strict=True))
    assert best["a"] == pytest.approx(a.p_better, abs=0.02)


def test_the_same_items_tell_more():
    """Paired systems that share their noise have a narrower difference than independent ones."""
    d = scored(200, systems=2)
    together = hs.compare(d, "a", "b", tolerance=0.1)
    apart = hs.compare(d.system("a"), d.system("b"), tolerance=0.1)
    assert together.paired
    assert not apart.paired
    assert together.difference.std < 0.8 * apart.difference.std


def test_clusters_are_resampled_whole():
    """Items that repeat within clusters have the spread of the clusters, not of the items."""
    d = scored(60, digits=9)
    five = Scored(np.repeat(d.truth, 5), np.repeat(d.scores, 5, axis=0), clusters=np.repeat(np.arange(60), 5))
    one, many = (hs.posterior(x, "none", tolerance=0.1)["auc"] for x in (d, five))
    assert many.std == pytest.approx(one.std, rel=0.1)
    assert hs.posterior(Scored(five.truth, five.scores), tolerance=0.1)["auc"].std < 0.6 * one.std


def test_weights_act_as_counts_do_but_for_their_size():
    """Equal weights of any size are no weights; the point score is that of the weights."""
    d = scored(60)
    heavy = Scored(d.truth, d.scores, counts=np.full(60, 7.0), squares=np.full(60, 49.0))
    a, b = (hs.posterior(x, tolerance=0.1) for x in (d, heavy))
    assert a["AP"].interval().low == pytest.approx(b["AP"].interval().low, abs=3 * a["AP"].error.value)
    assert a["f1@0.5"].interval().low == pytest.approx(b["f1@0.5"].interval().low, abs=1e-12)


def test_a_report_of_scores():
    """score() of two systems has a row for each measure and system, in every format, and names the rules."""
    r = hs.score(scored(100, systems=2), tolerance=0.2, above={"auc": 0.5})
    document = r.to_dict()
    assert [x["metric"] for x in document["rows"]] == 2 * ["auc", "AP", "BEP", "AP11", "max-f1"]
    assert document["data"]["positives"] == int(scored(100, systems=2).truth.sum())
    assert any("rule ceil" in x["text"] for x in document["notes"])
    assert document["rows"][0]["p_above"] > 0.9
    for text in (r.to_markdown(), r.to_latex(), r.to_html(), r.to_csv(), str(r)):
        assert "AP11" in text
    single = hs.score(scored(100), metrics=["roc_auc"], tolerance=0.2)
    assert single["auc"].mean == single["roc_auc"].mean


def test_eleven_points_of_a_good_ranking_lie_in_their_interval():
    """Recall 1 is that of the last positive item: the prior below all does not turn it into answering always."""
    rng = np.random.default_rng(8)
    y = rng.random(600) < 0.4
    p = hs.posterior(Scored(y, (rng.normal(size=600) + 3.5 * y)[:, None]), tolerance=0.1)
    low, high = p["AP11"].interval()
    assert low < float(p.point("AP11")) < high


def test_long_lists_are_searched_as_short_ones(monkeypatch):
    """The cuts at a recall or a fallout, by a search in each draw and by bisection over all at once."""
    rng = np.random.default_rng(2)
    y = rng.random(3000) < 0.3
    p = hs.posterior(Scored(y, np.round(rng.normal(size=(3000, 1)) + y[:, None], 1)))
    levels = np.array([0.001, 0.3, 0.9, 1.0])

    def at(c):
        return np.concatenate([*ranked.at_recall(c, levels), *ranked.at_fallout(c, np.append(0.0, levels))])

    found = score_draws(p).through(at, 40, 0)
    monkeypatch.setattr(ranked, "_LONG", 10**9)
    np.testing.assert_array_equal(found, score_draws(p).through(at, 40, 0))


def test_the_score_of_the_best_of_many_thresholds_is_called_too_good():
    """max- and min- carry a note that they are chosen on the same items; measures at a given threshold do not."""
    rng = np.random.default_rng(3)
    y = rng.random(60) < 0.4
    p = hs.posterior(Scored(y, (rng.normal(size=60) + y)[:, None]), tolerance=0.5)
    told = {name: [x.code for x in p[name].notes] for name in ("max-f1", "min-error-rate", "f1@0.5", "auc")}
    assert [name for name, codes in told.items() if "best-of-many" in codes] == ["max-f1", "min-error-rate"]
