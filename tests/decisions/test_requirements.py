"""The words of a gate: what is read, how it is written back, and where reading stops."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import BadSetting
from howsure.verbs.requirements import Requirement, requirement, requirements
from tests.tiers import examples

READ = {
    "f1 > 0.80 with 0.95": Requirement("f1", ">", 0.8),
    "f1>.8": Requirement("f1", ">", 0.8),
    "recall:fraud > 0.9 with 0.9": Requirement("recall:fraud", ">", 0.9, (), 0.9),
    "error-rate < 5% with 99%": Requirement("error-rate", "<", 0.05, (), 0.99),
    "phi >= -0.5": Requirement("phi", ">=", -0.5),
    "mean <= 1e3": Requirement("mean", "<=", 1000.0),
    "f1 not worse": Requirement("f1", "not worse", 0.0),
    "f1 not worse by 0.01 with 0.9": Requirement("f1", "not worse", 0.01, (), 0.9),
    "f1 not  worse by 1 % in region=north": Requirement("f1", "not worse", 0.01, (("region", "north"),)),
    "precision@recall=0.9 > .8": Requirement("precision@recall=0.9", ">", 0.8),
    # labels with blanks, signs and the words of the grammar
    "recall:not worse > .9": Requirement("recall:not worse", ">", 0.9),
    'recall:"not worse" not worse': Requirement("recall:not worse", "not worse", 0.0),
    "recall:go with 5 > 80%": Requirement("recall:go with 5", ">", 0.8),
    "recall:a > 0.5 > 0.9": Requirement("recall:a > 0.5", ">", 0.9),
    "recall:x in a=b > .9": Requirement("recall:x in a=b", ">", 0.9),
    "recall:don't know > .9": Requirement("recall:don't know", ">", 0.9),
    "recall:a:b > .9": Requirement("recall:a:b", ">", 0.9),
    """recall:"say ""hi\""" > .9""": Requirement('recall:say "hi"', ">", 0.9),
    "recall:'x \"y\"' > .9": Requirement('recall:x "y"', ">", 0.9),
    # slices
    "f1 > .8 in region=north west with .9": Requirement("f1", ">", 0.8, (("region", "north west"),), 0.9),
    'f1 > .8 in region="stay with 0.9"': Requirement("f1", ">", 0.8, (("region", "stay with 0.9"),)),
    "f1 > .8 in region=north, year = 2024": Requirement("f1", ">", 0.8, (("region", "north"), ("year", "2024"))),
    "f1 > .8 in city=Washington, DC": Requirement("f1", ">", 0.8, (("city", "Washington, DC"),)),
    'f1 > .8 in a="x, b=y", c=z': Requirement("f1", ">", 0.8, (("a", "x, b=y"), ("c", "z"))),
    "f1 > .8 in size=x > 5": Requirement("f1", ">", 0.8, (("size", "x > 5"),)),
    "f1 > .8 in my group=a in b": Requirement("f1", ">", 0.8, (("my group", "a in b"),)),
}


@pytest.mark.parametrize("text", READ)
def test_requirements_are_read(text):
    """From the right: the probability, the slice, the limit; the rest is the measure."""
    assert requirement(text) == READ[text]


@pytest.mark.parametrize("text", READ)
def test_a_requirement_is_written_such_that_it_is_read_again(text):
    """The usual text of what was read says the same."""
    assert requirement(str(READ[text])) == READ[text]


TEXTS = st.text("aZé日 _\t\n\"'=,:<>%.0*\\{", min_size=1, max_size=12).map(str.strip)
WORDS = st.sampled_from(["in", "with", "not", "worse", "by", ">", "<=", "=", "0.9", "a=b", '"', "'", ",", ":", "x"])
LABELS = st.one_of(TEXTS, st.lists(WORDS, min_size=1, max_size=6).map(" ".join)).filter(bool)
COLUMNS = st.from_regex(r"[a-z]{1,5}", fullmatch=True)
ASKED = st.builds(
    Requirement,
    st.one_of(st.just("f1"), LABELS.map("recall:{}".format)),
    st.sampled_from([">", ">=", "<", "<=", "not worse"]),
    st.floats(0, 1e6),
    st.dictionaries(COLUMNS, LABELS, max_size=2).map(lambda x: tuple(x.items())),
    st.floats(0.5, 1, exclude_min=True, exclude_max=True),
)


@examples(60, 3000)
@given(ASKED)
def test_any_label_and_value_can_be_written(asked):
    """Whatever a label holds, there is a text of the requirement, and it is read as it was meant."""
    assert requirement(str(asked)) == asked


STOPS = {
    "f1 > eighty with 0.95": ("eighty", "a number"),
    "f1 > 0.8 with high": ("high", "a probability"),
    "f1 > 0.8 in north": ("north", "a column and its value"),
    "f1 > 0.8 in north with 0.9": ("north", "a column and its value"),
    "f1 not worse than old": ("than", "'by' and a number"),
    "f1 not worse by much": ("much", "a number"),
    "f1 > .8 please": ("please", "or the end"),
    "f1 = .8": ("= .8", "> or < and a number"),
    "f1 => .8": ("=>", "one of > >= < <="),
    "recall over 0.3": ("over", "> or < and a number"),
    "recall over 0.3 in site=A with 0.9": ("over", "> or < and a number"),
    "recall 0.3": ("0.3", "> or < and a number"),
    "f1:Angry Bird over 30%": ("over", "> or < and a number"),
    "f1 in site=A": (" in site", "> or < and a number"),
    "> .8": ("> .8", "the name of a measure"),
    "not worse by .1": ("not", "the name of a measure"),
}


@pytest.mark.parametrize("text", STOPS)
def test_the_place_where_reading_stopped_is_marked(text):
    """One sentence says what should be there, a mark stands below it, and the grammar follows."""
    rest, needed = STOPS[text]
    with pytest.raises(BadSetting) as caught:
        requirement(text)
    said, shown, mark, *grammar = str(caught.value).splitlines()
    assert needed in said
    assert shown == f"  {text}"
    assert text[mark.index("^") - 2 :].startswith(rest)
    assert any("metric not worse [by number]" in line for line in grammar)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f1 > 0.8 with 0.5", "above 0.5 and below 1; got 0.5"),
        ("f1 > 0.8 with 1", "below 1; got 1"),
        ("f1 > 0.8 with 95", "Did you mean 95%?"),
        ("f1 not worse by -0.1", "margin must be 0 or more; got -0.1"),
        ("f1 > 1e999", "limit must be finite; got 1e999"),
        ("f1 > 0.8 in a=x, a=y", "one value of 'a'"),
        ("  ", "is empty"),
        ("x" * 3000, "2,000 characters"),
        (0.8, "got 0.8"),
    ],
)
def test_what_is_out_of_range_is_refused(text, said):
    """Probabilities, margins and limits outside their range, and what is no text."""
    with pytest.raises(BadSetting, match=re.escape(said)):
        requirement(text)


def test_blanks_do_not_take_time():
    """A long text of blanks, or of the same word, is refused at once."""
    long = ("f1" + " " * 1900 + "x", "in " * 600, "with " * 390, "f1 >" + " >" * 900, "a=" * 900, "not worse x " * 160)
    for text in long:
        with pytest.raises(BadSetting):
            requirement(text)


def test_none_twice_and_at_least_one():
    """A requirement that is given twice, in whatever spelling, and none at all are refused."""
    assert requirements("f1 > .8") == (Requirement("f1", ">", 0.8),)
    with pytest.raises(BadSetting, match="twice"):
        requirements(["f1 > .8", "f1>0.80 with 95%"])
    with pytest.raises(BadSetting, match="at least one"):
        requirements([])
    with pytest.raises(BadSetting, match="got 3"):
        requirements(3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("f1 > 0.8 and recall > 0.9", "write one for each"),
        ("0.7 < f1 < 0.9", "write one for each"),
        ("f1 > 0.8, recall > 0.9", "write one for each"),
        ("f1 > 0.5 with 0.95 in region=north", "stands before 'with'"),
    ],
)
def test_what_is_nearly_right_is_told_how(text, told):
    """Two in one text, and clauses in another order."""
    with pytest.raises(BadSetting, match=told):
        requirement(text)


def test_signs_and_words_as_people_write_them():
    """One sign for two, and capitals."""
    assert requirement("f1 ≥ 0.8") == requirement("f1 >= 0.8")
    assert requirement("error-rate ≤ 5%") == requirement("error-rate <= 0.05")
    assert requirement("f1 Not Worse BY 0.01 IN a=b WITH .9") == requirement("f1 not worse by 0.01 in a=b with 0.9")
