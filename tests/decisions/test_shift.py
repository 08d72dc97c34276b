"""shift: what a test says where positives have another share; recall and specificity carry over."""

from __future__ import annotations

import json

import mpmath as mp
import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import run
from tests.refusals import one_sentence

TABLE = {"tp": 90, "fp": 50, "fn": 10, "tn": 950}  # recall .9, specificity .95
TALLY = hs.Tally.binary(**TABLE)
N = 100_000
CARRIED = ("recall", "specificity", "fallout", "informedness", "balanced-accuracy", "g-mean", "lr-plus", "lr-minus")
FOLLOWED = ("precision", "npv", "fdr", "for", "accuracy", "f1", "f2", "jaccard", "kappa", "bias")
DRAWN = ("phi", "markedness", "fowlkes-mallows", "macro-f1", "weighted-f1")


def cells(share, tally=TALLY, n=N, seed=11):
    """Draws of the cells of a target, from Betas of numpy's own."""
    rng = np.random.default_rng(seed)
    recall = rng.beta(tally.tp + 0.5, tally.fn + 0.5, n)
    specificity = rng.beta(tally.tn + 0.5, tally.fp + 0.5, n)
    yes = share(rng) if callable(share) else share
    no = 1.0 - yes
    return {"tp": yes * recall, "fp": no * (1 - specificity), "fn": yes * (1 - recall), "tn": no * specificity}


def held(p, name, drawn, n=N):
    """Whether a law agrees with draws: their quantiles have its probabilities, within five standard errors."""
    metric = p.resolve(name).light
    with np.errstate(all="ignore"):
        x = np.asarray(metric.formula(**drawn))
    q = np.array([0.025, 0.25, 0.5, 0.75, 0.975])
    found = p[name].cdf(np.quantile(x, q))
    slack = 5 * np.sqrt(q * (1 - q) / n) + p[name].error.probability
    assert np.all(np.abs(found - q) < slack), (name, found)


# -- a share that is known


def test_the_textbook_example():
    """Sensitivity .9, specificity .95, prevalence .01: a positive answer is right in 15.4% of cases."""
    p = hs.shift(hs.posterior(TALLY), prevalence=0.01)
    assert p["ppv"].score == pytest.approx(0.01 * 0.9 / (0.01 * 0.9 + 0.99 * 0.05), abs=1e-15)
    assert p["npv"].score == pytest.approx(0.99 * 0.95 / (0.99 * 0.95 + 0.01 * 0.1), abs=1e-15)
    assert p["accuracy"].score == pytest.approx(0.01 * 0.9 + 0.99 * 0.95, abs=1e-15)


@pytest.mark.parametrize("name", [*FOLLOWED, *DRAWN])
def test_laws_at_a_known_share_are_those_of_draws(name):
    """Two independent Betas, put together at the target's share."""
    p = hs.shift(TALLY, 0.01)
    assert (p[name].route == "sampled") == (name in DRAWN)
    held(p, name, cells(0.01))


@pytest.mark.parametrize("share", [1e-9, 0.003, 0.4, 0.97])
def test_precision_against_mpmath(share):
    """P(precision <= t) is P(recall <= c·fallout): one integral, at 30 digits."""
    p = hs.shift(hs.Tally.binary(tp=7, fp=3, fn=2, tn=20), share)["precision"]
    for q in (1e-6, 0.2, 0.8):
        t = p.ppf(q)
        with mp.workdps(30):
            c = mp.mpf(t) / (1 - mp.mpf(t)) * (1 - mp.mpf(share)) / mp.mpf(share)

            def inner(x, c=c):
                recall = mp.betainc(7.5, 2.5, 0, min(c * x, 1), regularized=True)
                return recall * x**2.5 * (1 - x) ** 19.5

            kink = [min(1 / c, mp.mpf(1))]
            exact = mp.quad(inner, sorted({mp.mpf(0), *kink, mp.mpf("0.2"), mp.mpf(1)})) / mp.beta(3.5, 20.5)
        assert float(p.cdf(t)) == pytest.approx(float(exact), rel=1e-9)


def test_precision_is_the_positive_likelihood_ratio_in_other_words():
    """odds = LR+ · prior odds, quantile by quantile."""
    p = hs.shift(TALLY, 0.2)
    q = np.array([0.001, 0.1, 0.5, 0.9, 0.999])
    odds = p["lr-plus"].ppf(q) * 0.2 / 0.8
    assert p["precision"].ppf(q) == pytest.approx(odds / (1 + odds), rel=1e-9)


@pytest.mark.parametrize("name", CARRIED)
def test_what_carries_over_is_as_it_was(name):
    """Measures of recall and specificity alone do not know of the target."""
    p, s = hs.posterior(TALLY), hs.shift(TALLY, (0.001, 0.3))
    assert s[name] == p[name]
    assert s[name].score == p[name].score


def test_the_other_class_has_the_other_share():
    """precision of class 0 at prevalence .01 of class 1 is npv."""
    p = hs.shift(TALLY, 0.01)
    assert p["precision:0"].interval().low == pytest.approx(p["npv"].interval().low, abs=1e-12)
    assert p["precision:0"].score == pytest.approx(p["npv"].score, abs=1e-15)
    turned = hs.shift(TALLY.with_positive(0), 0.99)
    assert turned["npv"].ppf(0.3) == pytest.approx(p["precision"].ppf(0.3), abs=1e-12)


# -- a share that is not


@pytest.mark.parametrize("name", ["precision", "f1", "accuracy", "phi", "kappa"])
def test_a_range_is_uniform(name):
    """Between its ends all shares are as likely."""
    held(hs.shift(TALLY, (0.005, 0.02)), name, cells(lambda rng: rng.uniform(0.005, 0.02, N)))


@pytest.mark.parametrize("name", ["precision", "npv", "f1", "accuracy", "prevalence"])
def test_a_sample_of_the_target_gives_a_beta(name):
    """12 positives in 3,000 items: Beta(13, 2989) under the prior even."""
    held(hs.shift(TALLY, hs.Tally.rate(hits=12, of=3000)), name, cells(lambda rng: rng.beta(13, 2989, N)))


@pytest.mark.parametrize("prior", ["even", "jeffreys", 2.0, [[3.0, 1.0], [0.5, 2.0]]])
def test_the_tests_own_tally_gives_the_posterior_back(prior):
    """Recall, specificity and prevalence of a Dirichlet are independent: shifted to itself, nothing changes."""
    p = hs.posterior(TALLY, prior)
    s = hs.shift(p, TALLY)
    q = np.array([1e-6, 0.025, 0.5, 0.975])
    for name in ("precision", "recall", "f1", "specificity", "accuracy", "npv", "phi", "kappa", "prevalence"):
        assert s[name].ppf(q) == pytest.approx(p[name].ppf(q), abs=1e-9)
        assert s[name].mean == pytest.approx(p[name].mean, abs=1e-9)
    assert s["f1"].score == pytest.approx(p["f1"].score, abs=1e-12)


def test_a_sample_close_to_the_tests_own_gives_a_law_close_to_it():
    """The route by three Betas and the closed law of the table meet: one item more in the target changes little."""
    more = hs.Tally.rate(hits=101, of=1100)
    for name in ("precision", "npv"):
        near, own = hs.shift(TALLY, more)[name], hs.posterior(TALLY)[name]
        assert near.mean == pytest.approx(own.mean, abs=0.1 * own.std)
        assert near.std == pytest.approx(own.std, rel=0.02)


def test_a_mapping_names_both_classes():
    """Without a positive class the shares are told by label."""
    t = hs.Tally.matrix([[950, 50], [10, 90]], labels=["ham", "spam"])
    p = hs.shift(t, {"spam": 0.01, "ham": 0.99})
    assert p["precision:spam"].ppf(0.4) == pytest.approx(hs.shift(TALLY, 0.01)["precision"].ppf(0.4), abs=1e-12)
    assert p["accuracy"].score == pytest.approx(0.9495)


# -- many tables, weights, several classes, systems


def test_batches_are_loops():
    """Tables of a batch have the laws that they have alone."""
    many = hs.Tally.binary(tp=[90, 7, 0], fp=[50, 3, 2], fn=[10, 2, 4], tn=[950, 20, 9])
    for target in (0.01, hs.Tally.rate(hits=3, of=50)):
        together = hs.shift(many, target)["precision"].interval()
        for k in range(3):
            alone = hs.Tally.binary(**{c: int(getattr(many, c)[k]) for c in ("tp", "fp", "fn", "tn")})
            one = hs.shift(alone, target)["precision"].interval()
            assert (together.low[k], together.high[k]) == pytest.approx(tuple(one), abs=1e-9)


def test_weights_that_follow_the_truth_are_undone():
    """Positives of weight 1 and negatives of weight 9: within a class all weigh the same, and all is as without."""
    y, z = [1] * 100 + [0] * 1000, [1] * 90 + [0] * 10 + [1] * 50 + [0] * 950
    plain, weighted = hs.tally(y, z), hs.tally(y, z, weight=[1.0] * 100 + [9.0] * 1000)
    for name in ("precision", "f1", "accuracy"):
        a, b = (hs.shift(t, 0.01)[name] for t in (plain, weighted))
        assert b.ppf([0.1, 0.9]) == pytest.approx(a.ppf([0.1, 0.9]), abs=1e-9)


def test_a_class_among_several_is_set_against_the_rest():
    """Three classes with a positive one: its share moves, the mix of the others stays."""
    t = hs.Tally.matrix([[50, 3, 2], [4, 30, 1], [1, 2, 60]], labels=["a", "b", "c"], positive="b")
    p, two = hs.shift(t, 0.05), hs.shift(t.versus_rest("b"), 0.05)
    assert p["f1"].ppf(0.3) == two["f1"].ppf(0.3)
    assert p.default_table == two.default_table


@pytest.fixture(scope="module")
def joint():
    rng = np.random.default_rng(5)
    y = (rng.random(900) < 0.4).astype(int)
    a, b, c = (np.where(rng.random(900) < share, y, 1 - y) for share in (0.9, 0.87, 0.8))
    return hs.tally(y, {"a": a, "b": b, "c": c})


def paired_difference(joint, share, formula, n=N, seed=3):
    """Draws of the difference of a and b: joint patterns within each truth row, by numpy's own Gammas."""
    rng = np.random.default_rng(seed)
    both = joint.pick(("a", "b"))
    counts = np.zeros((2, 2, 2))
    np.add.at(counts, tuple(both.cells.T), both.counts)
    rows = [rng.dirichlet(counts[y].ravel() + 0.25, n).reshape(n, 2, 2) for y in (0, 1)]
    yes = share(rng) if callable(share) else share

    def of(side):
        no, up = (x.sum(axis=2 - side) for x in rows)
        return formula(tp=yes * up[:, 1], fn=yes * up[:, 0], fp=(1 - yes) * no[:, 1], tn=(1 - yes) * no[:, 0])

    return of(0) - of(1)


@pytest.mark.parametrize("share", [0.02, (0.001, 0.05)])
def test_systems_on_the_same_items(joint, share):
    """One share for both, and the joint table within each class."""
    c = hs.compare(hs.shift(joint, share), "a", "b", metric="f1")
    known = share if isinstance(share, float) else lambda rng: rng.uniform(*share, N)
    d = paired_difference(joint, known, lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn))
    assert c.p_better == pytest.approx((d > 0).mean(), abs=c.error.probability + 0.003)
    assert c.difference.mean == pytest.approx(d.mean(), abs=0.02 * d.std())
    assert c.difference.std == pytest.approx(d.std(), rel=0.02)


def test_recall_of_two_systems_is_as_it_was(joint):
    """A measure of one class has the paired law that it had."""
    before, after = (hs.compare(p, "a", "b", metric="recall") for p in (hs.posterior(joint), hs.shift(joint, 0.01)))
    assert after.p_better == before.p_better
    assert after.difference.ppf(0.2) == before.difference.ppf(0.2)


def test_systems_of_different_items_share_the_target():
    """Two tests at one unknown share: the better rates win at every share, which independent shares would blur."""
    one, two = hs.Tally.binary(tp=900, fp=300, fn=100, tn=9700), hs.Tally.binary(tp=900, fp=500, fn=100, tn=9500)
    target = (0.001, 0.2)
    c = hs.compare(hs.shift(one, target), hs.shift(two, target), metric="precision")
    apart = hs.compare(hs.shift(one, target), hs.shift(two, (0.0010001, 0.2)), metric="precision")
    assert c.p_better > 0.999
    assert 0.6 < apart.p_better < 0.9  # other targets, and so other shares
    board = hs.leaderboard(
        {"x": hs.shift(one, target), "y": hs.shift(two, target), "z": hs.shift(two, target)}, metric="precision"
    )
    assert board.systems[0] == "x"
    assert board.p_best[0] > 0.99


def test_more_systems_than_are_listed(joint):
    """Seven systems, whose patterns are not enumerated, and their ranks."""
    answers = {f"s{i}": np.roll(joint.cells[:, 1 + i % 3], i) for i in range(7)}
    many = hs.tally(joint.cells[:, 0], answers)
    p = hs.shift(many, 0.02)
    x = p.resolve("f1").joint_draws(4000, 1)
    alone = p.system("s3")["f1"]
    assert x.shape == (4000, 7)
    assert x[:, 3].mean() == pytest.approx(alone.mean, abs=5 * alone.std / np.sqrt(4000))


@pytest.mark.parametrize("prior", [1e-3, 0.05, 0.5])
def test_no_law_is_lost_at_small_weights(prior):
    """An empty table under a small prior: both classes may be all one answer, and nothing is 0/0."""
    p = hs.shift(hs.posterior(hs.Tally.binary(tp=0, fp=0, fn=0, tn=0), prior, tolerance=0.5), 0.3)
    for name in ("precision", "npv", "f1", "accuracy", "kappa"):
        low, high = p[name].interval()
        assert -1 <= low < high <= 1
        assert np.isfinite([p[name].mean, p[name].std]).all()


def test_slices_have_the_target_too(tmp_path, capsys):
    """Each slice by its own rates, all items together first."""
    lines = [{"y": i % 2, "z": (i % 7 > 0) * (i % 2), "part": "ab"[i % 3 > 0]} for i in range(120)]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    words = ["--truth", "y", "--pred", "z", "--by", "part", "--metric", "f1", "--prevalence", "0.1", "--format", "json"]
    assert run(["score", str(path), *words]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    for row in rows:
        own = [x for x in lines if row["slice"] is None or x["part"] == row["slice"]["part"]]
        alone = hs.score(hs.shift(hs.tally([x["y"] for x in own], [x["z"] for x in own]), 0.1), metrics=["f1"])
        assert row["low"] == pytest.approx(alone.to_dict()["rows"][0]["low"], abs=1e-9)
        assert row["n"] == len(own)
    assert len(rows) == 3


def test_what_looks_at_the_tested_table_alone_is_refused():
    """The trade-off at constant accuracy is of the items tested."""
    with pytest.raises(hs.HowsureError, match="got ShiftedTally"):
        hs.tradeoff(hs.shift(TALLY, 0.01))


# -- what is said


def test_what_a_report_says():
    """The note tells the tested share, the target's and what is assumed; the document tells the target."""
    made = hs.score(hs.shift(TALLY, 0.01)).to_dict()
    (said,) = [x for x in made["notes"] if x["code"] == "prevalence-shifted"]
    assert "prevalence of 0.01" in said["text"]
    assert "0.0909" in said["text"]
    assert "recall and specificity" in said["text"]
    assert made["data"]["prevalence"] == {"form": "fixed", "class": 1, "share": 0.01}
    assert made["data"]["cells"] == TABLE
    assert [row["asked"] for row in made["rows"]] == [str(m) for m in hs.posterior(TALLY).default_table]


def test_a_class_without_items():
    """Recall is not known: what follows from it has no score, and a wide posterior."""
    p = hs.shift(hs.Tally.binary(tp=0, fp=3, fn=0, tn=40), 0.1)
    report = hs.score(p, metrics=["precision", "specificity"]).to_dict()
    assert [row["score"] for row in report["rows"]] == [None, 40 / 43]
    assert any("a class has no items" in x["text"] for x in report["notes"])
    assert p["precision"].interval().width > 0.5


def test_chance_is_that_of_the_target():
    """Guessing as often as the system has the target's share for its precision."""
    found = hs.shift(TALLY, 0.01).against_chance("precision")
    assert float(found.score) == pytest.approx(0.01)
    assert float(found.better) == pytest.approx(float(hs.posterior(TALLY).against_chance("precision").better))


def test_draws_of_cells_have_the_share():
    """Positives are exactly as many as was said."""
    drawn = hs.shift(TALLY, 0.03).draws(50)
    assert drawn["tp"] + drawn["fn"] == pytest.approx(np.full(50, 0.03), abs=1e-12)


# -- what is refused


@pytest.mark.parametrize(
    ("prevalence", "said"),
    [
        (0, "above 0 and below 1"), (1, "above 0 and below 1"), (-0.1, "above 0"), (float("nan"), "got nan"),
        (5, "Did you mean 0.05"), ("1%", "got '1%'"), (None, "got None"), (True, "got True"), ((0.1, 0.2, 0.3), "got"),
        ((0.2, 0.1), "smaller one first"), ((0.1, 0.1), "one number alone"), ((-0.1, 0.2), "got -0.1"),
        (1e-15, "at least 1e-12"), ({1: 0.2, 0: 0.7}, "add up to 1"), ({1: 0.2}, "both classes"),
        ({"x": 0.2, 0: 0.8}, "'x'"), (hs.Tally.rate(hits=0, of=0), "no items"),
        (hs.Tally.rate(hits=[1, 2], of=9), "one table"), (hs.tally(["x", "y"], ["x", "y"]), "no class 1"),
        (hs.tally([1, 0], [1, 0], weight=[1.0, 2.0]), "weighted"),
    ],
)  # fmt: skip
def test_no_target(prevalence, said):
    """One sentence about what is no share, no range and no sample."""
    with pytest.raises(hs.HowsureError, match=r"^[^\n]*\.( Did you mean [\d.]+\?| Give .*\.)?$") as error:
        hs.shift(TALLY, prevalence)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (hs.Tally.rate(hits=3, of=9), "a rate of passes"),
        (hs.graded([0.1, 0.5, 0.7]), "a mean of values"),
        (hs.Tally.multilabel([{"a"}], [{"a"}]), "a set of labels"),
        (hs.Tally.binary(tp=[3, 4], fp=2, fn=1, tn=5).stratified({0: 1, 1: 2}), "a stratified sample"),
        (hs.Tally.matrix([[5, 1], [2, 7]], labels=["a", "b"]), "one of 'a', 'b'"),
        (hs.tally(["a", "a"], ["a", "a"], positive="a"), "two classes"),
    ],
)
def test_no_rates_to_carry_over(made, said):
    """Evidence without recall and specificity is refused, each kind by its name."""
    with pytest.raises(hs.HowsureError, match="prevalence=") as error:
        hs.shift(made, 0.1)
    assert said in str(error.value)


def test_what_depends_on_the_share_alone():
    """prevalence itself has no law where it is given as a number."""
    with pytest.raises(hs.HowsureError, match=r"given as 0\.01"):
        _ = hs.shift(TALLY, 0.01)["prevalence"]
    with pytest.raises(hs.HowsureError, match="asked of a target"):
        hs.shift(hs.tally([1, 0, 1], {"a": [1, 0, 0], "b": [1, 1, 1]}), 0.1).resolve("f1").classical_tests()
    with pytest.raises(hs.HowsureError, match="same target"):
        _ = hs.shift(TALLY, 0.1).evidence + hs.shift(TALLY, 0.2).evidence
    with pytest.raises(hs.HowsureError, match="cannot be written"):
        hs.shift(TALLY, 0.1).evidence.to_json()


# -- the command


def told(capsys, *words):
    assert run(["score", "--counts", "90,50,10,950", "--metric", "precision", "--format", "json", *words]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("0.01", 0.01), ("1%", 0.01), ("0.005..0.02", (0.005, 0.02)), ("0.5%-2%", (0.005, 0.02)),
        ("0.005 to 0.02", (0.005, 0.02)), ("5e-3..2e-2", (0.005, 0.02)), ("12/3000", hs.Tally.rate(hits=12, of=3000)),
    ],
)  # fmt: skip
def test_the_command_reads_a_target(capsys, text, target):
    """A share, a percentage, a range in several spellings, and counts."""
    made = told(capsys, "--prevalence", text)
    assert made["rows"] == hs.score(hs.shift(TALLY, target), metrics=["precision"]).to_dict()["rows"]


@pytest.mark.parametrize(
    "text",
    ["0", "1", "nan", "2", "-0.1", "0.02..0.005", "0.1..0.1", "abc", "", "1..2..3", "5/3", "0/0", "a/3", "1e-30"],
)
def test_the_command_refuses_what_is_no_target(capsys, text):
    """One sentence, exit code 2."""
    assert run(["score", "--counts", "90,50,10,950", f"--prevalence={text}"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert one_sentence(err)
    assert "--prevalence" in err


def test_the_command_compares_and_ranks(capsys):
    """Both take the target; the headline tells it."""
    two = ["--counts", "90,50,10,950", "--counts", "80,20,20,980", "--prevalence", "0.01"]
    for command in ("compare", "leaderboard"):
        assert run([command, *two]) == 0
        assert "for prevalence 0.01" in capsys.readouterr().out
    assert run(["score", "--rate", "3/4", "--prevalence", "0.1"]) == 2
    assert "does not go with --rate" in capsys.readouterr().err


# -- simulated


@pytest.mark.deep
def test_intervals_hold_the_value_in_the_target():
    """The study of docs: prevalence, on other seeds: 95% intervals of what follows from recall and specificity."""
    from bench.prevalence import known_shares, sampled_shares

    for case, row in known_shares(1000, seed=77):
        assert 0.91 <= row["precision"][0] <= 0.985, (case, row)
        assert 0.91 <= row["f1"][0] <= 0.985, (case, row)
        assert row["tested"][0] < 0.05, (case, row)  # the interval of the items tested is of something else
    (_, ours, plain), *_ = sampled_shares(100, seed=77)
    assert ours[0] >= 0.88
    assert plain[0] < ours[0]


def test_tested_shares_that_differ_are_one_note():
    """Two tests with 10% and 50% positives, for the same target."""
    few, many = (hs.shift(hs.Tally.binary(tp=8, fp=fp, fn=2, tn=tn), prevalence=0.01) for fp, tn in ((10, 80), (1, 9)))
    told = [n["text"] for n in hs.compare(few, many, metric="precision").to_dict()["notes"]]
    (said,) = [x for x in told if "among the items tested" in x]
    assert said.startswith("for a prevalence of 0.01, instead of 0.1 to 0.5 among the items tested")


@pytest.mark.parametrize("target", [0.01, (0.005, 0.02), hs.Tally.rate(hits=12, of=3000)], ids=repr)
def test_every_verb_takes_the_prevalence_of_its_command(target):
    """prevalence= answers as hs.shift and as --prevalence do, from data, evidence and posteriors."""
    truth, one, two = [1] * 40 + [0] * 60, [1] * 30 + [0] * 65 + [1] * 5, [1] * 24 + [0] * 75 + [1]
    t = hs.tally(truth, one)
    moved = hs.score(hs.shift(t, target), metrics=["precision"])
    for data in ((truth, one), (t,), (hs.posterior(t),)):
        assert hs.score(*data, metrics=["precision"], prevalence=target) == moved
    both = hs.tally(truth, {"a": one, "b": two})
    found = hs.compare(truth, {"a": one, "b": two}, metric="f1", prevalence=target)
    assert found == hs.compare(hs.shift(both, target), metric="f1")
    board = hs.leaderboard({"a": t, "b": hs.tally(truth, two)}, metric="f1", prevalence=target)
    assert board.posterior.evidence.target is not None
    assert hs.gate(t, "precision > 0.2 with 0.9", prevalence=target) == hs.gate(
        hs.shift(t, target), "precision > 0.2 with 0.9"
    )
    assert hs.forecast(t, n=50, metric="f1", prevalence=target) == hs.forecast(hs.shift(t, target), n=50, metric="f1")


def test_prevalence_is_that_of_the_command(capsys):
    """The same numbers as --prevalence, of three classes too; verbs without a target refuse it."""
    matrix = hs.Tally.matrix([[30, 5, 5], [4, 40, 6], [2, 8, 50]], labels=["a", "b", "c"], positive="a")
    assert hs.score(matrix, metrics=["precision"], prevalence=0.05).to_dict()["rows"][0]["low"] > 0
    run(["score", "--counts", "tp=30,fp=5,fn=10,tn=55", "--prevalence", "1%", "--metric", "f1", "--format", "json"])
    shown = json.loads(capsys.readouterr().out)["rows"]
    assert (
        hs.score(hs.Tally.binary(tp=30, fp=5, fn=10, tn=55), metrics=["f1"], prevalence=0.01).to_dict()["rows"] == shown
    )
    with pytest.raises(hs.HowsureError, match="curve has no option 'prevalence'"):
        hs.curve([1, 0], [0.8, 0.2], prevalence=0.1)
