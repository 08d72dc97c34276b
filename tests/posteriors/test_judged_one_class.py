"""Judges whose validated items have one human label only, or one verdict only."""

from __future__ import annotations

import pytest

import howsure as hs


@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize("human", [0, 1])
def test_validated_labels_that_all_agree(human, external):
    """A wide interval on their side, a warning of what is not known, and no interval of width 0."""
    verdicts = [1] * 30 + [0] * 20
    for judge in ([human] * 10, [human] * 5 + [1 - human] * 5):
        report = hs.score(hs.correct_judge(verdicts, ([human] * 10, judge), external=external), interval="equal-tailed")
        document = report.to_dict()
        assert 0 < document["rows"][0]["low"] < document["rows"][0]["high"] < 1
        said = next(n for n in document["notes"] if n["code"] == "judge-one-class")
        assert said["level"] == "warning"
        assert ("specificity" if human else "recall") in said["text"]
        assert document["judge"][0]["ppi"] is None
    mean = report["rate"].mean
    assert external or (mean > 0.7 if human else mean < 0.3)


def test_verdicts_that_all_agree_on_the_validated_items():
    """Known, but of no help: the human labels tell."""
    found = hs.correct_judge([1] * 30 + [0] * 20, ([1, 0] * 6, [1] * 12))["rate"]
    assert 0.1 < found.interval().low < 0.5 < found.interval().high < 0.9
