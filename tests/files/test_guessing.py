"""Columns that nobody named are taken by their usual names, and the result says so; what is not clear is asked."""

from __future__ import annotations

import pytest

from howsure.ingest.guessing import USUAL, guess, usual_id


@pytest.mark.parametrize("role", USUAL)
def test_every_usual_name_is_found_whatever_its_case_and_signs_between(role) -> None:
    """y_true, Y_TRUE, y-true, Y True and ytrue are one name; a longer name is another one."""
    for name in USUAL[role]:
        for written in (name, name.upper(), name.replace("_", "-"), name.replace("_", " ").title(), f" {name}"):
            assert guess(["x", written, f"{name}_2"], role) == [written]


def test_no_usual_name_stands_for_two_roles() -> None:
    """Each tells its role."""
    names = [name for own in USUAL.values() for name in own]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ([["id", "pred"], ["pred", "id"]], "id"),
        ([["qid", "id"], ["id", "item"], ["id"]], "id"),  # only one is in all
        ([["ID"], ["ID"]], "ID"),
        ([["ID"], ["id"]], None),  # one name joins all files
        ([["id", "item"], ["id", "item"]], None),  # either could be meant
        ([["name"], ["name"]], None),
        ([["id"], []], None),
        ([], None),
    ],
)
def test_the_id_that_joins_files_is_the_one_that_all_have(files, found) -> None:
    """Only where it is clear."""
    assert usual_id(files) == found
