"""The engine's values are those of pytrec-eval, ir-measures and the definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
import pytrec_eval
from hypothesis import example, given

from howsure.distributions import ranked
from howsure.errors import HowsureError
from howsure.io.trec import rank, read_qrels, read_run
from howsure.ranking.measures import KINDS, RULES, RunMeasure, View, documents_for
from howsure.ranking.names import parse
from tests.tiers import examples
from tests.trec.cases import QRELS, RUNS

PEER = {
    "map", "P", "recall", "ndcg", "ndcg_cut", "Rprec", "recip_rank", "bpref", "iprec_at_recall", "11pt_avg", "set_P",
    "set_recall", "set_F", "map_cut", "success",
}  # fmt: skip
NAMES = [
    "map", "map_cut_5", "map_cut_100", "P_5", "P_10", "P_100", "recall_5", "recall_10", "recall_1000", "ndcg",
    "ndcg_cut_5", "ndcg_cut_10", "Rprec", "recip_rank", "bpref", "11pt_avg", "set_P", "set_recall", "set_F",
    "success_1", "success_5", *(f"iprec_at_recall_{k / 10:.2f}" for k in range(11)),
]  # fmt: skip


def values(qrels, run, names, *, ties="score", level=1):
    """Values by measure and query, 0 for queries without a relevant document (as trec_eval has them)."""
    judged = read_qrels(qrels)
    view = View(judged.judgments, rank(read_run(run, "run"), judged, ties), level)
    return {
        name: dict(zip(judged.queries, np.nan_to_num(parse(name).values(view)).tolist(), strict=True)) for name in names
    }


@examples(50, 150)
@given(QRELS, RUNS)
@example({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.1, "d2": 0.1 + 1e-12}})
def test_values_are_those_of_pytrec_eval(qrels, run):
    """Every measure of pytrec-eval on every query that both have, to 1e-12, with its float32 rule for ties."""
    theirs = pytrec_eval.RelevanceEvaluator(qrels, PEER).evaluate(run)
    ours = values(qrels, run, NAMES, ties="float32")
    for query, found in theirs.items():
        for name in NAMES:
            assert ours[name][query] == pytest.approx(found[name], abs=1e-12), (query, name)


@examples(33, 100)
@given(QRELS, RUNS)
def test_levels_of_relevance_are_those_of_pytrec_eval(qrels, run):
    """With relevance from grade 2 on, all but nDCG (which takes the grades) change as in pytrec-eval."""
    theirs = pytrec_eval.RelevanceEvaluator(qrels, PEER, relevance_level=2).evaluate(run)
    names = [name for name in NAMES if not name.startswith("ndcg")]
    ours = values(qrels, run, names, ties="float32", level=2)
    for query, found in theirs.items():
        for name in names:
            assert ours[name][query] == pytest.approx(found[name], abs=1e-12), (query, name)


def test_queries_missing_from_the_run_have_zero():
    """A judged query that the run does not have gets 0 for every measure."""
    found = values({"a": {"d": 1}, "b": {"d": 1}}, {"a": {"d": 1.0}}, NAMES)
    assert all(found[name]["b"] == 0.0 for name in NAMES)
    assert found["map"]["a"] == 1.0


def test_negative_grades_are_unjudged():
    """A document of grade -1 was in the pool but not judged: it is not relevant, and Bpref and Judged pass it over."""
    found = values(
        {"q": {"a": -1, "b": 2, "c": 0}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, ["bpref", "map", "Judged@2"]
    )
    assert {name: x["q"] for name, x in found.items()} == {"bpref": 1.0, "map": 0.5, "Judged@2": 0.5}


def test_float32_ties_are_named_and_differ():
    """Scores that differ in double precision only: trec_eval's order by score, pytrec-eval's by document id."""
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 0.1 + 1e-12, "b": 0.1}}
    assert values(qrels, run, ["recip_rank"])["recip_rank"]["q"] == 1.0
    assert values(qrels, run, ["recip_rank"], ties="float32")["recip_rank"]["q"] == 0.5


def test_exponential_gain_and_no_cutoff():
    """nDCG(dcg='exp-log2')@3 has gain 2^grade - 1."""
    qrels, run = {"q": {"a": 3, "b": 1, "c": 2}}, {"q": {"b": 3.0, "x": 2.5, "a": 2.0, "c": 1.0}}
    got = (1 / math.log2(2)) + 7 / math.log2(4)
    best = 7 / math.log2(2) + 3 / math.log2(3) + 1 / math.log2(4)
    name = "nDCG(dcg='exp-log2')@3"
    assert values(qrels, run, [name])[name]["q"] == pytest.approx(got / best, abs=1e-15)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@examples(20, 60)
@given(QRELS, RUNS)
def test_judged_and_exponential_gain_are_those_of_ir_measures(qrels, run):
    """Judged@k and RR@k equal ir-measures' own code (scores without ties, whose order it leaves open)."""
    import ir_measures

    run = {q: {d: s + 1e-3 * i for i, (d, s) in enumerate(docs.items())} for q, docs in run.items()}
    if any(len(set(np.float32(list(docs.values())).tolist())) < len(docs) for docs in run.values()):
        return
    qrels = {q: {d: max(g, 0) for d, g in docs.items()} for q, docs in qrels.items()}
    names = ["Judged@5", "RR@3", "SetF(beta=2.0)", "P(rel=2)@5", "AP(rel=3)"]
    judged = read_qrels(qrels)
    ranking = rank(read_run(run, "run"), judged)
    asked = {ir_measures.parse_measure(name): parse(name) for name in names}
    for found in ir_measures.iter_calc(list(asked), qrels, run):
        m = asked[found.measure]
        got = m.values(View(judged.judgments, ranking, m.parameters["rel"]))
        at = judged.queries.index(found.query_id)
        if m.kind != "SetF" and found.query_id in run:
            assert np.nan_to_num(got)[at] == pytest.approx(found.value, abs=1e-12), (str(m), found)


def test_f_weighs_recall_with_beta():
    """SetF(beta=2) is F_2 of the set: 5·found/(4·relevant + retrieved)."""
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 2.0, "x": 1.0}}
    assert values(qrels, run, ["SetF(beta=2)"])["SetF(beta=2)"]["q"] == pytest.approx(5 / (4 * 3 + 2))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_f_of_ir_measures_takes_the_weight_itself():
    """SetF(beta=4) there is SetF(beta=2) here, as docs/how-to/trec.md says: trec_eval's parameter is beta squared."""
    import ir_measures

    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 2.0, "x": 1.0}}
    (theirs,) = ir_measures.iter_calc([ir_measures.SetF(beta=4.0)], qrels, run)
    assert theirs.value == pytest.approx(values(qrels, run, ["SetF(beta=2)"])["SetF(beta=2)"]["q"], abs=1e-12)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_queries_without_relevant_documents_are_zero_elsewhere():
    """pytrec-eval and ir-measures give such a query AP 0; here it has none (docs/how-to/trec.md)."""
    import ir_measures

    qrels, run = {"q": {"a": 0}, "r": {"a": 1}}, {"q": {"a": 2.0}, "r": {"a": 1.0}}
    assert pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)["q"]["map"] == 0.0
    assert {x.query_id: x.value for x in ir_measures.iter_calc([ir_measures.AP], qrels, run)}["q"] == 0.0
    judged = read_qrels(qrels)
    found = parse("AP").values(View(judged.judgments, rank(read_run(run, "run"), judged)))
    assert np.isnan(found).tolist() == [True, False]


def test_eleven_points_by_the_three_rules():
    """Of 4 relevant documents recall 0.1 is one document rounded up, none by trec_eval 10; 0.6 is 3, 3 and 2."""
    qrels = {"q": dict.fromkeys("abcd", 1)}
    run = {"q": {d: -float(i) for i, d in enumerate(["x", "a", "y", "b", "c", "z", "w", "d"])}}
    precision = {1: 1 / 2, 2: 2 / 4, 3: 3 / 5, 4: 4 / 8}
    best = {k: max(precision[j] for j in precision if j >= max(k, 1)) for k in range(5)}
    needed = {
        "ceil": [0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4],
        "trec_eval-9": [0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4],
        "trec_eval-10": [0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4],
    }
    for rule, counts in needed.items():
        name = f"AP11(rule={rule!r})"
        at = [best[k] for k in counts]
        at[0] = precision[1] if rule == "ceil" else at[0]
        assert values(qrels, run, [name])[name]["q"] == pytest.approx(np.mean(at), abs=1e-15)


@examples(33, 100)
@given(QRELS, RUNS)
def test_one_query_is_a_scored_list(qrels, run):
    """AP, BEP and AP11 of a query with every relevant document retrieved are those of hs.curve's kernels."""
    names = ["AP", "BEP", *(f"AP11(rule={rule!r})" for rule in RULES)]
    for query in qrels.keys() & run.keys():
        judged, scores = qrels[query], {d: i + 0.25 for i, d in enumerate(qrels[query])} | run[query]
        if not any(judged.values()):
            continue
        plain = len(set(scores.values())) == len(scores)
        truth = np.array([judged.get(d, 0) > 0 for d in scores])
        order = ranked.order_of(truth, np.array(list(scores.values())))
        c = ranked.Cuts.weigh(order, np.ones((1, truth.sum())), np.ones((1, (~truth).sum())))
        there = [
            ranked.average_precision(c),
            ranked.break_even(c),
            *(ranked.eleven_points(c, r).mean(0) for r in RULES),
        ]
        ours = values({query: judged}, {query: scores}, names)
        for name, value in zip(names, there, strict=True):
            if plain or name == "BEP":  # the others break ties by name
                assert ours[name][query] == pytest.approx(float(value[0]), abs=1e-12), name


def test_the_rules_are_exact_where_floating_point_is_not():
    """0.55 of 100 documents is 55 by the textbook's rule, though 0.55·100 is above 55 in floating point."""
    recall = parse("IPrec@0.55").at
    assert 0.55 * 100 > 55
    assert documents_for(recall, np.array([100]), "ceil").tolist() == [55]
    assert documents_for(parse("IPrec@0.01").at, np.array([5]), "trec_eval-9").tolist() == [0]


@examples(33, 100)
@given(QRELS, RUNS)
def test_break_even_is_r_precision_without_ties(qrels, run):
    """At rank R precision is recall; with scores all different that is R-precision."""
    run = {q: {d: float(i) for i, d in enumerate(docs)} for q, docs in run.items()}
    found = values(qrels, run, ["BEP", "Rprec"])
    assert found["BEP"] == pytest.approx(found["Rprec"])


def test_break_even_shares_ranks_between_ties():
    """Two documents tie for rank 1, one of them relevant: break-even is 1/2 whatever their names are."""
    for relevant in ("a", "b"):
        found = values({"q": {relevant: 1}}, {"q": {"a": 1.0, "b": 1.0}}, ["BEP", "Rprec"])
        assert found["BEP"]["q"] == 0.5
        assert found["Rprec"]["q"] == (0.0 if relevant == "a" else 1.0)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_names_give_their_measure_back(kind):
    """The text of a measure parses to it, in any case, and so does trec_eval's name where it has one."""
    at = {"": "", "cutoff": "@7", "recall": "@0.35"}[kind.at]
    for inside in ("", "(rel=2)", "(unjudged='rate')"):
        if "rel" in inside and "rel" not in kind.defaults:
            continue
        m = parse(f"{kind.name}{inside}{at}")
        assert isinstance(m, RunMeasure)
        assert parse(str(m)) == m
        assert parse(str(m).lower()) == m
        if m.trec_eval is not None:
            assert parse(m.trec_eval) == m
            assert parse(m.trec_eval.upper()) == m


@pytest.mark.parametrize("rule", RULES)
def test_the_name_tells_the_rule(rule):
    """AP11 by another rule than its own says so in its name."""
    m = parse(f"AP11(rule={rule!r})")
    assert m.rule == rule
    assert str(m) == ("AP11" if rule == "ceil" else f"AP11(rule={rule!r})")


@pytest.mark.parametrize(
    "text",
    ["P", "IPrec", "P@0", "P@1.5", "IPrec@2", "AP11@5", "micro-AP", "P(rel=0)@5", "nDCG(rel=2)", "AP(x=1)", "P(2)@5",
     "nDCG(dcg='ln')", "SetF(beta=-1)", "nothing", "", "P@", "P@x", "AP(rel=)", 5, None],
)  # fmt: skip
def test_bad_names_are_one_sentence(text):
    """A name that cannot be read is refused in one line."""
    with pytest.raises(HowsureError) as caught:
        parse(text)
    assert "\n" not in str(caught.value)
