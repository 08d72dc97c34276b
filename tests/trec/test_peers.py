"""Measures against ir-measures' own values and means, query by query, and a note wherever they differ."""

from __future__ import annotations

import shutil
from fractions import Fraction

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given

import howsure as hs
from howsure.errors import HowsureError
from tests.tiers import examples
from tests.trec.cases import QRELS, RUNS
from tests.trec.test_items import QRELS_30, RUNS_30, codes

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def collection(seed, queries=9, missing=("2",), barren=("4",)):
    """Queries named by numbers, graded judgments, unjudged documents; a run that lacks a query; no scores tie."""
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for q in map(str, range(1, queries + 1)):
        names = [f"d{i}" for i in rng.permutation(40)]
        grades = rng.integers(0, 5, 20) * (rng.random(20) < 0.5)
        qrels[q] = {d: 0 if q in barren else int(g) for d, g in zip(names, grades, strict=False)}
        if q not in missing:
            taken = rng.permutation(names)[: rng.integers(2, 30)]
            run[q] = {str(d): float(x) for d, x in zip(taken, rng.permutation(100) / 4, strict=False)}
    return qrels, run


def theirs(name, qrels, run):
    """Their values, and their mean or sum."""
    measure = ir_measures.parse_measure(name)
    values = {x.query_id: x.value for x in ir_measures.iter_calc([measure], qrels, run)}
    return values, ir_measures.calc_aggregate([measure], qrels, run)[measure]


NAMES = [
    "infAP", "infAP(rel=2)", "SetAP", "SetAP(rel=3)", "SetP(relative=True)", "SetRelP", "Compat", "Compat(p=0.5)",
    "Compat(normalize=False)", "AP(judged_only=True)", "nDCG(judged_only=True)@5", "P(judged_only=True,rel=2)@3",
    "nDCG(gains={1:3,2:9})@5", "Accuracy", "Accuracy(rel=2)", "Accuracy@5", "Accuracy(rel=3)@10", "NumRet",
    "NumRet(rel=1)", "NumRelRet", "NumRet(rel=2)", "AP", "AP(rel=2)@5", "R(rel=2)@5", "nDCG", "nDCG@5", "Bpref",
    "Bpref(rel=2)", "RR(rel=2)", "RR@5", "Judged@5", "Judged", "SetF", "SetF(rel=2)", "IPrec@0.3", "Success@3",
    "Rprec", "SetR(rel=2)", "SetP", "P(cutoff=5)", "AP(judged_only=False)", "MRR@3", "NDCG(cutoff=3)",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_values_and_means_are_those_of_ir_measures(name):
    """With queries missing from the run and queries without relevant documents, on four collections."""
    for seed in range(4):
        qrels, run = collection(seed)
        values, mean = theirs(name, qrels, run)
        v = hs.trec(qrels, {"run": run}, metrics=[name], no_relevant="zero")
        assert dict(zip(v.ids, v.values[:, 0].tolist(), strict=True)) == pytest.approx(values, abs=1e-12)
        score = hs.score(v).to_dict()["rows"][0]["score"]
        total = sum(values.values()) if name.startswith("Num") else len(values) * mean
        assert score * len(values) == pytest.approx(total, abs=1e-9)


def test_a_query_without_a_value_is_left_out_and_told():
    """Accuracy of queries where nothing relevant was retrieved: not 0; the mean is that of ir-measures."""
    qrels, run = collection(1, missing=("2", "3"))
    values, mean = theirs("Accuracy(rel=2)", qrels, run)
    v = hs.trec(qrels, {"run": run}, metrics=["Accuracy(rel=2)"])
    assert set(v.ids) == set(values) < set(qrels)
    assert hs.score(v).to_dict()["rows"][0]["score"] == pytest.approx(mean, abs=1e-12)
    (told,) = [n for n in v.notes if n.code == "no-value"]
    assert told["count"] == len(qrels) - len(values)
    assert "left out of all runs: no relevant document, or no other one, was retrieved" in told.text


def test_accuracy_by_its_definition():
    """The share of pairs in the right order; all retrieved are relevant: no pairs, where ir-measures divides by 0."""
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}, "3": {"b": 1}}
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"x": 3.0, "a": 2.0, "y": 1.0, "z": 0.5}, "3": {"b": 5.0, "z": 1.0}}
    with pytest.raises(ZeroDivisionError):
        theirs("Accuracy", qrels, run)
    v = hs.trec(qrels, {"run": run}, metrics=["Accuracy"])
    assert dict(zip(v.ids, v.values[:, 0].tolist(), strict=True)) == {"2": pytest.approx(2 / 3), "3": 1.0}


def test_relevant_documents_are_those_judged_whatever_a_run_has():
    """NumRel of a query that the run lacks is the number judged relevant, where ir-measures has 0; the sum is told."""
    qrels, run = collection(2)
    many = {q: sum(g > 0 for g in grades.values()) for q, grades in qrels.items()}
    assert theirs("NumRel", qrels, run)[0]["2"] == 0.0 < many["2"]
    v = hs.trec(qrels, {"run": run}, metrics=["num_rel", "num_rel_ret"])
    assert dict(zip(v.ids, v.values[:, 0].tolist(), strict=True)) == many
    (told,) = [n for n in v.only("NumRel").notes if n.code == "counts"]
    assert told["sums"] == (("run", float(sum(many.values()))),)
    assert v.only("NumRet(rel=1)").values.sum() == theirs("NumRelRet", qrels, run)[1]
    assert hs.score(v).to_dict()["rows"][0]["trec_eval"] is None  # whose num_rel is a sum


def test_the_number_of_queries_is_no_measure():
    """It is the same for every run."""
    for name in ("NumQ", "num_q", ir_measures.NumQ):
        with pytest.raises(HowsureError, match="the number of queries"):
            hs.trec(QRELS_30, RUNS_30, metrics=[name])


def err(grades, cutoff=None):
    """Chapelle et al. 2009, in fractions: the expected 1/rank at which a reader stops."""
    left, found = Fraction(1), Fraction(0)
    for rank, grade in enumerate(grades[:cutoff], 1):
        stops = Fraction(2**grade - 1, 16)
        found += left * stops / rank
        left *= 1 - stops
    return float(found)


@examples(20, 60)
@given(QRELS, RUNS)
def test_expected_reciprocal_rank_by_its_definition(qrels, run):
    """ERR and ERR@3 of every query, with ties broken by the document's id."""
    if len(qrels) < 2 or not qrels.keys() & run.keys():
        return
    v = hs.trec(qrels, {"run": run}, metrics=["ERR", "ERR@3"])
    for name, cutoff in (("ERR", None), ("ERR@3", 3)):
        for q, value in zip(v.only(name).ids, v.only(name).values[:, 0].tolist(), strict=True):
            order = sorted(run.get(q, {}), key=lambda d, q=q: (run[q][d], d.encode()), reverse=True)
            assert value == pytest.approx(err([qrels[q].get(d, 0) for d in order], cutoff), abs=1e-14)


def test_expected_reciprocal_rank_is_that_of_gdeval():
    """To the five digits that it prints."""
    if shutil.which("perl") is None:
        pytest.skip("gdeval, which ir-measures calls, is a Perl program: install perl to run this")
    qrels, run = collection(3)
    v = hs.trec(qrels, {"run": run}, metrics=["ERR@10"])
    values, _ = theirs("ERR@10", qrels, run)
    assert dict(zip(v.ids, v.values[:, 0].tolist(), strict=True)) == pytest.approx(values, abs=6e-6)
    with pytest.raises(HowsureError, match="grades from 0 to 4"):
        hs.trec({q: {d: 5 * g for d, g in x.items()} for q, x in qrels.items()}, {"run": run}, metrics=["ERR@10"])


# -- differences are told


def told(name, qrels=QRELS_30, runs=RUNS_30):
    return [n.text for n in hs.trec(qrels, runs, metrics=[name]).notes if n.code == "peer"]


def test_another_meaning_of_beta_is_told():
    """SetF(beta=2) here, and ir_measures.SetF(beta=2.0), weigh recall 4; the note says what theirs is here."""
    qrels, run = collection(4)
    for given_ in ("SetF(beta=2)", ir_measures.SetF(beta=2.0)):
        (text,) = told(given_)
        assert "weight beta² = 4" in text
        assert "their value is SetF(beta=1.41421) here" in text
    values, _ = theirs("SetF(beta=2.0)", qrels, run)
    v = hs.trec(qrels, {"run": run}, metrics=[f"SetF(beta={2**0.5!r})"], no_relevant="zero")
    assert dict(zip(v.ids, v.values[:, 0].tolist(), strict=True)) == pytest.approx(values, abs=1e-12)
    assert not told("SetF")


@pytest.mark.parametrize("weight", ["0.5", "2.0", "4"])
def test_trec_evals_name_of_f_has_trec_evals_meaning(weight):
    """set_F_2.0 is the F that trec_eval calls so: its number is the weight of recall."""
    qrels, run = collection(4, barren=())
    found = pytrec_eval.RelevanceEvaluator(qrels, {f"set_F_{weight}"}).evaluate(run)
    v = hs.trec(qrels, {"run": run}, metrics=[f"set_F_{weight}"], only_common=True)
    assert v.values[:, 0].tolist() == pytest.approx([found[q]["set_F"] for q in v.ids], abs=1e-12)


def test_other_differences_are_told():
    """Recalls of three digits, negative grades, and orders of tied documents."""
    assert "rounds it to 0.15" in told("IPrec@0.154")[0]
    negative = {**QRELS_30, "q1": {**QRELS_30["q1"], "d_pool": -1}}
    assert "in ir-measures it is judged" in told("Judged@10", negative)[0]
    tied = {"x": {q: {d: round(s) for d, s in docs.items()} for q, docs in RUNS_30["one"].items()}}
    assert "by ascending id" in told("RR@10", runs=tied)[0]
    assert "by ascending id" in told("Judged@10", runs=tied)[0]
    assert "in the order of the run" in told("Accuracy", runs=tied)[0]
    assert not told("RR", runs=tied)
    assert not told("RR@10")
    assert not told("IPrec@0.15")


def test_its_own_rules_are_told():
    """What ir-measures computes keeps its 0 for queries without relevant documents, and the note says so."""
    qrels, run = collection(5)
    v = hs.trec(qrels, {"run": run}, metrics=["infAP", "AP"])
    assert v.only("infAP").n == 9
    assert v.only("AP").n == 8
    (note,) = [n.text for n in v.only("infAP").notes if n.code == "foreign"]
    assert "a query that a run lacks or that has no relevant document counts as 0" in note


def test_measures_that_users_declare_in_ir_measures():
    """They are computed by ir-measures, whatever their names."""
    halves = ir_measures.define_byquery(lambda qrels, run: 0.5 if len(run) else 0.0, name="AP")
    v = hs.trec(*[QRELS_30, {"one": RUNS_30["one"]}], metrics=[halves])
    assert set(v.values[:, 0].tolist()) == {0.5}
    assert "foreign" in codes(v)


# -- queries without relevant documents


@pytest.mark.parametrize("name", ["AP", "nDCG@5", "R@10", "Rprec", "Bpref", "SetF", "IPrec@0.2", "AP(rel=2)", "P@5"])
def test_means_over_all_queries_are_those_of_trec_eval(name):
    """no_relevant="zero" is the mean of trec_eval -c; with only_common it is that of trec_eval."""
    qrels, run = collection(6)
    values, complete = theirs(name, qrels, run)
    common = np.mean([values[q] for q in run])

    def score(**how):
        return hs.score(hs.trec(qrels, {"run": run}, metrics=[name], **how)).to_dict()["rows"][0]["score"]

    assert score(no_relevant="zero") == pytest.approx(complete, abs=1e-12)
    assert score(no_relevant="zero", only_common=True) == pytest.approx(common, abs=1e-12)
    assert (score() == score(no_relevant="zero")) == (name == "P@5")


@examples(20, 60)
@given(QRELS, RUNS)
def test_zero_is_what_pytrec_eval_has(qrels, run):
    """Every query in both has pytrec-eval's value, those without relevant documents too."""
    both = qrels.keys() & run.keys()
    if len(both) < 2:
        return
    found = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg", "bpref"}).evaluate(run)
    v = hs.trec(
        qrels, {"r": run}, metrics=["map", "ndcg", "bpref"], ties="float32", only_common=True, no_relevant="zero"
    )
    for name in ("map", "ndcg", "bpref"):
        part = v.only(name)
        assert set(part.ids) == both
        assert dict(zip(part.ids, part.values[:, 0].tolist(), strict=True)) == pytest.approx(
            {q: found[q][name] for q in both}, abs=1e-12
        )


def test_what_is_done_with_them_is_told():
    """The note names the other way, and zero says what it did, under a level of relevance too."""
    qrels, run = collection(7)
    drop, zero = (hs.trec(qrels, {"r": run}, metrics=["AP(rel=4)"], no_relevant=x).notes for x in ("drop", "zero"))
    first, second = ([n.text for n in notes if n.code == "no-relevant"] for notes in (drop, zero))
    assert all("left out" in text and "no_relevant='zero' counts them as 0" in text for text in first)
    assert all(": 0" in text and "as in trec_eval" in text for text in second)
    assert len(first) == len(second) == 2
    with pytest.raises(HowsureError, match=r"Did you mean 'zero'"):
        hs.trec(qrels, {"r": run}, no_relevant="zeros")


@pytest.mark.parametrize("unjudged", ["relevant", "rate"])
def test_other_views_of_unjudged_documents_have_the_same_queries(unjudged):
    """The queries of a view are those of the measure, in both ways."""
    qrels, run = collection(8)
    names = ["AP", f"AP(unjudged='{unjudged}')", "Accuracy", f"Accuracy(unjudged='{unjudged}')"]
    for way, many in (("drop", 8), ("zero", 9)):
        v = hs.trec(qrels, {"r": run}, metrics=names, no_relevant=way)
        assert [v.only(name).n for name in names[:2]] == [many, many]
        assert set(v.only(names[3]).ids) <= set(v.only(names[2]).ids)
