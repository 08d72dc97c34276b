"""JUnit XML of a gate, for continuous integration: a test case for each requirement; user text is escaped."""

from __future__ import annotations

from typing import Any, Final
from xml.etree import ElementTree as Xml

from howsure.messages.user_text import visible
from howsure.render.kinds import ResultDict
from howsure.render.tables import TextTable, text_table

_ELEMENTS: Final = {"fail": "failure", "inconclusive": "error"}  # an error too is no success: it needs more items
_SUITE: Final = "howsure gate"


def render(result: ResultDict) -> str:
    """One test suite, whose cases fail where their requirement does, and are errors where that is inconclusive."""
    shown, rows = text_table(result), result["rows"]
    states = [row["status"] for row in rows]
    root = Xml.Element("testsuites")
    own = Xml.SubElement(root, "testsuite", name=_SUITE, tests=str(len(rows)), failures=str(states.count("fail")),
                         errors=str(states.count("inconclusive")), skipped="0", time="0")  # fmt: skip
    for k, row in enumerate(rows):
        name = visible(row["requirement"])
        case = Xml.SubElement(own, "testcase", classname=_SUITE.replace(" ", "."), name=name, time="0")
        said = _said(row, shown, k)
        if row["status"] in _ELEMENTS:
            no = Xml.SubElement(case, _ELEMENTS[row["status"]], type=row["status"], message=said)
            no.text = said  # some readers show the attribute, others the text
        else:
            Xml.SubElement(case, "system-out").text = said
    Xml.SubElement(own, "system-out").text = "\n".join(
        [shown.headline, *([shown.about] if shown.about else []), *(f"- {note}" for note in shown.notes)]
    )
    Xml.indent(root)
    plain = Xml.tostring(root, encoding="us-ascii").decode("ascii")  # right in any encoding
    return f'<?xml version="1.0" encoding="utf-8"?>\n{plain}\n'


def _said(row: dict[str, Any], shown: TextTable, k: int) -> str:
    """What a row of the table says, in words."""
    keys = [c.key for c in shown.columns]
    cells, heads = (dict(zip(keys, texts, strict=True)) for texts in (shown.rows[k], shown.titles))
    difference = " of the difference" if row["margin"] is not None else ""
    more = f"; {cells['more']} {heads['more']} would likely settle it" if cells.get("more") else ""
    return (
        f"P(it holds) = {cells['probability']}, {row['p']:g} is needed; score{difference} {cells['measured']}, "
        f"{heads['ends']} {cells['ends']}{more}"
    )
