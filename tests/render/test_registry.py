"""One registry of formats: names, suffixes and methods all come from it."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import click
import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import app
from howsure.errors import BadSetting, UnknownName
from howsure.render.formats import FORMATS, TEXTS, Format, by_suffix, fitting, named, render
from howsure.results.result import Result

REPORT = hs.score(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), metrics=["f1"])
BAND = hs.curve(np.arange(60) % 3 == 0, np.arange(60.0)).band("recall")
each = pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
text = pytest.mark.parametrize("form", TEXTS, ids=lambda form: form.name)


def test_names_and_suffixes_are_used_once():
    """No two formats share a name or a suffix, and suffixes are spelled as they are looked up."""
    names = [form.name for form in FORMATS]
    suffixes = [suffix for form in FORMATS for suffix in form.suffixes]
    assert len(set(names)) == len(names)
    assert len(set(suffixes)) == len(suffixes)
    assert all(form.suffixes for form in FORMATS)
    assert all(suffix == suffix.lower() and suffix.rindex(".") == 0 for suffix in suffixes)


@each
def test_a_format_is_a_text_or_a_file(form):
    """Each has one maker, and is found by its name and by each of its suffixes, in either case."""
    assert hasattr(form.renderer, "write" if form.columns else "render")
    assert named(form.name) is form
    for suffix in form.suffixes:
        assert by_suffix(f"a.b{suffix}") is form
        assert by_suffix(f"a.b{suffix.upper()}") is form


@text
def test_every_text_has_its_method(form):
    """Results have to_NAME for every format that is text; the table is what str gives, since to_table is of columns."""
    shown = str(REPORT) if form.name == "table" else getattr(REPORT, f"to_{form.name}")()
    made = REPORT._repr_html_() if form.name == "html" else shown  # the report is more than its table
    assert shown == REPORT.to_text(form.name)
    assert made == render(REPORT.to_dict(), form.name)
    assert form.name == "table" or getattr(Result, f"to_{form.name}").__doc__


@text
def test_people_get_the_page_and_programs_the_document(form):
    """A band of 60 points shows people 20 of them, in every format that is for them, and programs all."""
    assert len(BAND.page()["rows"]) == 20
    assert len(BAND.to_dict()["rows"]) == 60
    shown = BAND._repr_html_() if form.name == "html" else BAND.to_text(form.name)
    assert shown == render(BAND.page() if form.for_people else BAND.to_dict(), form.name)
    if form.name != "methods":  # a paragraph has no rows
        assert shown != render(BAND.to_dict() if form.for_people else BAND.page(), form.name)


def test_the_page_is_the_document_where_that_is_short():
    """A result that is not long has one document for all."""
    assert REPORT.page() == REPORT.to_dict()
    assert hs.compare_wins(17, 4, 3278).page() == hs.compare_wins(17, 4, 3278).to_dict()


def test_texts_are_what_every_result_can_be_written_as():
    """A file of columns, and the format of a gate, are not for every result."""
    assert [form.name for form in FORMATS if form not in TEXTS] == ["parquet", "junit"]


WITHOUT_DOCUMENTS = ("completion", "serve")
SPEAKING = [command for name, command in app.commands.items() if name not in WITHOUT_DOCUMENTS]


@pytest.mark.parametrize("command", SPEAKING, ids=lambda command: command.name)
def test_choices_of_the_command_are_in_the_registry(command: click.Command):
    """--format offers formats of the registry in their order: what is text, and those of the command's documents."""
    (option,) = [x for x in command.params if x.name == "kind"]
    offered = tuple(option.type.choices)
    if command.name in ("metrics", "papers"):
        assert offered == ("table", "json", "markdown", *(["html"] if command.name == "papers" else []))
    else:
        assert offered == tuple(f.name for f in fitting(command.name, columns=command.name == "score"))
        assert set(offered) - {f.name for f in TEXTS} == {"score": {"parquet"}, "gate": {"junit"}}.get(
            command.name, set()
        )
    assert any(x.name == "out" for x in command.params)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("out.xyz", "no format has the suffix '.xyz' of 'out.xyz'. Use .txt (table), .json, .md (markdown),"),
        ("out", "'out' has no suffix to tell its format. Use"),
        (".json", "'.json' has no suffix to tell its format. Use"),
        ("out.json.gz", "no format has the suffix '.gz' of 'out.json.gz'. Use"),
    ],
)
def test_an_unknown_suffix_is_refused(path, says):
    """The sentence names what was given, and all suffixes there are."""
    with pytest.raises(UnknownName) as caught:
        by_suffix(path)
    assert str(caught.value).startswith(says)
    assert all(form.suffixes[0] in str(caught.value) for form in FORMATS)


def test_a_suffix_that_is_not_for_this_is_refused():
    """Among texts a file of columns is named as what it is, and the list is that of texts."""
    with pytest.raises(UnknownName, match=r"^this output cannot be written as parquet; got 'a\.parquet'\.") as caught:
        by_suffix("a.parquet", TEXTS)
    assert "or .methods, or give kind=." in str(caught.value)


def test_a_format_of_some_documents_is_refused_by_the_others(tmp_path):
    """By its name and by its suffix, in a sentence that says whose it is, or what there is."""
    with pytest.raises(
        BadSetting, match=r"^junit is a format of howsure gate; this result can be written as table, json"
    ):
        REPORT.to_text("junit")
    with pytest.raises(BadSetting, match=r"^junit is a format of howsure gate"):
        REPORT.save(tmp_path / "x.txt", kind="junit")
    for result in (REPORT, BAND):
        with pytest.raises(UnknownName, match=r"^this output cannot be written as junit; got '.*x\.xml'\. Use"):
            result.save(tmp_path / "x.xml")
    assert not list(tmp_path.iterdir())


def test_unknown_names_are_refused():
    """A name that is no format has the nearest one beside it; a file of columns is no text."""
    with pytest.raises(UnknownName, match=r"no format 'jsn'. Did you mean 'json'\? Formats: table, json,"):
        render(REPORT.to_dict(), "jsn")
    with pytest.raises(BadSetting, match="parquet is not a text format; the text formats are table, json"):
        render(REPORT.to_dict(), "parquet")


def test_a_format_is_one_entry(monkeypatch):
    """A further entry is found by name and suffix, renders, and is saved, without a change elsewhere."""
    new = Format("lines", (".lines",), "text/lines", "how many rows there are")
    module = SimpleNamespace(render=lambda document: f"{len(document['rows'])} rows\n")
    monkeypatch.setitem(sys.modules, "howsure.render.lines", module)
    monkeypatch.setattr("howsure.render.formats.FORMATS", (*FORMATS, new))
    assert by_suffix("a.lines", (*TEXTS, new)) is new
    assert BAND.to_text("lines") == "60 rows\n"
