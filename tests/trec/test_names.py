"""Names of measures that cannot be read, or that ask for what cannot be: one sentence, exit 2, nothing printed."""

from __future__ import annotations

import random
import warnings

import ir_measures
import pytest

import howsure as hs
from howsure.cli import app
from howsure.errors import HowsureError
from tests import tiers

FILES = ["examples/wine.qrels", "examples/wine-full.run"]
QRELS = {f"q{i}": {f"d{j}": (i * j) % 4 for j in range(8)} for i in range(5)}
RUN = {f"q{i}": {f"d{j}": float((i * 7 + j * 5) % 11) for j in range(9)} for i in range(5)}

BAD = {
    "AP(foo=1)": "AP has no parameter 'foo'",
    'nDCG(gains={1:"x"})': "gains go from grade to gain|no parameter 'gains'",
    "nDCG(gains={'a':1})@5": "no parameter 'gains'",
    "nDCG(gains={[1]:2})": "parameters are name=value",
    "nDCG(gains=5)": "no parameter 'gains'",
    "P(rel=1,rel=2)@5": "parameters are name=value",
    "P(**x)@5": "parameters are name=value",
    "P@1e99999999": "whole number from 1",
    "IPrec@1e-99999999": "from 0 to 1",
    "P@1_0": "whole number from 1",
    "SetF(beta=True)": "beta is a number above 0",
    "infAP(rel=0)": "rel is a number from 1 to 1,000",
    "infAP(foo=1)": "ir-measures, which refuses these parameters",
    "Compat(p=2.0)": "p is a number from 0 to 1",
    "Compat(p=1e400)": "p is a number from 0 to 1",
    "Compat(normalize=3)": "invalid param normalize=3",
    "AP(judged_only=True)@0": "cutoff|parameter 'judged_only'",
    "AP(judged_only=3)": "no parameter 'judged_only'",
    "RBP(rel=1)": "ir-measures cannot compute",
    "official": "no measure named",
    "all_trec": "no measure named",
    "P(" + "(" * 300 + "1" + ")" * 300 + ")@5": "parameters are name=value",
    "P" + "x" * 5000: "5,001 characters",
}


@pytest.mark.parametrize("name", BAD, ids=lambda name: name[:30])
def test_one_sentence_and_exit_2(capsys, name):
    """Nothing on standard output, one line on standard error."""
    assert app.run(["trec", *FILES, "--metric", name]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    with pytest.raises(HowsureError, match=BAD[name]):
        hs.trec(QRELS, {"a": RUN}, metrics=[name])


@pytest.mark.parametrize("given", [ir_measures.AP(foo=1), ir_measures.nDCG(gains=3), ir_measures.Compat(p="x"),
                                   ir_measures.P @ 0, ir_measures.SetF(beta=-1.0)], ids=lambda m: m.NAME)  # fmt: skip
def test_measures_of_ir_measures_with_impossible_parameters(given):
    """The objects themselves are checked as names are."""
    with pytest.raises(HowsureError) as caught:
        hs.trec(QRELS, {"a": RUN}, metrics=[given])
    assert "\n" not in str(caught.value)


def test_grades_that_ir_measures_cannot_count_are_refused():
    """Its programs loop over all grades up to the highest: minutes for a grade of a million."""
    qrels = {"q1": {"a": 10**6, "b": 1}, "q2": {"a": 1}}
    with pytest.raises(HowsureError, match=r"up to 1,000 .* 1,000,000"):
        hs.trec(qrels, {"a": {"q1": {"a": 1.0}, "q2": {"a": 2.0}}}, metrics=["nDCG(judged_only=True)"])


STEMS = """
P R AP RR nDCG Rprec Bpref IPrec AP11 BEP SetP SetR SetF Success Judged ERR Accuracy NumRel NumRet NumQ infAP SetAP
Compat RBP BPM SDCG alpha_nDCG map ndcg_cut P_ recall_ iprec_at_recall_ set_F_ official set micro-SetF macro-AP foo
""".split()  # noqa: SIM905
PARAMETERS = """
rel beta dcg rule unjudged judged_only gains cutoff recall p normalize T max_rel alpha foo REL * **x 1
""".split()  # noqa: SIM905
VALUES = """
1 2 0 -1 1.5 True None 'x' 'exp-log2' {1:'x'} {1:2} {1:-2} {'a':1} {[1]:2} {1:{2:3}} [1] (1,2) 1e400 1e-320 10**9 nan
1j b'x' ... lambda:0 f'' x 'rate' 'ceil' {} set() 1_000 0x10 '' 999999999999
""".split()  # noqa: SIM905
PLACES = """
@10 @0 @-1 @1.5 @1e9 @1e10 @1e99999999 @x @ @@5 @5@5 @0.5 @1/2 @nan @inf @1_0 @(5) @True @.5 @1e-999
""".split()  # noqa: SIM905


def texts(count, seed):
    """Names put together at random, some of them with a character changed."""
    rng = random.Random(seed)
    for _ in range(count):
        inside = ",".join(f"{rng.choice(PARAMETERS)}={rng.choice(VALUES)}" for _ in range(rng.choice([0, 1, 1, 2])))
        text = rng.choice(STEMS) + (f"({inside})" if inside else "") + rng.choice(["", *PLACES])
        if rng.random() < 0.2:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice("()=,{}@'\" 0\n\0é") + text[at + rng.randrange(2) :]
        yield text


def test_any_text_is_a_measure_or_one_sentence(capsys):
    """Random names through every view of unjudged documents: values, or a refusal in one line, and silence."""
    found = [
        _answer(text, ("not", "bounds", "rate")[k % 3])
        for k, text in enumerate(texts(2000 if tiers.tier == "deep" else 400, 14))
    ]
    assert found.count("") > 10
    assert not [text for text in found if "\n" in text or len(text) > 1000]
    assert capsys.readouterr() == ("", "")


def _answer(text, unjudged):
    """The refusal, "" where there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            hs.trec(QRELS, {"a": RUN, "b": RUN}, metrics=[text], unjudged=unjudged)
    except HowsureError as error:
        return str(error)
    return ""
