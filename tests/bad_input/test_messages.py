"""Every message for bad input, word for word, kept in messages.txt.

A message says what was given, what is needed and what to do, in one line without the words of a trace. After a wanted
change write the file anew with

    HOWSURE_RENEW=1 .venv/bin/python -m pytest tests/bad_input/test_messages.py

and read the difference before you commit it. A new case is one line of CASES: its name, a call, and the part of the
input that the message must name.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import howsure as hs
from howsure.catalogue import parse
from howsure.cli import app
from howsure.errors import HowsureError
from howsure.validate import NAMES
from tests.render.snapshot import RENEW, held

KEPT = Path(__file__).with_name("messages.txt")

tp, fp, fn, tn = hs.cells
T = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
TWO = hs.Tally.matrix([[870, 20], [30, 80]], labels=["ham", "spam"])
THREE = hs.Tally.matrix([[5, 1, 0], [2, 7, 1], [0, 3, 9]], labels=["a", "b", "c"])
JOINT = hs.tally([0, 1], {"a": [0, 1], "b": [1, 1]})
JOINT3 = hs.tally(list("abca"), {"x": list("abcb"), "y": list("abbc")})
BATCH = hs.Tally.matrix(np.arange(18).reshape(2, 3, 3))
ONE = hs.tally(["a", "a"], ["a", "a"])
RATE = hs.Tally.rate(hits=3, of=5)
FRAME = pd.DataFrame({"label": [0, 1], "a": [0, 1], "b": ["x", "y"], "p": [0.2, 0.9], "n": [-1, 3]})
NAN, INF = float("nan"), float("inf")
ITEMS = hs.graded({"a": [0.1, 0.5, 0.3, 0.9], "b": [0.2, 0.4, 0.3, 0.8]})
LONG = pd.DataFrame({"id": [1, 1, 2, 2, 3, 3], "model": ["a", "b"] * 3, "grade": [0.1, 0.2, 0.3, 0.5, 0.7, 0.6]})


CURVE = hs.curve([1, 0, 1, 0, 1], {"a": [0.9, 0.2, 0.4, 0.6, 0.8], "b": [0.8, 0.3, 0.5, 0.1, 0.2]})
ALONE = CURVE.system("a")


SAMPLES = pd.DataFrame(
    {"q": ["q1"] * 3 + ["q2"] * 2 + ["q3"] * 4, "passed": [1, 0, 1, 0, 0, 1, 1, 0, 1], "w": [1, 2, 3] * 3}
)


def asked(metric, **more):
    return hs.score(SAMPLES, outcome="passed", cluster="q", metrics=metric, **more)


def folded(scores=None, **more):
    made = {"a": [0.9, 0.8, 0.7], "b": [0.7, 0.9, 0.8]} if scores is None else scores
    return hs.compare_folds(made, **({"test_share": 0.1} | more))


def long(frame=LONG, **changed):
    return hs.graded(frame, **{"value": "grade", "item": "id", "system": "model", **changed})


def trec(qrels=None, runs=None, **changed):
    judged = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d3": 2}} if qrels is None else qrels
    found = {"a": {"q1": {"d1": 1.0, "d2": 2.0}, "q2": {"d3": 1.0}}} if runs is None else runs
    return hs.trec(judged, found, **{"metrics": ["AP"], **changed})


def binary(**changed):
    return hs.Tally.binary(**{"tp": 1, "fp": 2, "fn": 3, "tn": 4, **changed})


CHECKED = ([1, 0, 1, 0], [1, 0, 0, 0])
CASES = {
    # a judge
    "judge without people": (lambda: hs.score(FRAME, judge="a"), "judge="),
    "judge with a truth": (lambda: hs.score(FRAME, judge="a", human="label", truth="label"), "truth="),
    "judge with values": (lambda: hs.score(FRAME, judge="a", human="label", value="p"), "value="),
    "judge in clusters": (lambda: hs.score(FRAME, judge="a", human="label", cluster="b"), "cluster="),
    "two judges of one": (lambda: hs.score(FRAME, judge=["a", "b"], human="label"), "judge="),
    "verdicts of letters": (lambda: hs.score(FRAME, judge="b", human="label"), "'b'"),
    "nothing validated": (lambda: hs.correct_judge([1, 0], ([], [])), "human label"),
    "validation of two lengths": (lambda: hs.correct_judge([1, 0], ([1, 0, 1], [1, 0])), "3 human labels"),
    "validation as one array": (lambda: hs.correct_judge([1, 0], [1, 0, 1]), "list"),
    "validation of other systems": (lambda: hs.correct_judge({"a": [1, 0]}, {"b": CHECKED}), "'b'"),
    "judged systems of two lengths": (lambda: hs.correct_judge({"a": [1, 0], "b": [1]}, CHECKED), "a 2, b 1"),
    "a validation for all, external": (
        lambda: hs.correct_judge({"a": [1, 0], "b": [1, 0]}, CHECKED, external=True),
        "external=",
    ),
    "external is no flag": (lambda: hs.correct_judge([1, 0], CHECKED, external="yes"), "'yes'"),
    # files to write
    "suffix of no format": (lambda: hs.score(T, metrics="f1").save("out.xyz"), "'out.xyz'"),
    "file without a suffix": (lambda: hs.score(T, metrics="f1").save("out"), "'out'"),
    "suffix of columns": (lambda: hs.compare_wins(3, 1).save("out.parquet"), "'out.parquet'"),
    "columns of a comparison": (lambda: hs.compare_wins(3, 1).save("out", kind="parquet"), "Wins"),
    "columns as another file": (lambda: hs.score(T, metrics="f1").write("out.json"), "'out.json'"),
    "no format of that name": (lambda: hs.score(T, metrics="f1").to_text("latx"), "'latx'"),
    "format of other results": (lambda: hs.score(T).to_text("junit"), "junit"),
    "engine beside arrays": (lambda: hs.tally([0, 1], [0, 1], engine="duckdb"), "engine="),
    "margins of a matrix": (
        lambda: hs.Tally.matrix(pd.crosstab(pd.Series([0, 1, 1]), pd.Series([0, 1, 0]), margins=True)),
        "'All'",
    ),
    "margin of a matrix": (
        lambda: hs.Tally.matrix(pd.DataFrame([[1, 0], [1, 1], [2, 1]], index=[0, 1, "All"], columns=[0, 1])),
        "'All'",
    ),
    "sums in a row": (
        lambda: hs.Tally.matrix(pd.DataFrame([[1, 0], [1, 1], [2, 1]], index=[0, 1, 2], columns=[0, 1])),
        "row 2",
    ),
    "margin for a class": (
        lambda: hs.Tally.matrix([[1, 0, 0], [1, 1, 0], [2, 1, 0]], labels=["a", "b", "Total"]),
        "'Total'",
    ),
    "sums of a matrix": (
        lambda: hs.Tally.matrix(pd.crosstab(pd.Series([0, 1]), pd.Series([0, 1]), margins=True, margins_name="x")),
        "'x'",
    ),
    "score of no counts": (lambda: parse("f1").score(T), "Tally"),
    "score of three counts": (lambda: parse("f1").score({"tp": 1, "fp": 2, "fn": 3}), "'tn'"),
    "score of other counts": (lambda: parse("f1").score({"tp": 1, "fp": 2, "fn": 3, "tn": 4, "n": 10}), "'n'"),
    "score of all classes": (lambda: parse("macro-f1").score({"tp": 1, "fp": 2, "fn": 3, "tn": 4}), "macro-f1"),
    "cost that is no flag": (lambda: hs.utility(tp=1, cost="x"), "'x'"),
    "columns as a text": (lambda: hs.score(T, metrics="f1").to_text("parquet"), "parquet"),
    "folder to write to": (lambda: hs.score(T, metrics="f1").save("no/such/out.md"), "'no/such/out.md'"),
    # frames of labels
    "labels of other columns": (
        lambda: hs.Tally.multilabel(pl.DataFrame({"x": [1], "y": [0]}), pl.DataFrame({"x": [1], "z": [0]})),
        "'y'",
    ),
    "labels that are texts": (
        lambda: hs.Tally.multilabel(pl.DataFrame({"x": [1]}), pl.DataFrame({"x": ["yes"]})),
        "'yes'",
    ),
    # plans
    "plan without a goal": (lambda: hs.plan(pilot=T), "width="),
    "plan with two goals": (lambda: hs.plan(pilot=T, width=0.1, above=0.7), "above="),
    "plan without a source": (lambda: hs.plan(width=0.1), "expected="),
    "plan of a width of everything": (lambda: hs.plan(pilot=T, metric="f1", width=1.0), "0 to 1"),
    "plan of a width out of reach": (lambda: hs.plan(expected={"rate": 0.8}, width=1e-5), "100,000,000"),
    "plan of a claim that is not expected": (lambda: hs.plan(expected={"rate": 0.8}, above=0.9), "0.8"),
    "plan of a claim that is hardly true": (lambda: hs.plan(pilot=T, metric="f1", above=0.75), "0.617"),
    "plan of too large a difference": (lambda: hs.plan(pilot=T, metric="f1", difference=0.99), "0.99"),
    "plan of a limit out of range": (lambda: hs.plan(pilot=T, metric="f1", above=1.2), "1.2"),
    "plan from an open table": (lambda: hs.plan(expected={"recall": 0.8}, metric="f1", width=0.1), "expected="),
    "plan without prevalence": (lambda: hs.plan(expected={"recall": 0.9}, metric="recall", width=0.1), "prevalence"),
    "plan without bias": (lambda: hs.plan(expected={"precision": 0.9}, metric="precision", width=0.1), "bias"),
    "plan of an expected auc": (lambda: hs.plan(expected={"auc": 0.9}, metric="auc", width=0.1), "auc"),
    "plan of auc": (lambda: hs.plan(expected={"recall": 0.9, "prevalence": 0.1}, metric="auc", width=0.1), "auc"),
    "plan from scores": (lambda: hs.plan(pilot=CURVE.posterior.system("a"), metric="auc", width=0.1), "threshold="),
    "plan from a contradiction": (
        lambda: hs.plan(expected={"recall": 0.8, "precision": 0.7, "prevalence": 0.9}, width=0.1),
        "expected=",
    ),
    "plan from a rate of one": (lambda: hs.plan(expected={"rate": 1}, width=0.1), "1"),
    "plan with too little disagreement": (
        lambda: hs.plan(expected={"rate": 0.8}, difference=0.05, disagreement=0.01),
        "disagreement=0.01",
    ),
    "plan with idle disagreement": (lambda: hs.plan(pilot=T, width=0.1, disagreement=0.1), "disagreement="),
    "plan with an assurance in percent": (lambda: hs.plan(pilot=T, width=0.1, assurance=80), "80"),
    "plan of half an item": (lambda: hs.plan(pilot=T, n=0.5), "0.5"),
    "plan from a list": (lambda: hs.plan(pilot=[1, 0], width=0.1), "list"),
    "plan without a direction": (lambda: hs.plan(pilot=T, metric="prevalence", difference=0.1), "prevalence"),
    # gates
    "requirement that cannot be read": (lambda: hs.gate(T, "f1 > eighty"), "eighty"),
    "requirement without a sign": (lambda: hs.gate(T, "f1 is good"), "f1 is good"),
    "probability of a requirement": (lambda: hs.gate(T, "f1 > 0.8 with 95"), "95%"),
    "limit as a percentage": (lambda: hs.gate(T, "f1 > 80"), "80%"),
    "margin as a percentage": (lambda: hs.gate(T, "f1 not worse by 5", baseline=T), "5%"),
    "no requirement": (lambda: hs.gate(T, []), "f1 > 0.8"),
    "requirement that is no text": (lambda: hs.gate(T, [0.8]), "0.8"),
    "requirement twice": (lambda: hs.gate(T, ["f1 > .8", "f1 > 0.80"]), "f1 > 0.8"),
    "not worse than nothing": (lambda: hs.gate(T, "f1 not worse"), "baseline="),
    "baseline for nothing": (lambda: hs.gate(T, "f1 > 0.8", baseline=T), "baseline="),
    "baseline of another kind": (
        lambda: hs.gate(FRAME, "f1 not worse", baseline=FRAME, truth="label", pred="a"),
        "DataFrame",
    ),
    "baseline of several systems": (lambda: hs.gate(JOINT, "accuracy not worse", baseline=JOINT), "'a', 'b'"),
    "not worse without a direction": (lambda: hs.gate(T, "prevalence not worse", baseline=T), "prevalence"),
    "second system that is not asked for": (lambda: hs.gate(JOINT, "accuracy > 0.5"), "'b'"),
    "arrays to a gate": (lambda: hs.gate([1, 0], "f1 > 0.5"), "hs.tally"),
    "slice of a table": (lambda: hs.gate(T, "f1 > 0.8 in region=north"), "region=north"),
    "slices of scores": (lambda: hs.gate(FRAME, "auc > 0.8 in b=x", truth="label", score="p"), "'in b=...'"),
    "slices beside requirements": (lambda: hs.gate(FRAME, "f1 > 0.8", truth="label", pred="a", by="b"), "by="),
    "slice that is not there": (lambda: hs.gate(FRAME, "f1 > 0.8 in b=z", truth="label", pred="a"), "'x', 'y'"),
    "batch to a gate": (lambda: hs.gate(BATCH, "accuracy > 0.8"), "(2,)"),
    "every class to a gate": (lambda: hs.gate(T, "samples-f1 > 0.8"), "samples-f1"),
    "unknown option of a gate": (lambda: hs.gate(T, "f1 > 0.8", baselin=T), "'baselin'"),
    "gate as a truth value": (lambda: bool(hs.gate(T, "f1 > 0.8")), ".status"),
    # curves
    "score NaN": (lambda: hs.curve([1, 0, 1], [0.1, NAN, 0.3]), "1 of 3"),
    "score infinite": (lambda: hs.curve([1, 0], [0.1, INF]), "inf"),
    "score text": (lambda: hs.curve([1, 0], [0.1, "high"]), "'high'"),
    "scores of another length": (lambda: hs.curve([1, 0, 1], [0.1, 0.3]), "2 scores"),
    "no scores": (lambda: hs.curve([1, 0, 1]), "scores"),
    "empty scores": (lambda: hs.curve([], []), "no items"),
    "one class of scores": (lambda: hs.curve([1, 1, 1], [0.1, 0.2, 0.3]), "1"),
    "one class of text": (lambda: hs.curve(["spam"] * 3, [0.1, 0.2, 0.3], positive="spam"), "'spam'"),
    "curve without a positive class": (lambda: hs.curve(["ham", "spam"], [0.1, 0.2]), "'ham'"),
    "unknown positive of a curve": (lambda: hs.curve(["ham", "spam"], [0.1, 0.2], positive="spm"), "'spm'"),
    "truth missing in a curve": (lambda: hs.curve([1, None, 0], [0.1, 0.2, 0.3]), "1 of 3"),
    "truth missing in a column of a curve": (
        lambda: hs.curve({"y": [1, None, 0], "s": [0.1, 0.2, 0.3]}, truth="y", score="s"),
        "1 of 3 rows has",
    ),
    "long counts": (lambda: hs.Tally.binary(tp=10**308, fp=1, fn=1, tn=1), "got 1e+308."),
    "long counts in a column": (
        lambda: hs.score({"y": [1, 0], "z": [1, 0], "n": [1e308, 1.0]}, truth="y", pred="z", count="n"),
        "got 1e+308.",
    ),
    "weights of a curve": (lambda: hs.curve([1, 0], [0.1, 0.2], weight=[1.0, -2.0]), "-2"),
    "bins of arrays": (lambda: hs.curve([1, 0], [0.1, 0.2], bins=9), "bins="),
    "columns of a curve": (lambda: hs.curve(FRAME, truth="label", score="q"), "'q'"),
    "columns of arrays of a curve": (lambda: hs.curve([1, 0], [0.1, 0.2], truth="label"), "truth="),
    "measure of a table asked of scores": (lambda: ALONE["f1"], "f1"),
    "measure of scores asked of a table": (lambda: hs.posterior(T)["auc"], "auc"),
    "unknown measure of scores": (lambda: ALONE["auk"], "'auk'"),
    "unknown rule": (lambda: ALONE["AP11@trec"], "'trec'"),
    "rule of auc": (lambda: ALONE["auc@nearest"], "'auc@nearest'"),
    "point that is no number": (lambda: ALONE["f1@high"], "'f1@high'"),
    "point outside its range": (lambda: ALONE["precision@recall=1.5"], "recall=1.5"),
    "point by another measure": (lambda: ALONE["precision@f1=0.5"], "f1=0.5"),
    "point that is given": (lambda: ALONE["recall@recall=0.5"], "recall=0.5"),
    "worst measure": (lambda: ALONE["min-f1"], "max-f1"),
    "macro average of scores": (lambda: ALONE["max-macro-f1"], "macro-f1"),
    "two systems of a curve": (lambda: CURVE["auc"], "'a'"),
    "tables of two systems": (lambda: CURVE.tally, "'a'"),
    "unknown system of a curve": (lambda: hs.compare(CURVE, "a", "c"), "'c'"),
    "prior of scores": (lambda: hs.curve([1, 0], [0.1, 0.2], prior="two-level"), "two-level"),
    "recall of nothing": (lambda: ALONE.at(recall=[0.0, 0.5]), "0.0"),
    "recall and fallout": (lambda: ALONE.at(recall=0.5, fallout=0.5), "recall="),
    "points of a band": (lambda: ALONE.band("f1", points=1), "1"),
    "band of classes": (lambda: ALONE.band("macro-f1"), "macro-f1"),
    "perfect order without a prior": (lambda: hs.curve([1, 0], [2, 1], prior="none")["auc"], "auc"),
    "curves of different classes": (lambda: hs.compare(ALONE, hs.curve(["x", "y"], [1, 2], positive="y")), "'y'"),
    "curve against a tally": (lambda: hs.compare(ALONE, T), "Scored and Tally"),
    "tests of a curve": (lambda: hs.compare(CURVE, "a", "b", metric="AP").tests(), "AP"),
    # counts
    "negative count": (lambda: binary(fp=-3), "fp"),
    "fractional count": (lambda: binary(fn=2.5), "2.5"),
    "NaN count": (lambda: binary(tn=NAN), "tn"),
    "infinite count": (lambda: binary(tp=INF), "tp"),
    "overflowing count": (lambda: binary(tp=2**53 + 1), "9007199254740993"),
    "overflowing sum": (lambda: binary(tp=2**53) + binary(), "9007199254740993"),
    "text for a count": (lambda: binary(tp="three"), "'three'"),
    "no count": (lambda: binary(tp=None), "None"),
    "complex count": (lambda: binary(tp=1j), "tp"),
    "one bad count of many": (lambda: binary(tp=[1, 2, -7]), "-7"),
    "shapes of counts": (lambda: binary(tp=[1, 2], fp=[1, 2, 3]), "(3,)"),
    "oblong matrix": (lambda: hs.Tally.matrix([[1, 2, 3], [4, 5, 6]]), "(2, 3)"),
    "matrix of one class": (lambda: hs.Tally.matrix([[5]]), "(1, 1)"),
    "matrix of shares": (lambda: hs.Tally.matrix([[0.5, 0.225], [0.175, 0.1]]), "0.5"),
    "negative in a matrix": (lambda: hs.Tally.matrix([[1, -2], [3, 4]]), "-2"),
    "labels of a matrix": (lambda: hs.Tally.matrix([[1, 2], [3, 4]], labels=["a"]), "'a'"),
    "label twice": (lambda: hs.Tally.matrix([[1, 2], [3, 4]], labels=["a", "a"]), "'a'"),
    "rows of a matrix": (lambda: hs.Tally.matrix([[1, 2], [3, 4]], rows="cols"), "'cols'"),
    "positive of a matrix": (
        lambda: hs.Tally.matrix([[1, 2], [3, 4]], labels=["ham", "spam"], positive="spm"),
        "'spm'",
    ),
    "more hits than trials": (lambda: hs.Tally.rate(hits=5, of=3), "5"),
    "negative hits": (lambda: hs.Tally.rate(hits=-1, of=3), "hits"),
    # labels
    "lengths differ": (lambda: hs.tally([0, 1, 1], [0, 1]), "3 truths"),
    "lengths differ in a system": (lambda: hs.tally([0, 1], {"a": [0, 1], "b": [0]}), "'b'"),
    "empty data": (lambda: hs.tally([], []), "empty"),
    "no predictions": (lambda: hs.tally([0, 1], {}), "predictions"),
    "scores for predictions": (lambda: hs.tally([0, 1], [0.2, 0.9]), "0.2"),
    "scores for truths": (lambda: hs.tally(np.array([0.5, 1.0]), [0, 1]), "y_true"),
    "scores among objects": (lambda: hs.tally(np.array([0, 0.5], dtype=object), [0, 1]), "0.5"),
    "infinite label": (lambda: hs.tally([0, INF], [0, 1]), "y_true"),
    "text for a column": (lambda: hs.tally("spam", ["spam"]), "'spam'"),
    "None for a column": (lambda: hs.tally([0], None), "None"),
    "table for a column": (lambda: hs.tally(np.eye(2), [0, 1]), "(2, 2)"),
    "lists in a column": (lambda: hs.tally([[0], [1]], [0, 1]), "[0]"),
    "unhashable label": (lambda: hs.tally([0] * 101 + [{}], [0] * 102), "labels"),
    "text against numbers": (lambda: hs.tally(["1"], [1]), "'1'"),
    "positive never occurs": (lambda: hs.tally(["ham", "spam"], ["ham", "ham"], positive="spma"), "'spma'"),
    "unknown label": (lambda: hs.tally(["ham", "spam"], ["ham", "ham"], labels=["ham", "spa"]), "'spam'"),
    "missing labels": (lambda: hs.tally([0, None, 1], [None, None, 1]), "1 missing truth and 2 missing predictions"),
    "missing truth as wrong": (lambda: hs.tally([0, None], [0, 1], missing="wrong"), "1 missing truth"),
    "nothing left": (lambda: hs.tally([None], [1], missing="drop"), "1 missing truth"),
    "unknown way with missing": (lambda: hs.tally([0], [0], missing="drp"), "'drp'"),
    "text for weights": (lambda: hs.tally([0, 1], [0, 1], weight=["a", "b"]), "weights"),
    "number of weights": (lambda: hs.tally([0, 1], [0, 1], weight=[1]), "(1,)"),
    "negative weight": (lambda: hs.tally([0, 1], [0, 1], weight=[1, -2]), "-2"),
    "NaN weight": (lambda: hs.tally([0, 1], [0, 1], weight=[1, NAN]), "NaN"),
    "weights of 0": (lambda: hs.tally([0, 1], [0, 1], weight=[0, 0]), "weights"),
    # frames
    "unknown column": (lambda: hs.tally(FRAME, truth="lable", pred="a"), "'lable'"),
    "column named twice": (lambda: hs.tally(pd.concat([FRAME, FRAME], axis=1), truth="label", pred="a"), "'label'"),
    "no column asked for": (lambda: hs.tally(FRAME), "pred="),
    "column without truths": (lambda: hs.tally(FRAME[["a", "b"]], pred="a"), "truth="),
    "two kinds of answers": (lambda: hs.tally(FRAME, truth="label", pred="a", outcome="b"), "outcome="),
    "column asked for twice": (lambda: hs.tally(FRAME, truth="label", pred=["a", "a"]), "'a'"),
    "column that is none": (lambda: hs.tally(FRAME, truth="label", pred=[1, 0]), "pred="),
    "columns of arrays": (lambda: hs.tally([0, 1], [0, 1], by="region"), "by="),
    "columns of a list": (lambda: hs.tally([0, 1], truth="label", pred="a"), "int"),
    "no batches": (lambda: hs.tally(iter([]), truth="label", pred="a"), "batches"),
    "empty frame": (lambda: hs.tally(FRAME[:0], truth="label", pred="a"), "empty"),
    "lists in a frame": (lambda: hs.tally(pl.DataFrame({"y": [[0]], "z": [1]}), truth="y", pred="z"), "'y'"),
    "classes of outcomes": (lambda: hs.tally(FRAME, outcome="a", positive=1), "positive="),
    "outcome that is none": (lambda: hs.tally(FRAME, outcome="b"), "'x'"),
    "no answer among outcomes": (lambda: hs.tally(pd.DataFrame({"g": ["C", "I", "N"]}), outcome="g"), "'N'"),
    "missing outcomes": (lambda: hs.tally(pl.DataFrame({"ok": [1, None]}), outcome="ok"), "1 missing outcome"),
    "score without a threshold": (lambda: hs.tally(FRAME, truth="label", score="p"), "threshold="),
    "threshold without a score": (lambda: hs.tally(FRAME, truth="label", pred="a", threshold=0.5), "score="),
    "threshold of text": (lambda: hs.tally(FRAME, truth="label", score="p", threshold="x"), "'x'"),
    "score of no class": (lambda: hs.tally(FRAME, truth="b", score="p", threshold=0.5), "'x', 'y'"),
    "weights and counts": (lambda: hs.tally(FRAME, truth="label", pred="a", weight="p", count="n"), "count="),
    "fraction in a column of counts": (lambda: hs.tally(FRAME, truth="label", pred="a", count="p"), "'p'"),
    "negative in a column of counts": (lambda: hs.tally(FRAME, truth="label", pred="a", count="n"), "'n'"),
    "NaN in a column of weights": (
        lambda: hs.tally(FRAME.assign(w=[NAN, 1]), truth="label", pred="a", weight="w"),
        "'w'",
    ),
    "tally that is none": (lambda: hs.Tally.from_dict({"schema": "other"}), "howsure.tally/1"),
    "tally of a text": (lambda: hs.Tally.from_json("[1"), "JSON"),
    "damaged tally": (lambda: hs.Tally.from_dict({**T.to_dict(), "counts": [1, 2]}), "damaged"),
    # tallies
    "cells without a positive class": (lambda: TWO.tp, "'ham', 'spam'"),
    "cells of several systems": (lambda: JOINT.tp, "'a'"),
    "unknown system": (lambda: JOINT.system("aa"), "'aa'"),
    "unknown class": (lambda: THREE.versus_rest("d"), "'d'"),
    "different positive classes": (lambda: TWO.with_positive("ham") + TWO.with_positive("spam"), "'ham', 'spam'"),
    "different systems": (lambda: JOINT + hs.tally([0, 1], {"a": [0, 1], "c": [1, 1]}), "'c'"),
    "different batches": (lambda: T + hs.Tally.binary(tp=[1, 2], fp=0, fn=0, tn=0), "(2,)"),
    "outcomes and classes": (lambda: T + RATE, "outcomes"),
    # metrics
    "unknown metric": (lambda: hs.posterior(T)["precison"], "'precison'"),
    "no metric": (lambda: hs.posterior(T)[5], "5"),
    "metric of no class": (lambda: hs.posterior(T)["f1:"], "'f1:'"),
    "metric of an unknown class": (lambda: hs.posterior(THREE)["f1:d"], "'d'"),
    "metric without a positive class": (lambda: hs.posterior(TWO)["f1"], "f1"),
    "metric of many classes": (lambda: hs.posterior(THREE)["recall"], "recall"),
    # many classes
    "oblong matrix of many classes": (lambda: hs.Tally.matrix(np.ones((4, 3), int)), "(4, 3)"),
    "too few labels of a matrix": (lambda: hs.Tally.matrix(np.ones((3, 3), int), labels=["a", "b"]), "3 classes"),
    "too many labels of a matrix": (lambda: hs.Tally.matrix(np.eye(3, dtype=int), labels=list("abcd")), "4 labels"),
    "one of three labels twice": (lambda: hs.Tally.matrix(np.eye(3, dtype=int), labels=["a", "b", "a"]), "'a'"),
    "label twice among labels": (lambda: hs.tally(["a", "b"], ["a", "b"], labels=["a", "b", "c", "b"]), "'b'"),
    "unknown label in predictions": (lambda: hs.tally(["a", "b"], ["a", "d"], labels=["a", "b", "c"]), "'d'"),
    "unknown label of a system": (
        lambda: hs.tally(["a", "b"], {"x": ["a", "b"], "y": ["a", "d"]}, labels=["a", "b", "c"]),
        "'d'",
    ),
    "average of an average": (lambda: parse("macro-macro-f1"), "macro-f1"),
    "average of another average": (lambda: parse("weighted-f1-of-means"), "f1-of-means"),
    "average of a rate": (lambda: parse("macro-rate"), "rate"),
    "class of an average": (lambda: parse("macro-f1:spam"), "f1:spam"),
    "class of f1-of-means": (lambda: parse("f1-of-means:spam"), "'spam'"),
    "average of no class": (lambda: parse("macro-f1:"), "'macro-f1:'"),
    "unknown average": (lambda: parse("mean-precision"), "'mean-precision'"),
    "unknown kind of average": (lambda: parse("harmonic-f1"), "'harmonic'"),
    "misspelt average": (lambda: parse("marco-f1"), "'macro-f1'"),
    "average of an unknown metric": (lambda: parse("macro-precison"), "'macro-precision'"),
    "average that never changes": (lambda: parse("macro-prevalence"), "'macro-prevalence'"),
    "average over many labels": (lambda: hs.posterior(THREE)["samples-f1"], "samples-f1"),
    "kappa of one class": (lambda: hs.posterior(ONE)["kappa"], "'a'"),
    "prevalence of 0": (lambda: hs.shift(T, 0), "0"),
    "prevalence in percent": (lambda: hs.shift(T, 5), "0.05"),
    "prevalence as a range the wrong way round": (lambda: hs.shift(T, (0.2, 0.1)), "0.2"),
    "prevalence of a target without items": (lambda: hs.shift(T, hs.Tally.rate(hits=0, of=0)), "no items"),
    "prevalence of a target of other classes": (lambda: hs.shift(T, THREE), "'a'"),
    "prevalence without a positive class": (lambda: hs.shift(TWO, 0.1), "'spam'"),
    "prevalence of several classes": (lambda: hs.shift(THREE, {"a": 0.2, "b": 0.3, "c": 0.5}), "3"),
    "prevalence of a rate": (lambda: hs.shift(RATE, 0.1), "a rate"),
    "prevalence of a prevalence": (lambda: hs.shift(T, 0.1)["prevalence"], "0.1"),
    "draws of one class": (lambda: hs.posterior(ONE).draws(5), "'a'"),
    "draws of two systems": (lambda: hs.posterior(JOINT).draws(5), "'a'"),
    "draws of a batch of many classes": (lambda: hs.posterior(BATCH).draws(5), "batch"),
    "row of every class": (lambda: hs.score(THREE)["f1"], "f1:a"),
    "row of an unknown class": (lambda: hs.score(THREE)["f1:d"], "'d'"),
    "prior of another size for an average": (lambda: hs.posterior(THREE, np.ones((2, 2)))["macro-f1"], "2 x 2"),
    "two-level prior for systems": (
        lambda: hs.compare(JOINT3, metric="macro-f1", prior=hs.two_level()),
        "two-level",
    ),
    "table of weights for systems": (lambda: hs.compare(JOINT3, metric="macro-f1", prior=np.ones((3, 3))), "a table"),
    "heavy prior for systems": (lambda: hs.compare(JOINT3, metric="macro-f1", prior=50), "50"),
    "two-level prior with missing answers": (
        lambda: hs.score(list("abc"), ["a", None, "c"], missing="wrong", prior=hs.two_level()),
        "missing",
    ),
    "rate of classes": (lambda: hs.posterior(T)["rate"], "rate"),
    "f1 of outcomes": (lambda: hs.posterior(RATE)["f1"], "f1"),
    "a slip of f1": (lambda: parse("f11"), "f11"),
    "f of a beta without a name": (lambda: parse("f3"), "f3"),
    "fbeta without a number": (lambda: parse("macro-fbeta()"), "fbeta()"),
    "beta of 0": (lambda: hs.fbeta(0), "0"),
    "beta of text": (lambda: hs.fbeta("2"), "'2'"),
    "weights of a utility": (lambda: parse("utility(1,2)"), "'utility(1,2)'"),
    "utility of nothing": (hs.utility, "utility(0,0,0,0)"),
    "constant formula": (lambda: hs.Metric("one", tp / tp), "'one'"),
    "no formula": (lambda: hs.Metric("one", 1), "'one'"),
    "unknown direction": (lambda: hs.Metric("x", tp / (tp + fp), better="up"), "'up'"),
    "text in a formula": (lambda: tp + "fp", "'fp'"),
    "power in a formula": (lambda: tp**-2, "-2"),
    "NaN in a formula": (lambda: tp * NAN, "nan"),
    "ratio that is none": (lambda: hs.Ratio(tp * tn, fp + fn), "tp * tn / (fp + fn)"),
    # settings
    "prior of 0": (lambda: hs.posterior(T, 0), "0"),
    "prior below 0": (lambda: hs.posterior(T, -0.5), "-0.5"),
    "prior of NaN": (lambda: hs.posterior(T, NAN), "nan"),
    "unknown prior": (lambda: hs.posterior(T, "jefreys"), "'jefreys'"),
    "prior of three numbers": (lambda: hs.posterior(T, [1, 2, 3]), "(3,)"),
    "prior with a 0": (lambda: hs.posterior(T, [1, 2, 3, 0]), "above 0"),
    "prior of another size": (lambda: hs.posterior(T, np.ones((3, 3)))["f1"], "3 x 3"),
    "prior of a dict": (lambda: hs.posterior(T, {"tp": 1}), "{'tp': 1}"),
    "two-level prior of 0": (lambda: hs.two_level(between=0), "between"),
    "no tally": (lambda: hs.posterior([1, 2, 3, 4]), "list"),
    "tolerance": (lambda: hs.posterior(T, tolerance=2), "2"),
    "seed": (lambda: hs.posterior(T, seed=-1), "-1"),
    "level as a percentage": (lambda: hs.score(T, level=95), "95"),
    "level of 1": (lambda: hs.posterior(T)["f1"].interval(1), "1"),
    "kind of interval": (lambda: hs.score(T, interval="hpd"), "'hpd'"),
    "limit of text": (lambda: hs.score(T, above="0.8"), "'0.8'"),
    "limit of another row": (lambda: hs.score(T, metrics=["f1"], above={"recall": 0.5}), "'recall'"),
    "limit out of range": (lambda: hs.score(T, metrics=["f1"], above=2), "above=2"),
    "limit out of the range of one": (lambda: hs.score(T, metrics=["f1", "lr-plus"], above=2), "{'lr-plus': 2}"),
    "named limit out of range": (lambda: hs.score(T, above={"kappa": -1.5}, metrics="kappa"), "-1 and 1"),
    "negative limit of a ratio": (lambda: hs.score(T, above=-2, metrics="lr-plus"), "0 or more"),
    "limit of what comes next": (lambda: hs.forecast(T, n=5, metric="f1", below=7), "Did you mean 0.07"),
    "limit of the next difference": (lambda: hs.forecast(T, T, n=5, metric="f1", above=-3), "-1 and 1"),
    "requirement out of range": (lambda: hs.gate(T, "f1 > 2"), "0 and 1"),
    "no metrics": (lambda: hs.score(T, metrics=[]), "metrics="),
    "data twice": (lambda: hs.score(T, [1, 0]), "Tally"),
    "data without predictions": (lambda: hs.score([1, 0]), "y_pred"),
    "labels of a tally": (lambda: hs.score(T, labels=[0, 1]), "labels="),
    "row that is not there": (lambda: hs.score(T, metrics=["f1"])["recall"], "'recall'"),
    "quantile above 1": (lambda: hs.posterior(T)["f1"].ppf([0.5, 1.5]), "1.5"),
    "cdf at NaN": (lambda: hs.posterior(T)["f1"].cdf(NAN), "NaN"),
    "no draws": (lambda: hs.posterior(T)["f1"].draws(0), "0"),
    # graded values
    "no values": (lambda: hs.graded([]), "0"),
    "one value": (lambda: hs.graded([0.5]), "1"),
    "no systems of values": (lambda: hs.graded({}), "systems"),
    "text for values": (lambda: hs.graded("good"), "'good'"),
    "number for values": (lambda: hs.graded(5), "5"),
    "set of values": (lambda: hs.graded({1, 2}), "{1, 2}"),
    "words among values": (lambda: hs.graded([1, "good"]), "'good'"),
    "digits as text": (lambda: hs.graded(["1", "2"]), "'1'"),
    "complex value": (lambda: hs.graded([1j, 2]), "1j"),
    "infinite value": (lambda: hs.graded([1, INF]), "inf"),
    "missing values": (lambda: hs.graded([1, None, 2, NAN]), "2 of 4"),
    "unknown way with missing values": (lambda: hs.graded([1, 2], missing="skip"), "'skip'"),
    "table for values": (lambda: hs.graded(np.eye(3)), "(3, 3)"),
    "ragged values": (lambda: hs.graded([[1, 2], [3]]), "lengths"),
    "numbers of values": (lambda: hs.graded({"a": [1, 2], "b": [1]}), "a 2, b 1"),
    "huge values": (lambda: hs.graded([1e300, 2]), "1e+300"),
    "tiny values": (lambda: hs.graded([1e-300, 0]), "1e-300"),
    "constant values": (lambda: hs.score(hs.graded([0.5] * 4)), "0.5"),
    "constant system": (lambda: hs.compare(hs.graded({"a": [1, 2, 3], "b": [2, 2, 2]})), "b"),
    "value out of bounds": (lambda: hs.graded([1, 2], bounds=(0, 1.5)), "2"),
    "bounds of values": (lambda: hs.graded([1, 2], bounds=(1, 0)), "(1, 0)"),
    "direction of values": (lambda: hs.graded([1, 2], better="up"), "'up'"),
    "weight of a value": (lambda: hs.graded([1, 2, 3], weight=[1, -1, 1]), "-1"),
    "number of weights of values": (lambda: hs.graded([1, 2, 3], weight=[1, 2]), "3 items"),
    "one weight above all": (lambda: hs.graded([1, 2, 3], weight=[1, 1, 1e9]), "effective size of 1"),
    "number of clusters": (lambda: hs.graded([1, 2, 3], cluster=[1, 2]), "cluster"),
    "text for clusters": (lambda: hs.graded([1, 2, 3], cluster="user"), "'user'"),
    "missing cluster": (lambda: hs.graded([1, 2, 3], cluster=[1, NAN, 2]), "cluster"),
    "samples without questions": (lambda: hs.score(RATE, metrics="pass@5"), "pass@5"),
    "samples of a ranking": (lambda: ALONE.posterior["pass^5"], "all-pass@5"),
    "no number of samples": (lambda: asked("pass@0"), "'pass@0'"),
    "letter for a number of samples": (lambda: asked("pass^k"), "'pass^k'"),
    "slip in samples": (lambda: asked("passs@2"), "'passs@2'"),
    "more than the samples of a question": (lambda: asked("pass@3"), "'q2' has 2"),
    "more than the samples of some questions": (lambda: asked("all-pass@4"), "'q2' has 2"),
    "weighted samples": (lambda: asked("pass@2", weight="w"), "weight"),
    "folds without names": (lambda: folded([0.9, 0.8]), "got list"),
    "folds of one system": (lambda: folded({"a": [0.9, 0.8]}), "'a'"),
    "folds of no system": (lambda: folded({}), "none"),
    "folds of one name": (lambda: folded({1: [1, 2], "1": [1, 3]}), "1, '1'"),
    "one fold": (lambda: folded({"a": [1], "b": [2]}), "got 1"),
    "folds of two numbers": (lambda: folded({"a": [1, 2], "b": [1, 2, 3]}), "'b' has 3"),
    "folds with a missing score": (lambda: folded({"a": [1, NAN], "b": [1, 2]}), "fold 2 of 'a' is nan"),
    "folds of text": (lambda: folded({"a": ["x", "y"], "b": [1, 2]}), "'a'"),
    "folds of a text": (lambda: folded({"a": "xy", "b": [1, 2]}), "'a'"),
    "folds of booleans": (lambda: folded({"a": [True, False], "b": [1, 2]}), "'a'"),
    "folds in three dimensions": (lambda: folded({"a": np.ones((2, 2, 2)), "b": [1, 2]}), "3 dimensions"),
    "folds without a share": (lambda: folded(test_share=None), "test_share="),
    "number of folds as a share": (lambda: folded(test_share=10), "10"),
    "share of all": (lambda: folded(test_share=1), "got 1"),
    "folds without spread": (lambda: folded({"a": [1, 2], "b": [2, 3]}), "'a' and 'b' differ by -1"),
    "equal folds": (lambda: folded({"a": [1, 2], "b": [1, 2]}), "have the same score"),
    "folds beyond their bounds": (lambda: folded(bounds=(0, 0.8)), "0.9"),
    "folds in no direction": (lambda: folded(better="up"), "'up'"),
    "folds of a measure without a name": (lambda: folded(metric=""), "''"),
    "folds of an unknown system": (lambda: folded()["c"], "'c'"),
    "one number of three systems": (
        lambda: folded({"a": [1, 2], "b": [1, 3], "c": [1, 5]}).p_better,
        ".pair('c', 'b').p_better",
    ),
    "pair of one": (lambda: folded().pair("a", "a"), "'a'"),
    "equal scores of a system": (lambda: folded({"a": [1, 1], "b": [1, 3]})["a"], "'a'"),
    "one cluster": (lambda: hs.graded([1, 2, 3], cluster=[1, 1, 1]), "one cluster"),
    "lists for clusters": (lambda: hs.graded([1, 2], cluster=[[1], [2]]), "[1]"),
    "systems of one name": (lambda: hs.graded({1: [1, 2], "1": [3, 4]}), "1, '1'"),
    "column of a list": (lambda: hs.graded([1, 2], value="grade"), "value="),
    "frame without a value": (lambda: hs.graded(LONG), "value="),
    "misspelt column": (lambda: long(value="grad"), "'grad'"),
    "number for a column name": (lambda: long(value=3), "3"),
    "weights beside a frame": (lambda: long(weight=[1, 2]), "weight="),
    "system without item": (lambda: long(LONG.rename(columns={"id": "nr"}), item=None), "item="),
    "item twice": (lambda: long(LONG.assign(id=[1, 1, 1, 2, 3, 3])), "1 of a"),
    "item twice in a wide frame": (lambda: long(LONG, system=None), "1"),
    "item of one system": (lambda: long(LONG[:5]), "3"),
    "item without a name": (lambda: long(LONG.assign(id=[1, 1, None, 2, 3, 3])), "'id'"),
    "row without a system": (lambda: long(LONG.assign(model=["a", None] * 3)), "'model'"),
    "weight that changes within an item": (lambda: long(LONG.assign(w=range(1, 7)), weight="w"), "item 1"),
    "empty frame of values": (lambda: long(LONG[:0]), "0"),
    "three systems of values": (lambda: hs.compare(hs.graded({x: [1, 2, 4] for x in "abc"})), "leaderboard"),
    "system of values twice": (lambda: hs.compare(ITEMS, "a", "a"), "'a', 'a'"),
    "unknown system of values": (lambda: hs.compare(ITEMS, "a", "bb"), "'bb'"),
    "metric of values": (lambda: hs.score(ITEMS, metrics="f1"), "'f1'"),
    "prior of values": (lambda: hs.score(ITEMS, prior="two-level"), "two-level"),
    "positive class of values": (lambda: hs.score(ITEMS, positive=1), "positive"),
    "weights of made items": (lambda: hs.score(ITEMS, weight=[1] * 4), "weight="),
    "values against counts": (lambda: hs.compare(ITEMS.system("a"), RATE), "Graded and Outcomes"),
    "values and counts ranked": (lambda: hs.leaderboard({"a": ITEMS.system("a"), "b": RATE}), "leaderboard"),
    "one system of values ranked": (lambda: hs.leaderboard(ITEMS.system("a")), "1"),
    "several systems as one": (lambda: hs.compare(ITEMS, ITEMS), "'a', 'b'"),
    "sampled pairing": (lambda: hs.compare(ITEMS, method="sample"), "'sample'"),
    "names of named systems": (lambda: hs.compare(ITEMS, names=("x", "y")), "'a', 'b'"),
    "missing prediction": (lambda: hs.tally(["a", "b"], ["a", None]), "1 missing prediction"),
    "two scores cut": (lambda: hs.tally(FRAME, truth="label", score=["p", "n"], threshold=0.3), "metric='f1@0.3'"),
    "two frames": (lambda: hs.compare(FRAME, FRAME, truth="label", pred="a"), "frames"),
    "frames by system": (lambda: hs.compare({"a": FRAME, "b": FRAME}, on="n", truth="label", pred="a"), "on='n'"),
    "a Series in another order": (lambda: hs.score(FRAME.label, FRAME.a[::-1]), "y_pred"),
    "items of other systems": (lambda: ITEMS + hs.graded({"a": [1, 2], "c": [1, 2]}), "'c'"),
    "items of other bounds": (lambda: ITEMS + hs.graded({"a": [0, 1], "b": [0, 1]}, bounds=(0, 1)), "bounds"),
    "items twice": (lambda: long() + long(), "1, 2, 3"),
    "no draws of items": (lambda: hs.posterior(ITEMS).draws(0), "0"),
    # what once was an error of Python or numpy
    "ragged matrix": (lambda: hs.Tally.matrix([[1, 2], [3]]), "the matrix"),
    "ragged counts": (lambda: binary(tp=[[1], [1, 2]]), "tp"),
    "shapes of a rate": (lambda: hs.Tally.rate(hits=[1, 2], of=[1, 2, 3]), "(3,)"),
    "unhashable labels of a matrix": (lambda: hs.Tally.matrix([[1, 2], [3, 4]], labels=[["a"], ["b"]]), "['a']"),
    "number for labels of a matrix": (lambda: hs.Tally.matrix([[1, 2], [3, 4]], labels=5), "5"),
    "number for a column": (lambda: hs.tally(1, 1), "y_true"),
    "number for labels": (lambda: hs.tally([1], [1], labels=5), "5"),
    "array for a positive class": (lambda: hs.tally([1, 0], [1, 0], positive=np.array([1, 2])), "ndarray"),
    "text for a two-level weight": (lambda: hs.two_level("x"), "'x'"),
    "text for a tolerance": (lambda: hs.posterior(T, tolerance="x"), "'x'"),
    "number for metrics": (lambda: hs.score(T, metrics=5), "5"),
    "fraction of a draw": (lambda: hs.posterior(T)["f1"].draws(2.5), "2.5"),
    "negative seed of draws": (lambda: hs.posterior(T)["f1"].draws(3, seed=-1), "-1"),
    "text for a quantile": (lambda: hs.posterior(T)["f1"].ppf("x"), "'x'"),
    "text for a point": (lambda: hs.posterior(T)["f1"].cdf("x"), "'x'"),
    # solve
    "percentage for a precision": (lambda: hs.solve(precision=75), "75"),
    "precision above 1": (lambda: hs.solve(precision=1.2), "1.2"),
    "unknown measure to solve": (lambda: hs.solve(precison=0.75), "'precison'"),
    "measure of scores to solve": (lambda: hs.solve({"auc": 0.75}), "auc"),
    "nothing to solve": (hs.solve, "precision=0.75"),
    "word for a measure": (lambda: hs.solve(recall="high"), "'high'"),
    "None for a measure": (lambda: hs.solve(recall=None), "None"),
    "class to solve": (lambda: hs.solve({"f1:spam": 0.5}), "f1:spam"),
    "labels to solve": (lambda: hs.solve({"samples-f1": 0.5}), "samples-f1"),
    "negative count to solve": (lambda: hs.solve(tp=-1), "-1"),
    "n of 0": (lambda: hs.solve(n=0), "0"),
    "measure twice": (lambda: hs.solve(recall=0.5, sensitivity=0.6), "recall"),
    "range upside down": (lambda: hs.solve(n=(200, 100)), "200"),
    "whole tables without n": (lambda: hs.solve(recall="0.5", integers=True), "n=200"),
    "kind of ties": (lambda: hs.solve(recall="0.5", integers=True, ties="even"), "'even'"),
    "wins of one system": (lambda: hs.solve(recall=0.5, wins={("a", "b"): (1, 2)}), "wins="),
    "wins of an unknown system": (lambda: hs.solve({"a": {"tp": 3}}, n=9, wins={("a", "b"): (1, 2)}), "'b'"),
    "wins below 0": (lambda: hs.solve({"a": {"tp": 3}, "b": {"tp": 2}}, n=9, wins={("a", "b"): (1, -2)}), "-2"),
    "no single table": (lambda: hs.solve(recall=0.5, n=10).table, "free"),
    "surface without a third": (hs.relations.surface, "none"),
    "surface with a fourth": (lambda: hs.relations.surface(fallout=0.1, bias=0.2), "fallout, bias"),
    "measure twice on a surface": (lambda: hs.relations.surface(x="recall", fallout=0.1), "recall"),
    "percentage held fixed": (lambda: hs.relations.surface(fallout=10), "0.1"),
    "digits held fixed": (lambda: hs.relations.surface(fallout="0.1"), "'0.1'"),
    "range held fixed": (lambda: hs.relations.surface(fallout=(0.1, 0.2)), "0.1 to 0.2"),
    "unknown measure of a surface": (lambda: hs.relations.surface("fi", fallout=0.1), "'fi'"),
    "count without n on a surface": (lambda: hs.relations.surface("tp", fallout=0.1), "tp"),
    "n on a surface": (lambda: hs.relations.surface(x="n", fallout=0.1, n=9), "n="),
    "percentages on a surface": (lambda: hs.relations.surface(fallout=0.1, x_values=[20, 40]), "20"),
    "words on a surface": (lambda: hs.relations.surface(fallout=0.1, x_values=["a"]), "['a']"),
    "no values on a surface": (lambda: hs.relations.surface(fallout=0.1, x_values=[]), "[]"),
    "size of a surface": (lambda: hs.relations.surface(fallout=0.1, size=1), "1"),
    "sizes of a surface": (lambda: hs.relations.surface(fallout=0.1, size=(5, 5, 5)), "(5, 5, 5)"),
    "huge surface": (lambda: hs.relations.surface(fallout=0.1, size=10**6), "1,000,000"),
    "side too long for an array": (lambda: hs.relations.surface(fallout=0.1, size=10**30), f"{10**30:,}"),
    "fraction of a point on a surface": (lambda: hs.relations.surface(fallout=0.1, size=1.5), "1.5"),
    "size of a grid that is given": (
        lambda: hs.relations.surface(fallout=0.1, size=5, x_values=0.1, y_values=0.2),
        "size=",
    ),
    "slow points": (lambda: hs.relations.surface("f1", "phi", "kappa", bias=0.1, size=200), "200 x 200"),
    "number held fixed without a name": (lambda: hs.relations.surface("phi", "precision", "recall", 0.1), "0.1"),
    "measure held fixed twice": (
        lambda: hs.relations.surface("phi", "precision", "recall", {"fallout": 0.1}, fallout=0.2),
        "fallout, fallout",
    ),
    "too many averages": (lambda: hs.relations.eleven_point("phi", [0.5] * 500, fallout=[0.1] * 500), "500 values"),
    "break-even by recall": (lambda: hs.relations.break_even("phi", "recall"), "recall"),
    "rule of eleven points": (lambda: hs.relations.eleven_point(rule="low"), "'low'"),
    "eleven points of informedness": (lambda: hs.relations.eleven_point("informedness"), "informedness"),
    "eleven points above 1": (lambda: hs.relations.eleven_point("phi", [1.5]), "1.5"),
    # trade-off
    "percentage for an accuracy": (lambda: hs.tradeoff(accuracy=90, prevalence=0.2), "90"),
    "percentage for a recall": (lambda: hs.tradeoff(accuracy=0.9, prevalence=0.2).precision(80), "80"),
    "nothing to trade": (hs.tradeoff, "accuracy=0.9"),
    "trade-off without prevalence": (lambda: hs.tradeoff(accuracy=0.9), "prevalence"),
    "trade-off without positives": (lambda: hs.tradeoff(accuracy=0.9, prevalence=0), "0"),
    "trade-off of a contradiction": (lambda: hs.tradeoff(f1=0.9, recall=0.4, prevalence=0.2), "0.9"),
    "trade-off of digits": (lambda: hs.tradeoff(accuracy="0.9", prevalence=0.2), "'0.9'"),
    "trade-off of a tally and a measure": (lambda: hs.tradeoff(T, accuracy=0.9), "accuracy"),
    "trade-off of a batch": (lambda: hs.tradeoff(binary(tp=[1, 2])), "batch"),
    "trade-off of a rate": (lambda: hs.tradeoff(RATE), "truths"),
    "trade-off of three classes": (lambda: hs.tradeoff(THREE), "versus_rest"),
    "trade-off without a positive class": (lambda: hs.tradeoff(TWO), "'spam'"),
    "trade-off of two systems": (lambda: hs.tradeoff(JOINT), "'a'"),
    "trade-off at a level of 95": (lambda: hs.tradeoff(T, level=95), "95"),
    "trade-off of a list": (lambda: hs.tradeoff([1, 2]), "list"),
    "prior of a posterior": (lambda: hs.tradeoff(hs.posterior(T), prior="uniform"), "prior"),
    "recall out of reach": (lambda: hs.tradeoff(accuracy=0.9, prevalence=0.2).precision(0.3), "0.3"),
    "precision out of reach": (lambda: hs.tradeoff(accuracy=0.9, prevalence=0.2).recall(0.3), "0.3"),
    "precision of every recall": (lambda: hs.tradeoff(accuracy=0.8, prevalence=0.2).recall(0.5), "0.5"),
    "change of nothing": (lambda: hs.tradeoff(accuracy=0.8, prevalence=0.2).change(0.5, precision=0.1), "1/2"),
    "recall 0 of tp = fp": (lambda: hs.tradeoff(accuracy=0.8, prevalence=0.2).precision(0), "0/0"),
    "recall 0 of a band": (lambda: hs.tradeoff(T).precision(0), "recall 0"),
    "recalls of a band at once": (lambda: hs.tradeoff(T).precision([0.8, 0.9]), "got 2"),
    "precisions of a band at once": (lambda: hs.tradeoff(T).recall([0.8, 0.9]), "got 2"),
    "no recalls": (lambda: hs.tradeoff(T, recalls=[]), "[]"),
    "recalls in rows": (lambda: hs.tradeoff(accuracy=0.9, prevalence=0.2, recalls=[[0.6], [0.7]]), "[[0.6], [0.7]]"),
    "prior of an exact curve": (lambda: hs.tradeoff(accuracy=0.9, prevalence=0.2, prior="uniform"), "prior"),
    "change that is no number": (
        lambda: hs.tradeoff(accuracy=0.9, prevalence=0.2).change(0.6, precision=float("nan")),
        "nan",
    ),
    "change in points": (lambda: hs.tradeoff(accuracy=0.9, prevalence=0.2).change(0.6, precision=10), "10"),
    "change of two recalls": (
        lambda: hs.tradeoff(accuracy=0.9, prevalence=0.2).change([0.6, 0.7], precision=0.1),
        "got 2",
    ),
    "change of the only recall": (lambda: hs.tradeoff(accuracy=1, prevalence=0.2).change(1, precision=-0.1), "1"),
    "no thresholds": (lambda: hs.relations.mixture([1], [0], thresholds=[]), "[]"),
    "endless threshold": (lambda: hs.relations.mixture([1], [0], thresholds=[float("inf")]), "inf"),
    "no scores but None": (lambda: hs.relations.mixture(None, [1]), "None"),
    "scores too large": (lambda: hs.relations.mixture([1e308], [-1e308]), "1e+150"),
    "law too wide": (lambda: hs.relations.uniform(-1e308, 1e308), "-1e+308"),
    "mean beyond all floats": (lambda: hs.relations.normal(10**400, 1), "1000"),
    "recall out of reach of a band": (lambda: hs.tradeoff(T).precision(0.01), "0.01"),
    "precision out of reach of a band": (lambda: hs.tradeoff(T).recall(0.1), "0.1"),
    "precision one half of a band": (lambda: hs.tradeoff(T).recall(0.5), "0.5"),
    # mixture
    "spread of 0": (lambda: hs.relations.normal(0, 0), "0"),
    "mean of text": (lambda: hs.relations.normal("a", 1), "'a'"),
    "uniform upside down": (lambda: hs.relations.uniform(1, 0), "1"),
    "blend of nothing": (hs.relations.mixed, "weight"),
    "blend without weights": (lambda: hs.relations.mixed(hs.relations.normal(0, 1)), "weight"),
    "no scores of a class": (lambda: hs.relations.mixture([], [1.0]), "positive"),
    "NaN score": (lambda: hs.relations.mixture([1.0], [NAN]), "negative"),
    "scores of text": (lambda: hs.relations.mixture("ab", [1.0]), "'ab'"),
    "mixture without prevalence": (lambda: hs.relations.mixture(hs.relations.normal(0, 1), [1.0]), "prevalence="),
    "percentage of positives": (lambda: hs.relations.mixture([1], [0], prevalence=20), "0.2"),
    "mixture of one class": (lambda: hs.relations.mixture([1], [0], prevalence=1), "two classes"),
    "answer of a mixture": (lambda: hs.relations.mixture([1], [0], answer="abov"), "'abov'"),
    "threshold of letters": (lambda: hs.relations.mixture([1], [0]).measure("f1", "a"), "'a'"),
    "NaN threshold": (lambda: hs.relations.mixture([1], [0]).measure("f1", NAN), "NaN"),
    "best prevalence": (lambda: hs.relations.mixture([1], [0]).best("prevalence"), "prevalence"),
    "best unknown measure": (lambda: hs.relations.mixture([1], [0]).best("f1x"), "'f1x'"),
    "rising scores": (lambda: hs.relations.mixture([1], [0]).rising_together(), "density"),
    "flat scores": (lambda: hs.relations.mixture([1], [0]).flat("accuracy"), "density"),
    "measure without a value": (lambda: hs.relations.mixture([1], [1]).best("phi"), "phi"),
    "check of no tally": (lambda: hs.relations.check([1, 2, 3, 4]), "list"),
    "check of many classes": (lambda: hs.relations.check(THREE), "2x2"),
    "division by nothing": (lambda: hs.Metric("x", tp / (fp - fp)), "tp / (fp - fp)"),
    # rankings
    "unknown measure of rankings": (lambda: trec(metrics=["nDGC@10"]), "'nDGC@10'"),
    "measure without its cut-off": (lambda: trec(metrics=["P"]), "P@10"),
    "cut-off of 0": (lambda: trec(metrics=["P@0"]), "'P@0'"),
    "recall of 2": (lambda: trec(metrics=["IPrec@2"]), "'IPrec@2'"),
    "cut-off where there is none": (lambda: trec(metrics=["Rprec@5"]), "'Rprec@5'"),
    "grade of relevance": (lambda: trec(metrics=["P(rel=0)@5"]), "P(rel=0)@5"),
    "rule of eleven points of a run": (lambda: trec(metrics=["AP11(rule='floor')"]), "floor"),
    "pooled AP": (lambda: trec(metrics=["micro-AP"]), "'micro-AP'"),
    "pooled and drawn": (lambda: trec(metrics=["micro-SetP"], unjudged="rate"), "micro-SetP"),
    "no measures": (lambda: trec(metrics=[]), "metrics="),
    "rule for ties": (lambda: trec(ties="float16"), "'float16'"),
    "queries without relevant documents": (lambda: trec(no_relevant="zeros"), "'zeros'"),
    "parameter that nobody has": (lambda: trec(metrics=["AP(foo=1)"]), "'foo'"),
    "parameter that ir-measures refuses": (lambda: trec(metrics=["Compat(p=2.0)"]), "2.0"),
    "number of queries": (lambda: trec(metrics=["NumQ"]), "NumQ"),
    "grade beyond ERR": (lambda: trec(qrels={"q1": {"d1": 5}, "q2": {"d3": 1}}, metrics=["ERR@5"]), "5"),
    "view of unjudged": (lambda: trec(unjudged="bound"), "'bound'"),
    "no runs": (lambda: trec(runs={}), "{'bm25': run"),
    "run of numbers": (lambda: trec(runs={"a": 5}), "int"),
    "NaN score of a run": (lambda: trec(runs={"a": {"q1": {"d1": NAN}}}), "'d1'"),
    "infinite score": (lambda: trec(runs={"a": {"q1": {"d1": 1.0}, "q2": {"d7": INF}}}), "'d7'"),
    "text for a score": (lambda: trec(runs={"a": {"q1": {"d1": "high"}}}), "'high'"),
    "other queries": (lambda: trec(runs={"a": {"x": {"d1": 1.0}}}), "'q1'"),
    "no common query": (
        lambda: trec(runs={"a": {"q1": {"d1": 1.0}}, "b": {"q2": {"d1": 1.0}}}, only_common=True),
        "'a', 'b'",
    ),
    "one query": (lambda: trec(qrels={"q1": {"d1": 1}}), "two or more queries"),
    "fractional grade": (lambda: trec(qrels={"q1": {"d1": 0.5}}), "0.5"),
    "no judgments": (lambda: trec(qrels={}), "qrels"),
    "judgments of text": (lambda: trec(qrels=FRAME), "query_id"),
    "document twice in a frame": (
        lambda: trec(runs={"a": pd.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d1"], "score": [1.0, 2.0]})}),
        "'d1'",
    ),
    "grade that nobody gave": (lambda: trec(metrics=["P(rel=3)@5"]), "P(rel=3)@5"),
    "no relevant documents": (lambda: trec(qrels={"q1": {"d1": 0}, "q2": {"d1": 0}}), "relevant"),
    "huge grade": (lambda: trec(qrels={"q1": {"d1": 10**30}}), "2,147,483,647"),
    "huge whole number for a score": (lambda: trec(runs={"a": {"q1": {"d1": 10**309}}}), "'d1'"),
    "run without a query": (
        lambda: trec(runs={"a": pd.DataFrame({"qid": ["q1", None], "docno": ["d1", "d2"], "score": [1.0, 2.0]})}),
        "qid in row 2",
    ),
    "ids that are the same": (lambda: trec(qrels={1: {"d1": 1}, "1": {"d1": 1}}), "'1'"),
    "runs without names": (lambda: trec(runs=[{"q1": {"d1": 1.0}}, {"q1": {"d1": 1.0}}]), "'bm25'"),
    "run twice": (lambda: trec(runs=["examples/wine-full.run"] * 2), "'examples/wine-full.run'"),
    "negative seed of gradings": (lambda: trec(seed=-1), "-1"),
    "run of a long name": (lambda: trec(runs=["x" * 5000]), "too long"),
    "run of an impossible name": (lambda: trec(runs=["a\0b"]), "null"),
    "missing measure of items": (lambda: trec().only("R@5"), "'R@5'"),
    "missing run file": (lambda: trec(runs=["no/such.run"]), "no/such.run"),
}
COMMANDS = {
    "gate without a requirement": (["gate", "--counts", "1,2,3,4"], "--require"),
    "requirement that cannot be read": (["gate", "--counts", "1,2,3,4", "--require", "f1 >> 0.8"], "f1 >> 0.8"),
    "options of a gate that are not there": (["gate", "--config", "no/such.toml"], "'no/such.toml'"),
    "baseline without a file": (
        ["gate", "--counts", "1,2,3,4", "--baseline", "x", "--require", "f1 not worse"],
        "--baseline",
    ),
    "baseline for nothing": (["gate", "--counts", "1,2,3,4", "--baseline", "x", "--require", "f1 > .5"], "--baseline"),
    "curve of slices": (["curve", "x.csv", "--by", "site"], "--where"),
    "curve of a prevalence": (["curve", "x.csv", "--prevalence", "0.1"], "--threshold 0.5 --prevalence 0.1"),
    "curve at a threshold": (["curve", "x.csv", "--threshold", "0.1"], "--metric f1@0.5"),
    "curve above a limit": (["curve", "x.csv", "--above", "0.1"], "--above 0.8"),
    "leaderboard of slices": (["leaderboard", "x.csv", "--by", "site"], "--where"),
    "gate of slices": (["gate", "x.csv", "--by", "site"], "in region=north"),
    "gate above a limit": (["gate", "x.csv", "--above", "0.8"], "f1 > 0.8"),
    "gate of a measure": (["gate", "x.csv", "--metric", "f1"], "f1 > 0.8"),
    "plan of slices": (["plan", "x.csv", "--by", "site"], "--where"),
    "plan of a prevalence": (["plan", "--prevalence", "0.1"], "--expected"),
    "no source": (["score"], "nothing"),
    "two sources": (["score", "--counts", "1,2,3,4", "--rate", "1/2"], "--rate"),
    "three counts": (["score", "--counts", "1,2,3"], "'1,2,3'"),
    "unknown cell": (["score", "--counts", "tp=1,zz=2,fn=3,tn=4"], "'zz=2'"),
    "cell twice": (["score", "--counts", "tp=1,tp=2,fn=3,tn=4"], "tp twice"),
    "cell left out": (["score", "--counts", "tp=1,fp=2,fn=3"], "tn"),
    "word for a count": (["score", "--counts", "x,2,3,4"], "'x'"),
    "fraction for a count": (["score", "--counts", "1.5,2,3,4"], "'1.5'"),
    "negative count": (["score", "--counts", "1,2,3,-4"], "-4"),
    "rate without trials": (["score", "--rate", "47"], "'47'"),
    "more hits than trials": (["score", "--rate", "50/47"], "50"),
    "unknown metric": (["score", "--counts", "1,2,3,4", "--metric", "recal"], "'recal'"),
    "unknown prior": (["score", "--counts", "1,2,3,4", "--prior", "uniformly"], "'uniformly'"),
    "limit of text": (["score", "--counts", "1,2,3,4", "--above", "f1=x"], "'f1=x'"),
    "limit out of range": (["score", "--counts", "1,2,3,4", "--metric", "f1", "--above", "2"], "--above 2."),
    "named limit out of range": (["score", "--counts", "1,2,3,4", "--metric", "f1", "--above", "f1=80"], "0.8?"),
    "limit out of the range of one": (
        ["score", "--counts", "1,2,3,4", "--metric", "f1", "--metric", "lr-plus", "--above", "2"],
        "--above lr-plus=2",
    ),
    "limit of what comes next": (["forecast", "--rate", "4/5", "--n", "9", "--below", "7"], "--below 7"),
    "two plain limits": (["score", "--counts", "1,2,3,4", "--above", ".5", "--above", ".6"], "--above"),
    "percentage to solve": (["solve", "precision=75"], "75%"),
    "name without a value": (["solve", "precision"], "'precision'"),
    "surface without a third": (["surface", "--z", "phi"], "fallout=0.01"),
    "number of values of a surface": (["surface", "fallout=.1", "--x-values", "0:1:1000000000"], "'0:1:1000000000'"),
    "size of a given grid": (
        ["surface", "fallout=.1", "--x-values", ".1", "--y-values", ".2", "--size", "5"],
        "--size",
    ),
    "settings of an exact curve": (
        ["tradeoff", "accuracy=.9", "prevalence=.2", "--level", ".9", "--seed", "0"],
        "--level and --seed",
    ),
    "setting of an exact curve": (["tradeoff", "accuracy=.9", "prevalence=.2", "--level", ".9"], "--level needs"),
    "values of a surface": (["surface", "fallout=.1", "--x-values", "0:1"], "'0:1'"),
    "break-even with x": (["surface", "--break-even", "--x", "bias"], "--x bias"),
    "percentage to trade": (["tradeoff", "accuracy=90", "prevalence=.2"], "0.9"),
    "name without a value to trade": (["tradeoff", "accuracy"], "'accuracy'"),
    "counts and measures to trade": (["tradeoff", "--counts", "1,2,3,4", "accuracy=.3"], "accuracy=.3"),
    "word for a recall to trade": (["tradeoff", "accuracy=.9", "prevalence=.2", "--recall", "high"], "'high'"),
    "missing file": (["score", "--matrix", "no/such.csv"], "no/such.csv"),
    "suffix of no format": (["score", "--counts", "1,2,3,4", "--out", "out.xyz"], "'out.xyz'"),
    "suffix of columns": (["compare", "--wins", "1,2,3", "--out", "out.parquet"], "'out.parquet'"),
    "suffix of a listing": (["metrics", "--out", "out.tex"], "'out.tex'"),
    "columns without a file": (["score", "--counts", "1,2,3,4", "--format", "parquet"], "--out"),
    "folder to write to": (["score", "--counts", "1,2,3,4", "--out", "no/such/out.md"], "'no/such/out.md'"),
    "missing qrels": (["trec", "no/such.qrels", "examples/wine-full.run"], "no/such.qrels"),
    "judgments for a run": (["trec", "examples/wine.qrels", "examples/wine.qrels"], "line 1"),
    "run for judgments": (["trec", "examples/wine-full.run", "examples/wine.qrels"], "line 1"),
    "run named twice": (
        [
            "trec",
            "examples/wine.qrels",
            "examples/wine-full.run",
            "examples/wine-color.run",
            "--name",
            "a",
            "--name",
            "a",
        ],
        "'a', 'a'",
    ),
    "one run twice": (["trec", "examples/wine.qrels", *["examples/wine-full.run"] * 2], "wine-full"),
    "unknown run to compare": (
        ["trec", "examples/wine.qrels", "examples/wine-full.run", "examples/wine-color.run", "--compare", "full", "x"],
        "'full'",
    ),
    "names of runs": (
        ["trec", "examples/wine.qrels", "examples/wine-full.run", "--name", "a", "--name", "b"],
        "--name",
    ),
}
TRACE = ("Traceback", "NoneType", "object has no", "ufunc", "dtype", "argument of type", "not subscriptable", "\n")


def complaint(call) -> str:
    with pytest.raises(HowsureError) as error:
        call()
    return _in_one_line(str(error.value))


def _in_one_line(text: str) -> str:
    """A list below a sentence is kept behind it."""
    return text.replace("\n  ", " | ").replace("\nGive", " | Give").replace("\nType", " | Type")


def line(capsys, arguments: list[str]) -> str:
    assert app.run(arguments) == 2
    return _in_one_line(capsys.readouterr().err.removesuffix("\n"))


def kept() -> dict[str, str]:
    pairs = (text.partition(": ") for text in KEPT.read_text(encoding="utf-8").splitlines())
    return {name: message for name, _, message in pairs}


@pytest.fixture(scope="module", autouse=True)
def renew():
    """Write the file anew when asked to."""
    if os.environ.get(RENEW):
        lines = [f"{name}: {complaint(call)}" for name, (call, _) in CASES.items()]
        for name, (arguments, _) in COMMANDS.items():
            with contextlib.redirect_stderr(io.StringIO()) as err:
                app.run(arguments)
            lines.append(f"command, {name}: {_in_one_line(err.getvalue().strip())}")
        held(KEPT, "\n".join(lines) + "\n")


@pytest.mark.parametrize("name", CASES)
def test_message(name):
    """The message is the one that is kept, names the offender, and reads as a sentence."""
    call, offender = CASES[name]
    message = complaint(call)
    assert message == kept()[name]
    check(message, offender)


@pytest.mark.parametrize("name", COMMANDS)
def test_message_of_the_command(name, capsys):
    """Standard error holds the one line that is kept."""
    arguments, offender = COMMANDS[name]
    message = line(capsys, arguments)
    assert message == kept()[f"command, {name}"]
    check(message, offender)


def check(message: str, offender: str) -> None:
    assert offender in message
    assert not any(word in message for word in TRACE)
    assert message.endswith((".", "?", "howsure metrics"))
    assert len(message.partition(" | ")[0]) <= 200


def test_no_message_is_kept_in_vain():
    """Every line of the file belongs to a case."""
    assert set(kept()) == set(CASES) | {f"command, {name}" for name in COMMANDS}


def test_python_speaks_of_keywords_and_the_command_of_options():
    """No --option in a message of Python, and no keyword= of a column in one of the command."""
    keyword = re.compile(rf"\b({'|'.join(NAMES)}|metrics|prior|seed|kind)=(?!number|value)")
    for name, message in kept().items():
        if name.startswith("command, "):
            assert not keyword.search(message), message
        else:
            assert not re.search(r"(^|\s)--[a-z]", message), message


def test_a_question_has_no_full_stop(capsys):
    """A hint at the end keeps its question mark alone."""
    assert not line(capsys, ["score", "--counts", "1,2,3,4", "--level", "2"]).endswith("?.")


RAW = {
    "no tables in a batch": lambda: hs.score(hs.Tally.binary(tp=[], fp=1, fn=1, tn=1), metrics="f1").to_dict(),
    "complex weights": lambda: hs.tally([0, 1], [0, 1], weight=np.array([1 + 2j, 1])),
    "mapping for truths": lambda: hs.tally({0: 1}, [1]),
    "set for truths": lambda: hs.tally({0, 1}, [0, 1]),
    "update with a number": lambda: hs.posterior(T).update(5),
    "no joint draws": lambda: hs.posterior(T).draws(0),
    "fraction of a joint draw": lambda: hs.posterior(T).draws(2.5),
    "negative seed of joint draws": lambda: hs.posterior(T).draws(2, seed=-1),
    "huge limit": lambda: hs.score(T, metrics="f1", above=10**400),
    "huge prior": lambda: hs.posterior(T, 1e308)["f1"],
    "huge weights of a utility": lambda: hs.score(T, metrics="utility(1e300,1e-300,0,0)"),
    "nameless metric": lambda: hs.Metric("", tp / (tp + fp)),
    "number for the name of a metric": lambda: hs.Metric(5, tp / (tp + fp)),
}


@pytest.mark.parametrize("name", RAW)
def test_bad_input_is_never_an_error_of_another_library(name):
    """Bad input raises an error of howsure's own family (move a mended case to CASES)."""
    complaint(RAW[name])
