"""Judged items: laws against brute force and quadrature, special cases that have other names, notes and refusals."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, special

import howsure as hs
from howsure.cli.app import run
from howsure.distributions.judge_errors import Verdicts, rate_draws
from howsure.io.entrance import evidence
from howsure.posteriors.judged import powered

RNG = np.random.default_rng(20_261_116)
N, SEEN = 900, 150
HUMAN = RNG.random(N) < 0.6
JUDGE = np.where(RNG.random(N) < 0.85, HUMAN, ~HUMAN)
PRED = {name: np.where(RNG.random(N) < share, HUMAN, ~HUMAN).astype(int) for name, share in (("a", 0.9), ("b", 0.8))}
LABELS = [int(x) if i < SEEN else None for i, x in enumerate(HUMAN)]
FRAME = {"verdict": JUDGE.astype(int).tolist(), "human": LABELS, **{k: x.tolist() for k, x in PRED.items()}}
ASKED = {"judge": "verdict", "human": "human"}


def table(human, judge):
    """(verdict, human) counts, by hand."""
    return np.array([[np.sum((judge == j) & (human == h)) for h in (False, True)] for j in (False, True)])


def test_a_rate_is_that_of_three_betas():
    """Mean, spread and tails of q·a1 + (1 - q)·a0, by integrals over q and a0 of the cdf of a1."""
    p = hs.correct_judge(JUDGE[SEEN:], (HUMAN[:SEEN], JUDGE[:SEEN]))["rate"]
    (n00, n01), (n10, n11) = table(HUMAN[:SEEN], JUDGE[:SEEN]) + 0.5
    passes = JUDGE.sum() + 1.0
    q, a0 = (passes, N - JUDGE.sum() + 1.0), (n01, n00)

    def below(t, x, y):
        return special.betainc(n11, n10, np.clip((t - (1 - x) * y) / x, 0, 1))

    nodes, weights = np.polynomial.legendre.leggauss(60)
    u, w = (nodes + 1) / 2, weights / 2
    x, y = special.betaincinv(*q, u)[:, None], special.betaincinv(*a0, u)[None, :]
    for level in (0.025, 0.5, 0.975):
        t = p.ppf(level)
        assert np.sum(w[:, None] * w[None, :] * below(t, x, y)) == pytest.approx(level, abs=3 * 0.5 / np.sqrt(1.5e5))
    mean = q[0] / sum(q) * n11 / (n10 + n11) + q[1] / sum(q) * n01 / (n00 + n01)
    assert p.mean == pytest.approx(mean, abs=p.error.value)


def test_arrays_counts_and_columns_say_the_same():
    """However verdicts come in, the same numbers come out."""
    arrays = hs.correct_judge(JUDGE[SEEN:], (HUMAN[:SEEN], JUDGE[:SEEN]))
    counts = hs.correct_judge(
        hs.Tally.rate(hits=int(JUDGE[SEEN:].sum()), of=N - SEEN), hs.tally(HUMAN[:SEEN], JUDGE[:SEEN])
    )
    words = hs.correct_judge(
        ["pass" if x else "fail" for x in JUDGE[SEEN:]], (HUMAN[:SEEN].tolist(), [str(x) for x in JUDGE[:SEEN]])
    )
    columns = evidence(FRAME, **ASKED)
    assert arrays == counts == words
    assert arrays.evidence == columns
    assert (columns.n, columns.validated) == (N, SEEN)


def test_with_every_label_the_judge_changes_nothing():
    """Where people labelled all items the posterior is theirs alone, of the rate and of F1."""
    full = FRAME | {"human": HUMAN.astype(int).tolist()}
    rate, plain = hs.score(full, **ASKED)["rate"], hs.posterior(hs.Tally.rate(hits=int(HUMAN.sum()), of=N))["rate"]
    assert rate.interval().low == pytest.approx(plain.interval().low, abs=rate.error.value)
    assert rate.std == pytest.approx(plain.std, rel=0.01)
    f1 = hs.score(full, **ASKED, pred="a", metrics="f1")
    alone = hs.posterior(hs.tally(HUMAN.astype(int), PRED["a"]))["f1"]
    assert f1["f1"].interval().high == pytest.approx(alone.interval().high, abs=f1["f1"].error.value)
    assert f1["f1"].score == pytest.approx(alone.score, abs=1e-12)
    assert "all-validated" in {n.code for n in f1.notes}


def test_a_perfect_judge_stands_for_people():
    """A judge without a mistake narrows the interval towards that of all items."""
    p = hs.correct_judge(HUMAN[300:], (HUMAN[:300], HUMAN[:300]))["rate"].interval().width
    few = hs.posterior(hs.Tally.rate(hits=int(HUMAN[:300].sum()), of=300))["rate"].interval().width
    assert p < 0.75 * few


def test_cells_of_f1_by_brute_force():
    """The cells of human label and answer, drawn by hand: strata of all items, labels of the validated ones."""
    rng, n = np.random.default_rng(3), 200_000
    j, h, a = JUDGE, HUMAN, PRED["a"] == 1
    part = np.arange(N) < SEEN
    share = rng.dirichlet([np.sum((j == x) & (a == y)) + 0.5 for x in (0, 1) for y in (0, 1)], n).T
    yes = np.stack([
        rng.beta(*(np.sum(part & (j == x) & (a == y) & (h == z)) + 0.25 for z in (1, 0)), n)
        for x in (0, 1) for y in (0, 1)
    ])  # fmt: skip
    tp, truth = share[1] * yes[1] + share[3] * yes[3], (share * yes).sum(axis=0)
    f1 = 2 * tp / (truth + share[1] + share[3])
    found = hs.score(FRAME, **ASKED, pred="a", metrics="f1")["f1"]
    ends = np.quantile(f1, [0.025, 0.5, 0.975])
    assert [*found.interval(), found.median] == pytest.approx([ends[0], ends[2], ends[1]], abs=2 * found.error.value)


def test_joint_draws_have_the_laws_of_each_system():
    """Two systems together: each has the law that it has alone, and the same items make them go together."""
    near = [1 - x if i % 15 == 0 else x for i, x in enumerate(FRAME["a"])]
    e = hs.posterior(evidence(FRAME | {"c": near}, **ASKED, pred=["a", "c"]), seed=4)
    joint = e.resolve("f1").joint_draws(40_000, 1)
    for k, name in enumerate("ac"):
        alone = e.system(name)["f1"]
        slack = 4 * alone.std / np.sqrt(40_000)
        assert joint[:, k].mean() == pytest.approx(alone.mean, abs=slack)
        assert joint[:, k].std() == pytest.approx(alone.std, rel=0.03)
        assert np.quantile(joint[:, k], 0.975) == pytest.approx(alone.interval().high, abs=6 * slack)
    assert np.corrcoef(joint.T)[0, 1] > 0.4


def test_heavy_and_tiny_priors_keep_their_laws_together():
    """The prior's mass by sticks, with a rest for a heavy one, and coins for a tiny one."""
    for prior, slack in ((60.0, 0.03), (1e-6, 0.03)):
        e = hs.posterior(evidence(FRAME, **ASKED, pred=["a", "b"]), prior, tolerance=0.1)
        joint = e.resolve("f1").joint_draws(20_000, 1)
        alone = e.system("b")["f1"]
        assert joint[:, 1].mean() == pytest.approx(alone.mean, abs=0.05 * alone.std)
        assert joint[:, 1].std() == pytest.approx(alone.std, rel=slack)


def test_systems_on_other_items_are_apart():
    """Counts of two systems have no items in common: the difference is that of two posteriors."""
    one, two = hs.Tally.rate(hits=300, of=500), hs.Tally.rate(hits=250, of=400)
    checks = {"a": hs.Tally.binary(tp=40, fp=8, fn=5, tn=30), "b": hs.Tally.binary(tp=30, fp=3, fn=9, tn=28)}
    both = hs.compare(hs.correct_judge({"a": one, "b": two}, checks, tolerance=0.05))
    apart = hs.compare(*(hs.correct_judge(x, checks[k], tolerance=0.05) for k, x in (("a", one), ("b", two))))
    assert both.difference.std == pytest.approx(apart.difference.std, rel=0.03)
    assert both.p_better == pytest.approx(apart.p_better, abs=0.02)


def test_validated_items_may_differ_between_systems():
    """Each system has its own validated items, and the posterior that it has alone."""
    checks = {"a": (HUMAN[:60], JUDGE[:60]), "b": (HUMAN[:100], PRED["a"][:100])}
    p = hs.correct_judge({"a": JUDGE[200:], "b": PRED["a"][200:]}, checks)
    alone = hs.correct_judge(JUDGE[200:], checks["a"])
    assert p.system("a").evidence.validated == 60
    assert p.system("b").evidence.validated == 100
    assert p.system("a")["rate"].mean == pytest.approx(alone["rate"].mean, abs=alone["rate"].error.value)


# -- a validation from elsewhere


def exact_cdf(t, tp, fn, tn, fp, x, m):
    """P(rate <= t) by a double integral of Bayes' rule, uniform in the rate."""

    def mass(upper):
        def inner(sp, se):
            weight = se ** (tp - 1) * (1 - se) ** (fn - 1) * sp ** (tn - 1) * (1 - sp) ** (fp - 1)
            gap = se + sp - 1
            ends = [special.betainc(x + 1, m - x + 1, np.clip(1 - sp + u * gap, 0, 1)) for u in (0, upper)]
            return weight * (ends[1] - ends[0]) / gap

        return integrate.dblquad(inner, 0.5, 1, 0.5, 1, epsabs=1e-13, epsrel=1e-7)[0]

    return mass(t) / mass(1.0)


def test_rates_behind_verdicts_by_quadrature():
    """Draws of Rogan and Gladen's rate against a double integral; the judge is better than chance for sure."""
    shapes = (80.5, 12.5), (70.5, 9.5)
    seen = Verdicts(np.array([240.0]), np.array([400.0]), np.ones((1, 1)))
    drawn = rate_draws(np.array(shapes[0]), np.array(shapes[1]), seen, 200_000, np.random.default_rng(8))
    for t in (0.5, 0.62, 0.75):
        wanted = exact_cdf(t, *shapes[0], *shapes[1], 240, 400)
        assert np.mean(drawn <= t) == pytest.approx(wanted, abs=4 * 0.5 / np.sqrt(200_000))


def test_a_useless_judge_leaves_the_prior():
    """Recall and fallout alike: any rate fits, and the report says that the judge is too weak and what would help."""
    p = hs.correct_judge(hs.Tally.rate(hits=500, of=1000), hs.Tally.binary(tp=25, fp=25, fn=25, tn=25), external=True)
    low, high = p["rate"].interval()
    assert low < 0.06
    assert high > 0.94
    assert np.isnan(p["rate"].score)
    told = {n.code: n for n in hs.score(p).notes}
    assert told["judge-weak"]["where"] == "external"


def test_verdicts_that_no_such_judge_gives_are_refused():
    """A judge that fails hardly anything cannot have failed nearly all of these."""
    with pytest.raises(hs.HowsureError, match="cannot come from a judge"):
        hs.score(
            hs.correct_judge(
                hs.Tally.rate(hits=5, of=10**7), hs.Tally.binary(tp=40, fp=30_000, fn=1, tn=2), external=True
            )
        )


def test_one_validation_for_several_systems():
    """It carries recall and specificity over, each system has the law that it has alone, and a note says so."""
    check = (HUMAN[:SEEN], JUDGE[:SEEN])
    p = hs.correct_judge({"a": JUDGE[SEEN:], "b": PRED["a"][SEEN:]}, check, tolerance=0.05)
    assert {"judge-shared"} <= {n.code for n in hs.score(p).notes}
    alone = hs.correct_judge(JUDGE[SEEN:], check, external=True, tolerance=0.05)["rate"]
    assert p.system("a")["rate"].mean == pytest.approx(alone.mean, abs=alone.error.value)
    pair = hs.compare(p)
    assert pair.difference.std < np.hypot(alone.std, p.system("b")["rate"].std)


# -- what is said


def test_the_prediction_powered_estimate_by_hand():
    """PPI++ from arrays: the verdicts' weight, the estimate and its standard error."""
    f, y, rest = JUDGE[:SEEN].astype(float), HUMAN[:SEEN].astype(float), JUDGE[SEEN:].astype(float)
    n, m = len(f), len(rest)
    weight = np.cov(y, f)[0, 1] / (np.var(JUDGE) * (1 + n / m))
    wanted = weight * rest.mean() + (y - weight * f).mean()
    error = np.sqrt(weight**2 * rest.var() / m + (y - weight * f).var() / (n - 1))
    found = powered(table(HUMAN[:SEEN], JUDGE[:SEEN]), np.array([m - rest.sum(), rest.sum()]))
    assert found == pytest.approx((wanted, error, weight), rel=1e-9)
    document = hs.score(FRAME, **ASKED, level=0.8).to_dict()["judge"][0]
    assert document["ppi"]["estimate"] == pytest.approx(wanted, rel=1e-9)
    assert document["ppi"]["high"] - wanted == pytest.approx(1.2815515655446004 * error, rel=1e-9)
    assert powered(np.array([[1, 0], [0, 0]]), np.array([3, 4])) is None


def test_recall_and_specificity_of_the_judge():
    """By hand, in the document and in words."""
    made = hs.score(FRAME, **ASKED)
    seen, said = HUMAN[:SEEN], JUDGE[:SEEN]
    told = made.to_dict()["judge"][0]
    assert told["recall"] == pytest.approx(np.mean(said[seen]))
    assert told["specificity"] == pytest.approx(np.mean(~said[~seen]))
    assert f"on {SEEN} of {N} items that have a human label" in str(made)


def test_a_judge_that_hardly_helps_is_told_of():
    """Labels at random add nothing; three times as many human labels more would halve the interval."""
    coin = np.random.default_rng(1).random(6_000) < 0.5
    human = np.random.default_rng(2).random(200) < 0.4
    told = {n.code: n for n in hs.score(hs.correct_judge(coin[200:], (human, coin[:200]))).notes}
    assert told["judge-weak"]["more"] == pytest.approx(600, rel=0.15)
    assert "judge-weak" not in {n.code for n in hs.score(FRAME, **ASKED).notes}


def test_slices_have_judges_of_their_own():
    """Each slice is what it is alone; the row of all items is there too."""
    side = ["left" if i % 3 else "right" for i in range(N)]
    rows = hs.score(FRAME | {"side": side}, **ASKED, by="side", tolerance=0.1).to_dict()["rows"]
    own = [i for i in range(N) if not i % 3]
    alone = hs.score({k: [FRAME[k][i] for i in own] for k in ("verdict", "human")}, **ASKED, tolerance=0.1)
    right = next(r for r in rows if r["slice"] == {"side": "right"})
    assert (right["score"], right["low"]) == (alone.to_dict()["rows"][0]["score"], alone.to_dict()["rows"][0]["low"])


def test_the_other_class_and_another_positive_one():
    """f1:0 is f1 with positive=0, and recall of one class is the specificity of the other."""
    made = hs.score(FRAME, **ASKED, pred="a", metrics=["f1:0", "recall:0", "specificity"], tolerance=0.1)
    other = hs.score(FRAME, **ASKED, pred="a", positive=0, metrics=["f1", "recall"], tolerance=0.1)
    assert made["f1:0"].score == pytest.approx(other["f1"].score, abs=1e-12)
    assert made["recall:0"].score == pytest.approx(made["specificity"].score, abs=1e-12)
    assert made["f1:0"].mean == pytest.approx(other["f1"].mean, abs=2 * made["f1:0"].error.value)
    p = hs.posterior(evidence(FRAME, **ASKED, pred="a"))
    assert p.evidence.with_positive(0) == evidence(FRAME, **ASKED, pred="a", positive=0)


# -- the command


def command(capsys, *words):
    code = run([*words])
    return code, *capsys.readouterr()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "judged.csv"
    lines = [f"{v},{'' if h is None else h},{a}" for v, h, a in zip(FRAME["verdict"], LABELS, FRAME["a"], strict=True)]
    path.write_text("verdict,human,a\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_the_command_reads_an_empty_human_label_as_not_validated(capsys, file):
    """The document of the command is that of Python."""
    code, out, _ = command(capsys, "score", file, "--judge", "verdict", "--human", "human", "--format", "json")
    assert code == 0
    made = json.loads(out)
    assert made["rows"] == hs.score(FRAME, **ASKED).to_dict()["rows"]
    assert made["judge"][0]["validated"] == SEEN
    code, out, _ = command(capsys, "score", file, "--judge", "verdict", "--human", "human", "--pred", "a")
    assert code == 0
    assert "precision" in out


REFUSED = {
    "no human column": ({"judge": "verdict"}, "give both judge="),
    "a truth": ({**ASKED, "truth": "a"}, "leave out truth="),
    "an outcome": ({**ASKED, "outcome": "a"}, "a judge goes with pred= or alone: leave out outcome="),
    "clusters": ({**ASKED, "cluster": "a"}, "leave out cluster="),
    "two judges of one truth": ({"judge": ["verdict", "b"], "human": "human", "pred": "a"}, "one column"),
    "a human column too few": (
        {"judge": ["verdict", "a"], "human": "human"},
        "one column of human= per column of judge=; got 1",
    ),
    "wrong is not known": ({**ASKED, "missing": "wrong"}, "not known here"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_columns_that_do_not_fit_are_refused(kind):
    """One sentence that names the option."""
    keywords, said = REFUSED[kind]
    with pytest.raises(hs.HowsureError, match=said):
        hs.score(FRAME, **keywords)


BOTH = ([1, 0, 1, 0], [1, 0, 0, 0])
ARRAYS = {
    "no validated item": ([1, 0], ([], []), "no item has a human label"),
    "unequal lengths": ([1, 0], ([1, 0, 1], [1, 0]), "3 human labels but 2 verdicts"),
    "other labels": (["good", "bad"], BOTH, "holds 'good'"),
    "unknown human labels": ([1, 0], (["yes", "perhaps"], [1, 0]), "holds 'perhaps'"),
    "a missing verdict": ([1, None], BOTH, "1 label is missing"),
    "one array": ([1, 0], [1, 0, 1], "must be \\(human, judge\\)"),
    "other systems": ({"a": [1, 0]}, {"b": BOTH}, "name the same systems"),
    "systems of other lengths": ({"a": [1, 0], "b": [1]}, BOTH, "as many verdicts; got a 2, b 1"),
    "no verdicts": ({}, BOTH, "no verdicts were given"),
    "three classes": ([1, 0], hs.Tally.matrix([[1, 2, 0], [0, 3, 1], [1, 1, 4]]), "needs two classes"),
    "a batch": (hs.Tally.rate(hits=[1, 2], of=[4, 4]), BOTH, "a single table"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_that_do_not_fit_are_refused(kind):
    """One sentence that says what is wrong."""
    judged, validation, said = ARRAYS[kind]
    with pytest.raises(hs.HowsureError, match=said):
        hs.correct_judge(judged, validation)


def test_what_a_judge_cannot_be_asked(capsys, file):
    """Columns of several classes, missing verdicts, a two-level prior, a classical test, elsewhere that is no flag."""
    many = FRAME | {"kind": ["x", "y", "z"] * 300}
    with pytest.raises(hs.HowsureError, match="name the positive one with positive="):
        hs.score(many, judge="kind", human="kind", pred="kind")
    holes = FRAME | {"verdict": [None, *FRAME["verdict"][1:]]}
    with pytest.raises(hs.HowsureError, match="1 item has no verdict; give missing='drop'"):
        hs.score(holes, **ASKED)
    kept = hs.score(holes, **ASKED, missing="drop", tolerance=0.5)
    assert "900 rows read: 1 left out for missing values; 899 kept" in kept.to_text(verbose=True)
    assert "1 item without a verdict was left out" in {n.text for n in kept.notes}
    with pytest.raises(hs.HowsureError, match="flat prior"):
        hs.score(FRAME, **ASKED, pred="a", prior="two-level")
    with pytest.raises(hs.HowsureError, match="leave out external="):
        hs.correct_judge({"a": [1, 0], "b": [1, 0]}, BOTH, external=True)
    with pytest.raises(hs.HowsureError, match="True or False"):
        hs.correct_judge([1, 0], BOTH, external="yes")
    code, out, err = command(capsys, "score", file, "--judge", "verdict")
    assert (code, out) == (2, "")
    assert "--human" in err
    code, out, err = command(capsys, "compare", file, file, "--judge", "verdict", "--human", "human", "--on", "a")
    assert (code, out) == (2, "")


def test_verdicts_that_the_validation_cannot_explain_are_refused():
    """A share of passes far outside fallout and recall, below and above, and with a judge no better than chance."""
    for passes, cells in ((10, (5, 50, 5, 50)), (300, (45, 60, 5, 40)), (990, (60, 5, 40, 95))):
        validation = hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))
        with pytest.raises(hs.HowsureError, match="cannot come from a judge"):
            hs.score(hs.correct_judge(hs.Tally.rate(hits=passes, of=1000), validation, external=True))


def test_equal_counts_of_two_systems_are_drawn_apart():
    """Each with a validation of its own: their difference is not known to be 0. Names need not be texts."""
    table, passes = hs.Tally.binary(tp=45, fp=6, fn=5, tn=44), hs.Tally.rate(hits=700, of=1000)
    p = hs.correct_judge({1: passes, 2: passes}, {1: table, 2: table}, external=True)
    assert hs.compare(p, metric="rate").difference.interval().width > 0.2


def test_a_slice_without_human_labels_has_no_score():
    """Its law is there, and wide; half and half would be made up."""
    rows = {"v": [0, 1] * 30, "h": [0, 1, 1, 1, 0, 0] * 5 + [None] * 30, "r": ["n"] * 30 + ["s"] * 30}
    report = hs.score(pd.DataFrame(rows), judge="v", human="h", by="r", tolerance=0.3)
    scores = {row["slice"]["r"]: row["score"] for row in report.to_dict()["rows"] if row["slice"]}
    assert scores["n"] is not None
    assert scores["s"] is None
