"""The words of notes and refusals: one is singular, several are plural, and what is zero is not told."""

from __future__ import annotations

import re
from string import Formatter

import pytest

import howsure as hs
from howsure.errors import BadLabels
from howsure.messages.notes import note
from howsure.messages.templates import SENTENCES, filled

_ONE_OF_MANY = re.compile(
    r"\b1 (?:missing |judged )?(?:rows|ids|items|values|bins|clusters|strata|points|queries|truths|outcomes)\b"
    r"|\b1 \w+ (?:are|were|have|occur)\b"
)


@pytest.mark.parametrize("code", SENTENCES)
def test_a_count_of_one_is_singular(code):
    """Every fact that is written as a number, as 1."""
    fields = [(name, form, conversion) for _, name, form, conversion in Formatter().parse(SENTENCES[code]) if name]
    numbers = {name for name, form, _ in fields if form}
    text = filled(SENTENCES[code], {name: 1 if name in numbers else "x" for name, _, _ in fields})
    assert not _ONE_OF_MANY.search(text), text
    several = filled(SENTENCES[code], {name: 2000 if name in numbers else "x" for name, _, _ in fields})
    assert not re.search(r"2,000 (?:row|id|item|value|bin|cluster|stratum|point|outcome)\b", several), several


def test_what_is_not_missing_is_not_told():
    """In the refusal and in the note."""
    with pytest.raises(BadLabels, match=r"^there is 1 missing prediction\. Give"):
        hs.tally([0, 1, 1], [0, 1, None])
    with pytest.raises(BadLabels, match=r"^there are 2 missing truths\. Give"):
        hs.tally([None, None, 1], [0, 1, 1])
    with pytest.raises(BadLabels, match=r"^there are missing labels of weight 0\. Give"):
        hs.tally([0, 1, None], [0, 1, 1], weight=[1, 2, 0])
    said = [n.text for n in hs.tally([0, 1, 1], [0, 1, None], missing="drop").notes]
    assert "1 missing prediction was left out" in said
    assert note("missing-dropped", form="label", truths=1, predictions=2).text == (
        "1 missing truth and 2 missing predictions were left out"
    )


def test_labels_that_are_numbers_stay_as_they_are_in_a_sentence():
    """A fact that is a number is no count where the template does not say so."""
    assert note("similar-labels", first=1, second="1").text.startswith("labels 1 and '1' differ")


def test_labels_that_look_like_lists_of_labels_are_noted():
    """Where a part is a class of its own, the way to split them is told; a label with a semicolon alone is none."""
    found = [n.text for n in hs.tally(["a;b", "b", "c"], ["a", "b", "c"]).notes if n.code == "joined-labels"]
    told = "if items have several labels, name what is between them with sep="
    assert found == [f"label 'a;b' counts as one class, though 'a' is a class too; {told}"]
    assert not [n for n in hs.tally(["a;b", "x|y", "c"], ["c", "c", "c"]).notes if n.code == "joined-labels"]


def test_a_label_that_usually_says_missing_is_noted():
    """It is a class beside others, and the reader is told."""
    found = [n.text for n in hs.tally(["1", "NA", "0"], ["1", "NA", "0"]).notes if n.code == "word-for-missing"]
    assert found == ["label 'NA' counts as a class; if it means that none was given, leave the field empty"]
    assert not [n for n in hs.tally(["a", "b"], ["a", "b"]).notes if n.code == "word-for-missing"]
