"""trec gives Graded: the same verbs as everywhere, over queries."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import howsure as hs
from howsure.errors import HowsureError
from howsure.ranking.measures import KINDS
from tests.tiers import examples
from tests.trec.cases import QRELS, RUNS


def collection(queries=30, documents=40, seed=1):
    """Judgments of most documents, and two runs of which the second is better."""
    rng = np.random.default_rng(seed)
    qrels, one, two = {}, {}, {}
    for i in range(queries):
        names = [f"d{j}" for j in rng.choice(300, documents, replace=False)]
        grades = rng.integers(0, 3, documents) * (rng.random(documents) < 0.4)
        grades[0] = 1
        qrels[f"q{i}"] = {d: int(g) for d, g in zip(names[:-10], grades, strict=False)}
        one[f"q{i}"] = {d: float(x) for d, x in zip(names, grades + rng.normal(size=documents) * 2, strict=True)}
        two[f"q{i}"] = {d: float(x) for d, x in zip(names, 2 * grades + rng.normal(size=documents) * 2, strict=True)}
    return qrels, {"one": one, "two": two}


QRELS_30, RUNS_30 = collection()


def codes(items):
    return [n.code for n in items.notes]


def test_one_items_holds_several_measures():
    """Measures are listed, asked for by any of their names, and taken apart; AP of a query is a value of it."""
    v = hs.trec(QRELS_30, RUNS_30, metrics=["nDCG@10", "map", "P@10"])
    assert v.measures == ("nDCG@10", "AP", "P@10")
    assert "ndcg_cut_10" in v
    assert "AP" in v
    assert "RR" not in v
    assert v.only("map").values.shape == (30, 2)
    assert v.only("P_10").measures == ("P@10",)
    with pytest.raises(HowsureError, match="They have nDCG@10, AP, P@10"):
        v.only("R@10")


def test_the_posterior_is_a_mapping_over_the_measures():
    """posterior(v.system(...)) has every measure, each the law that its values have through means."""
    v = hs.trec(QRELS_30, RUNS_30, metrics=["nDCG@10", "AP"])
    p = hs.posterior(v.system("two"))
    assert isinstance(p.evidence, hs.Graded)
    assert list(p) == ["nDCG@10", "AP"]
    assert len(p) == 2
    alone = hs.posterior(hs.graded(v.only("AP").values[:, 1], bounds=(0, 1)))["mean"]
    assert p["map"].mean == alone.mean
    assert p["AP"].interval() == alone.interval()


def test_the_verbs_take_any_measure():
    """score, compare and leaderboard agree with means on the values of the measure; the first is the default."""
    v = hs.trec(QRELS_30, RUNS_30, metrics=["nDCG@10", "AP"])
    x = dict(zip(("one", "two"), v.only("AP").values.T, strict=True))
    same = hs.graded(x, bounds=(0, 1))
    assert hs.compare(v, "two", "one", metric="AP").p_better == hs.compare(same, "two", "one").p_better
    assert str(hs.compare(v, "two", "one").metric) == "nDCG@10"
    board = hs.leaderboard(v, metric="map")
    assert board.names == hs.leaderboard(same).names == ("two", "one")
    rows = hs.score(v).to_dict()["rows"]
    assert [(r["system"], r["metric"], r["trec_eval"]) for r in rows] == [
        (system, *names) for system in ("one", "two") for names in (("nDCG@10", "ndcg_cut_10"), ("AP", "map"))
    ]


def test_wins_are_counted_by_query():
    """A comparison of items tells on how many queries either run is better, and P(wins more often)."""
    v = hs.trec(QRELS_30, RUNS_30, metrics=["AP"])
    one, two = v.values.T
    c = hs.compare(v, "two", "one")
    told = c.to_dict()["rows"][0]["wins"]
    assert told["first"] == int((two > one).sum())
    assert told["second"] == int((one > two).sum())
    assert told["same"] == int((one == two).sum())
    expected = hs.compare_wins(told["first"], told["second"], told["same"]).p_better
    assert c.wins.p_better == told["p_better"] == expected


def test_missing_queries_count_as_zero_or_are_left_out():
    """A query that one run lacks is 0 there with a note; only_common drops it for all."""
    runs = {"one": RUNS_30["one"], "two": {q: d for q, d in RUNS_30["two"].items() if q != "q3"}}
    v = hs.trec(QRELS_30, runs, metrics=["AP"])
    assert v.values[v.ids.index("q3"), 1] == 0.0
    assert "missing-queries" in codes(v)
    w = hs.trec(QRELS_30, runs, metrics=["AP"], only_common=True)
    assert "q3" not in w.ids
    assert w.n == 29
    assert "only-common" in codes(w)


def test_queries_without_relevant_documents_are_left_out_of_recall_only():
    """AP has no value for such a query, P@10 has 0; the rows tell their own n."""
    qrels = {**QRELS_30, "q5": dict.fromkeys(QRELS_30["q5"], 0)}
    v = hs.trec(qrels, RUNS_30, metrics=["AP", "P@10"])
    assert v.only("AP").n == 29
    assert v.only("P@10").n == 30
    assert any("'q5'" in n.text for n in v.notes if n.code == "no-relevant")
    assert {r["metric"]: r["n"] for r in hs.score(v).to_dict()["rows"]} == {"AP": 29, "P@10": 30}


def test_queries_without_judgments_and_unjudged_documents_are_told():
    """What nobody judged is counted in the notes."""
    runs = {"one": {**RUNS_30["one"], "unknown": {"d1": 1.0}}}
    v = hs.trec(QRELS_30, runs, metrics=["AP"])
    assert v.n == 30
    assert any(
        n.text == "ignored 1 query of one without judgments" for n in v.notes if n.code == "queries-without-judgments"
    )
    assert any("one 300 of 1,200" in n.text for n in v.notes if n.code == "unjudged")


def test_micro_and_macro_are_both_named():
    """SetF averages over queries, micro-SetF divides sums; both have a law, and their differences too."""
    shorter = {q: dict(list(d.items())[: 5 + i]) for i, (q, d) in enumerate(RUNS_30["two"].items())}
    v = hs.trec(QRELS_30, {"one": RUNS_30["one"], "two": shorter}, metrics=["micro-SetP", "SetP", "micro-SetR"])
    found = {r["metric"]: r for r in hs.score(v.system("two")).to_dict()["rows"]}
    relevant = [sum(QRELS_30[q].get(d, 0) > 0 for d in docs) for q, docs in shorter.items()]
    sizes = [len(docs) for docs in shorter.values()]
    assert found["micro-SetP"]["score"] == pytest.approx(sum(relevant) / sum(sizes))
    assert found["SetP"]["score"] == pytest.approx(np.mean(np.divide(relevant, sizes)))
    assert hs.compare(v, metric="micro-SetP").route == "sampled"
    assert hs.compare(v, metric="micro-SetR").route == "quadrature"


def test_the_law_of_a_pooled_measure_is_that_of_its_draws():
    """The exact law of micro-SetP and 200,000 draws of it agree; so do drawn and exact differences of equal sizes."""
    runs = {n: {q: dict(list(d.items())[: 5 + i]) for i, (q, d) in enumerate(r.items())} for n, r in RUNS_30.items()}
    v = hs.trec(QRELS_30, runs, metrics=["micro-SetP"])
    d = hs.posterior(v.system("two"))["micro-SetP"]
    x = d.draws(200_000, seed=3)
    assert x.mean() == pytest.approx(d.mean, abs=5 * d.std / 447)
    assert np.mean(x <= d.ppf(0.2)) == pytest.approx(0.2, abs=0.005)
    gap = hs.compare(v, "two", "one").difference
    y = gap.draws(100_000, seed=4)
    assert np.mean(y > 0) == pytest.approx(gap.sf(0.0), abs=0.007)


def test_no_interval_has_zero_width():
    """Even a perfect run of three queries has an interval, thanks to the prior on the bounds 0 and 1."""
    qrels = {q: {"a": 1, "b": 0} for q in ("x", "y", "z")}
    v = hs.trec(qrels, {"run": {q: {"a": 2.0, "b": 1.0} for q in qrels}}, metrics=["AP", "micro-SetR"])
    for r in hs.score(v).to_dict()["rows"]:
        assert 0.0 <= r["low"] < r["high"] <= 1.0


def test_unjudged_documents_as_bounds():
    """As if all unjudged documents were relevant: P@10 gains exactly their share of the first ten."""
    v = hs.trec(QRELS_30, RUNS_30, metrics=["P@10", "Judged@10"], unjudged="bounds")
    low, high = v.only("P@10").values, v.only("P(unjudged='relevant')@10").values
    assert high - low == pytest.approx(1 - v.only("Judged@10").values)


def test_bounds_are_the_values_once_all_are_judged_so():
    """AP, nDCG and Bpref as if all were relevant equal those of qrels that say so of every document of either run."""
    shorter = {q: dict(list(d.items())[::2]) for q, d in RUNS_30["two"].items()}
    runs = {"one": RUNS_30["one"], "two": {q: {**d, f"x{q}": 0.3, "y": 0.3} for q, d in shorter.items()}}
    names = ["AP", "nDCG@10", "Bpref", "BEP", "Rprec", "micro-SetR"]
    v = hs.trec(QRELS_30, runs, metrics=names, unjudged="bounds")
    highest = {q: {d: 2 for run in runs.values() for d in run[q]} | judged for q, judged in QRELS_30.items()}
    w = hs.trec(highest, runs, metrics=names)
    for name in names:
        kind, _, at = name.partition("@")
        there = v.only(f"{kind}(unjudged='relevant')" + (f"@{at}" if at else ""))
        assert there.values == pytest.approx(w.only(name).values, abs=1e-12), name


def test_unjudged_documents_at_the_rate_of_the_judged():
    """P@10 gains about the judged rate of the unjudged share; the law is wider than that of its mean values alone."""
    v = hs.trec(QRELS_30, {"one": RUNS_30["one"]}, metrics=["P@10"], unjudged="rate")
    plain = hs.trec(QRELS_30, {"one": RUNS_30["one"]}, metrics=["P@10", "Judged@10"])
    rate = np.mean([g > 0 for judged in QRELS_30.values() for g in judged.values()])
    gain = v.values.mean() - plain.values.mean()
    assert gain == pytest.approx(rate * (1 - plain.only("Judged@10").values.mean()), rel=0.15)
    d = hs.posterior(v)["P(unjudged='rate')@10"]
    assert d.route == "sampled"
    assert d.std > hs.posterior(hs.graded(v.values[:, 0], bounds=(0, 1)))["mean"].std


def test_a_rate_needs_a_grade():
    """Where all judgments are negative there is no rate; bounds need none."""
    qrels, runs = {"q1": {"d1": -1}, "q2": {"d2": -2}}, {"r": {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0}}}
    for name in ("P@1", "AP"):
        with pytest.raises(hs.HowsureError, match="no document has a grade of 0 or more, from which a rate"):
            hs.posterior(hs.trec(qrels, runs, metrics=[name], unjudged="rate"))
    bounds = hs.trec(qrels, runs, metrics=["P@1"], unjudged="bounds")
    assert bounds.only("P@1").values.tolist() == [[0.0], [0.0]]
    assert bounds.only("P(unjudged='relevant')@1").values.tolist() == [[1.0], [1.0]]


def test_drawn_grades_belong_to_documents():
    """A document has one grade in all runs, tied or not, whatever the order in which the documents are given."""
    rng = np.random.default_rng(3)
    one = {q: {f"d{k}": round(float(s)) for k, s in enumerate(rng.normal(size=60))} for q in QRELS_30}
    two = {q: {d: float(rng.normal()) for d in docs} for q, docs in one.items()}
    names = ["SetP", "RR", "nDCG@5"]
    v = hs.trec(QRELS_30, {"one": one, "two": two}, metrics=names, unjudged="rate", seed=4)
    both = v.only("SetP(unjudged='rate')").versions
    assert np.ptp(both, axis=2).min() > 0
    assert (both[:, 0] == both[:, 1]).all()
    turned = {n: {q: dict(reversed(docs.items())) for q, docs in r.items()} for n, r in (("one", one), ("two", two))}
    w = hs.trec(QRELS_30, turned, metrics=names, unjudged="rate", seed=4)
    assert all((x.versions == y.versions).all() for x, y in zip(v.parts, w.parts, strict=True))


@examples(25, 60)
@given(QRELS, RUNS, RUNS)
def test_any_data_gives_items_or_one_sentence(qrels, one, two):
    """Random data never ends in anything but Items with values from 0 to 1, or an error of ours."""
    for unjudged in ("not", "bounds", "rate"):
        try:
            v = hs.trec(qrels, {"one": one, "two": two}, metrics=["AP", "nDCG@3", "Bpref", "BEP"], unjudged=unjudged)
        except HowsureError as error:
            told = str(error)
        else:
            told = ""
        if told:
            assert "two or more queries" in told or "none of the" in told
            continue
        for part in v.parts:
            assert ((part.values >= 0) & (part.values <= 1 + 1e-12)).all()


def test_bounds_are_over_the_queries_of_the_measure():
    """A query without a relevant document stays out of AP when its unjudged documents are taken as relevant."""
    qrels = {**QRELS_30, "q5": dict.fromkeys(QRELS_30["q5"], 0)}
    v = hs.trec(qrels, RUNS_30, metrics=["AP", "P@10"], unjudged="bounds")
    assert v.only("AP").ids == v.only("AP(unjudged='relevant')").ids
    assert v.only("P(unjudged='relevant')@10").n == 30


def test_queries_left_out_at_a_higher_level_are_listed():
    """AP(rel=2) has no value for a query whose grades are 0 and 1; AP and P have, and say nothing."""
    qrels = {**QRELS_30, "q5": {d: min(g, 1) for d, g in QRELS_30["q5"].items()}}
    v = hs.trec(qrels, RUNS_30, metrics=["AP(rel=2)", "AP", "P(rel=2)@10"])
    assert (v.only("AP(rel=2)").n, v.only("AP").n, v.only("P(rel=2)@10").n) == (29, 30, 30)
    told = {part.measure.name: [n.text for n in part.notes if n.code == "no-relevant"] for part in v.parts}
    other = "no_relevant='zero' counts them as 0"
    assert told == {
        "AP(rel=2)": [f"AP(rel=2): 1 query without a document of grade 2 or more ('q5'): left out; {other}"],
        "AP": [],
        "P(rel=2)@10": [],
    }


def test_documents_that_are_named_otherwise_are_told():
    """A run none of whose documents is judged has zeros, and a note that asks for the names."""
    run = {q: {f"doc-{d}": s for d, s in docs.items()} for q, docs in RUNS_30["one"].items()}
    v = hs.trec(QRELS_30, {"other": run}, metrics=["AP"])
    assert any("check that both use the same document ids" in n.text for n in v.notes if n.code == "unjudged")


def test_numbers_for_ids_are_their_text():
    """Dicts with whole numbers for queries or documents go with dicts, frames and files of the same ids as text."""
    numbered = {int(q[1:]): {int(d[1:]): g for d, g in docs.items()} for q, docs in QRELS_30.items()}
    text = {q[1:]: {d[1:]: s for d, s in docs.items()} for q, docs in RUNS_30["one"].items()}
    mixed = {q: {int(d): round(s) for d, s in docs.items()} for q, docs in text.items()}
    expected = hs.trec(QRELS_30, {"one": RUNS_30["one"]}, metrics=["AP"])
    assert hs.trec(numbered, {"one": text}, metrics=["AP"]).values.tolist() == expected.values.tolist()
    rounded = {q: {d: round(s) for d, s in docs.items()} for q, docs in text.items()}
    found = [hs.trec(numbered, {"one": run}, metrics=["AP"]).values.tolist() for run in (mixed, rounded)]
    assert found[0] == found[1]


def test_measures_and_records_of_ir_measures_are_taken_as_they_are():
    """ir_measures' own objects name measures; what its readers give, one record after the other, is read."""
    import ir_measures

    files = ["examples/wine.qrels", "examples/wine-full.run"]
    v = hs.trec(
        ir_measures.read_trec_qrels(files[0]),
        {"full": ir_measures.read_trec_run(files[1])},
        metrics=[ir_measures.nDCG @ 10, ir_measures.AP],
    )
    assert v.measures == ("nDCG@10", "AP")
    alone = hs.trec(files[0], {"full": files[1]}, metrics=ir_measures.nDCG @ 10)
    assert alone.values.tolist() == v.only("nDCG@10").values.tolist()


def test_values_by_query_are_matched_by_their_ids():
    """hs.graded of {run: {query: value}}: the order of queries makes no difference, a missing one is refused."""
    one = {"a": {"x": 0.1, "y": 0.5, "z": 0.9}, "b": {"z": 0.8, "x": 0.3, "y": 0.2}}
    items = hs.graded(one, bounds=(0, 1))
    assert items.ids == ("x", "y", "z")
    assert items.values.tolist() == [[0.1, 0.3], [0.5, 0.2], [0.9, 0.8]]
    del one["b"]["y"]
    with pytest.raises(HowsureError, match="1 of 3 items has no value for some system, such as 'y'"):
        hs.graded(one)
    assert hs.graded(one, missing="drop").ids == ("x", "z")
    with pytest.raises(HowsureError, match="weight="):
        hs.graded(one, weight=[1, 2, 3])


def test_only_some_recalls_have_a_name_in_trec_eval():
    """trec_eval prints two digits of a recall: IPrec@0.125 is not its iprec_at_recall_0.12."""
    v = hs.trec(QRELS_30, RUNS_30, metrics=["IPrec@0.125", "IPrec@0.12"])
    assert [part.measure.trec_eval for part in v.parts] == [None, "iprec_at_recall_0.12"]
    assert v.only("iprec_at_recall_0.12").measures == ("IPrec@0.12",)


def test_items_of_two_collections_add_up():
    """v + w has the queries of both, under every measure."""
    other = {f"x{q}": d for q, d in QRELS_30.items()}
    runs = {name: {f"x{q}": d for q, d in run.items()} for name, run in RUNS_30.items()}
    v = hs.trec(QRELS_30, RUNS_30, metrics=["AP", "P@5"]) + hs.trec(other, runs, metrics=["AP", "P@5"])
    assert (v.only("AP").n, v.only("P@5").n) == (60, 60)


def test_other_measures_come_from_ir_measures():
    """infAP is not ours: ir-measures computes it, and its note says so."""
    v = hs.trec(QRELS_30, RUNS_30, metrics=["AP", "infAP"])
    import ir_measures

    measure = ir_measures.parse_measure("infAP")
    theirs = {x.query_id: x.value for x in ir_measures.iter_calc([measure], QRELS_30, RUNS_30["one"])}
    assert v.only("infAP").values[:, 0].tolist() == [theirs[q] for q in v.ids]
    assert "foreign" in codes(v.only("infAP"))


def test_without_ir_measures_one_sentence_says_what_to_install(monkeypatch):
    """The extra is named where a measure needs it."""
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(HowsureError, match=r"pip install 'howsure\[trec\]'\.$"):
        hs.trec(QRELS_30, RUNS_30, metrics=["infAP"])


def test_what_ir_measures_cannot_compute_is_one_sentence():
    """A measure whose program or package is absent ends in a sentence, not in a trace."""
    with pytest.raises(HowsureError, match="ir-measures cannot compute") as caught:
        hs.trec(QRELS_30, RUNS_30, metrics=["alpha_nDCG@20"])
    assert "\n" not in str(caught.value)


def test_the_page_has_every_measure():
    """docs/how-to/trec.md names each declared measure and each of its trec_eval names."""
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "trec.md").read_text(encoding="utf-8")
    for kind in KINDS:
        assert f"`{kind.name}" in page
        assert kind.whole is None or f"`{kind.whole}`" in page


@pytest.mark.filterwarnings("ignore:unsafe cast from uint64 to int64")  # numba, of the code of ranx
@pytest.mark.parametrize(
    "peer", ["ir_measures", "pytrec_eval", pytest.param("ranx", marks=pytest.mark.deep)]
)  # compiles
def test_values_from_elsewhere_come_in_through_means(peer):
    """Per-query values of other packages, in the shape they give them, make the Items that trec makes."""
    ours = hs.trec(QRELS_30, RUNS_30, metrics=["AP"], ties="float32")
    if peer == "pytrec_eval":
        import pytrec_eval

        found = {n: pytrec_eval.RelevanceEvaluator(QRELS_30, {"map"}).evaluate(r) for n, r in RUNS_30.items()}
        items = hs.graded({n: {q: x["map"] for q, x in r.items()} for n, r in found.items()}, bounds=(0, 1))
    elif peer == "ranx":
        ranx = pytest.importorskip(
            "ranx", reason="ranx brings a compiler of its own, so it is in the extra bench: run make bench once"
        )
        runs = [ranx.Run(dict(reversed(run.items())), name=name) for name, run in RUNS_30.items()]
        for run in runs:
            ranx.evaluate(ranx.Qrels(QRELS_30), run, ["map"])
        items = hs.graded({run.name: run.scores["map"] for run in runs}, bounds=(0, 1))
    else:
        import ir_measures
        import pandas as pd

        rows = [
            {"system": name, "query_id": x.query_id, "value": x.value}
            for name, run in RUNS_30.items()
            for x in ir_measures.iter_calc([ir_measures.AP], QRELS_30, run)
        ]
        items = hs.graded(pd.DataFrame(rows), value="value", item="query_id", system="system", bounds=(0, 1))
    assert hs.compare(items, "two", "one").p_better == pytest.approx(hs.compare(ours, "two", "one").p_better, abs=1e-9)
