"""Measured coverage that notes quote: read from one packaged file, when first asked."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from howsure.errors import UnknownName
from howsure.messages import coverage

DOCUMENT = json.loads(files("howsure").joinpath("data", "coverage.json").read_text(encoding="utf-8"))
KINDS = [(study, why) for study, part in DOCUMENT["studies"].items() for why in part["summary"]]


def test_the_file_says_what_it_is():
    """The packaged file is a JSON document of this schema, about 95% intervals, with the three studies."""
    assert DOCUMENT["schema"] == "howsure.messages.coverage/1"
    assert DOCUMENT["level"] == 0.95
    assert {"classes", "scores", "queries"} <= set(DOCUMENT["studies"])


@pytest.mark.parametrize(("study", "why"), KINDS)
def test_every_range_is_quoted_in_percent(study, why):
    """Each range of a summary comes out as whole percents that lie at most one below it, with its reason."""
    kind = DOCUMENT["studies"][study]["summary"][why]
    assert kind["held"]
    for measure, x in kind["held"].items():
        low, high = coverage.held(study, why, measure)
        assert (type(low), type(high)) == (int, int)
        assert 0 <= 100 * x["lowest"] - low < 1
        assert 0 <= 100 * x["highest"] - high < 1
        assert 0 <= low <= high <= 100
    assert coverage.reason(study, why) == kind["reason"]


def test_percents_are_rounded_down_from_thousandths(monkeypatch):
    """29% is not shown as 28 because 0.29 has no exact double; .999 is not shown as 100."""
    shown = {0.0: 0, 0.017: 1, 0.29: 29, 0.57: 57, 0.58: 58, 0.999: 99, 1.0: 100}
    kinds = {f"{x}": {"reason": "", "held": {"f1": {"lowest": x, "highest": 1.0, "cases": 1}}} for x in shown}
    monkeypatch.setattr(coverage, "_studies", lambda: {"made up": {"summary": kinds}})
    assert {x: coverage.held("made up", f"{x}", "f1") for x in shown} == {x: (y, 100) for x, y in shown.items()}


def test_a_measure_that_is_not_warned_of_has_no_range():
    """Macro-recall held in every case, so that no reason for a warning has a range of it."""
    assert all(coverage.held("classes", why, "macro-recall") is None for why in ("many", "rare", "never"))
    assert coverage.held("classes", "never", "macro-f1") is None
    assert coverage.held("classes", "rare", "macro-f1") is not None


def test_weighted_averages_have_a_range_of_their_own():
    """They are warned of from 100 classes on, so that fewer cases stand behind their range than behind the others."""
    held = DOCUMENT["studies"]["classes"]["summary"]["many"]["held"]
    assert held["weighted-f1"]["cases"] < held["macro-precision"]["cases"]


def test_unknown_names_are_told():
    """A study or a kind of tests that is not there is a clear error, never a silent None."""
    with pytest.raises(UnknownName, match=r"no study is named 'class'; there are 'classes', .* Did you mean 'classes'"):
        coverage.held("class", "many", "macro-f1")
    with pytest.raises(UnknownName, match=r"no kind of tests in the study classes is named 'manny'; .*'many'\?"):
        coverage.reason("classes", "manny")
