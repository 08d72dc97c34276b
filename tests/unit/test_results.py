"""What all results share: equality, pickling, frames and files."""

from __future__ import annotations

import json
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import howsure as hs
from howsure.errors import BadFile, BadSetting, UnknownName
from howsure.posteriors.score_samples import score_draws
from howsure.render.formats import TEXTS
from howsure.results.result import Document, Result, frame

T = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
TRUTH, SCORES = np.arange(40) % 3 == 0, np.sin(np.arange(40.0))


def curve() -> hs.Curve:
    return hs.curve(TRUTH, SCORES, tolerance=0.2)


RESULTS = {
    "document": lambda: Document(hs.score(T, metrics=["f1"]).to_dict()),
    "curve": curve,
    "curves": lambda: hs.curve(
        TRUTH, {"a": SCORES, "b": -SCORES}, metrics=["auc", "max-f1", "recall@fallout=0.1"], tolerance=0.2
    ),
    "band": lambda: curve().band("recall"),
    "drawn band": lambda: curve().at(recall=[0.5, 0.9]),
    "choice": lambda: curve().choose("f1", at_least={"recall": 0.5}),
}
result = pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS)


# -- equality and pickling ----------------------------------------------------------------------------------------


@result
def test_results_of_the_same_data_are_equal(make):
    """Two results made alike are equal though they are not the same; a result is not its document."""
    one, two = make(), make()
    assert one is not two
    assert one == two
    assert not one != two  # noqa: SIM202 - both operators are asked
    assert one != one.to_dict()
    assert one != None  # noqa: E711 - equality is what is asked


def test_results_of_other_data_are_not_equal():
    """Another level, another measure, another type."""
    c = curve()
    assert c.band("recall") != c.band("recall", level=0.9)
    assert c.band("recall") != c.band("precision")
    assert Document(c.to_dict()) != c
    assert Document(c.to_dict()) == Document(c.to_dict())


@result
def test_results_have_no_hash(make):
    """Equal results would need equal hashes, and there is no hash of a document."""
    with pytest.raises(TypeError, match="unhashable type"):
        hash(make())


@pytest.mark.parametrize("used", [False, True])
@result
def test_results_pickle(make, used):
    """A result is the same after pickling, whether it was shown before or not."""
    one = make()
    if used:
        str(one)
        repr(one)
    two = pickle.loads(pickle.dumps(one))
    assert two == one
    assert str(two) == str(make())


def test_laws_of_a_pickled_choice_draw_the_same():
    """Draws of the best threshold and of the corrected measure are those of the result that was pickled."""
    one = curve().choose("f1")
    two = pickle.loads(pickle.dumps(one))
    for name in ("best", "corrected"):
        assert np.array_equal(getattr(one, name).draws(50, seed=3), getattr(two, name).draws(50, seed=3))


@pytest.mark.parametrize("metric", ["auc", "max-f1", "min-error-rate", "phi@0.1", "precision@recall=0.5"])
def test_measures_of_scores_pickle(metric):
    """A measure of scores gives the same values after pickling: at a cut, at a point, at its best."""
    p = curve().posterior
    measure = pickle.loads(pickle.dumps(p.measure(metric)))
    assert measure == p.measure(metric)
    assert np.array_equal(p.point(measure), p.point(metric))
    assert p.point(metric) == measure.evaluate(score_draws(p).point_cuts[0])[0]


def test_what_is_derived_is_not_pickled():
    """Tables and rows that can be computed again do not travel; the document does."""
    c = curve()
    c.to_dict()
    assert "rows" in vars(c)
    copied = pickle.loads(pickle.dumps(c))
    assert "rows" not in vars(copied)
    assert "_document" in vars(copied)
    assert len(copied.rows) == len(c.rows)


# -- frames -------------------------------------------------------------------------------------------------------

ROWS = [{"a": None, "b": 1, "c": "x"}] * 150 + [{"a": 0.5, "b": 2.5, "c": None, "d": True}]


@pytest.mark.parametrize(
    ("library", "kind"),
    [("pandas", pd.DataFrame), ("polars", pl.DataFrame), (None, pd.DataFrame), ("pyarrow", pd.DataFrame)],
)
def test_frames_are_of_the_library_of_the_input(library, kind):
    """polars for polars; pandas for pandas, for nothing, and for what is neither."""
    got = frame(ROWS, library)
    assert isinstance(got, kind)
    assert list(got.columns) == ["a", "b", "c", "d"]
    assert len(got) == 151


@pytest.mark.parametrize(("missing", "kind"), [("pandas", pl.DataFrame), ("polars", pd.DataFrame)])
@pytest.mark.parametrize("library", ["pandas", "polars", None])
def test_frames_are_of_what_is_installed(monkeypatch, missing, kind, library):
    """A library that is not there is replaced by the other."""
    monkeypatch.setitem(sys.modules, missing, None)
    assert isinstance(frame(ROWS, library), kind)


def test_frames_need_a_library(monkeypatch):
    """Without pandas and polars there is one sentence."""
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(BadSetting, match="to_frame needs pandas or polars: pip install pandas"):
        frame(ROWS)


def test_polars_columns_have_the_type_of_all_rows():
    """A number after many nulls, a fraction after whole numbers and a column that starts late keep their values."""
    got = frame(ROWS, "polars")
    assert got["a"].to_list() == [None] * 150 + [0.5]
    assert got["b"].to_list() == [1.0] * 150 + [2.5]
    assert got["d"].to_list() == [None] * 150 + [True]
    assert frame([{"label": 1}, {"label": "x"}], "polars")["label"].to_list() == ["1", "x"]
    assert frame([], "polars").is_empty()


def test_a_result_knows_its_library():
    """to_frame asks the result for the library it was made from."""

    class Polars(Document):
        @property
        def _library(self):
            return "polars"

    document = hs.score(T, metrics=["f1"]).to_dict()
    got = Polars(document).to_frame(full=True)
    assert isinstance(got, pl.DataFrame)
    assert isinstance(Document(document).to_frame(), pd.DataFrame)
    assert got["error.value"].to_list() == [document["rows"][0]["error"]["value"]]


# -- files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", TEXTS, ids=lambda form: form.name)
@pytest.mark.parametrize("name", ["report", "comparison", "band"])
def test_a_text_is_saved_by_its_suffix(tmp_path, name, form):
    """save writes what to_text gives, for every suffix; a name of a format wins over the suffix."""
    made: Result = {
        "report": lambda: hs.score(T, metrics=["f1"]), "comparison": lambda: hs.compare(T, T), "band": RESULTS["band"],
    }[name]()  # fmt: skip
    for suffix in form.suffixes:
        made.save(tmp_path / f"x{suffix}")
        assert _is_saved(tmp_path / f"x{suffix}", made, form)
    made.save(str(tmp_path / "y.json"), kind=form.name)
    assert _is_saved(tmp_path / "y.json", made, form)


def _is_saved(path, made, form):
    """The text, whatever the format."""
    return path.read_text(encoding="utf-8") == made.to_text(form.name)


@pytest.mark.parametrize("suffix", [".parquet", ".pq", ".PARQUET"])
def test_a_report_is_saved_as_columns(tmp_path, suffix):
    """A Parquet file holds the columns of to_table."""
    report = hs.score(hs.Tally.binary(tp=[80, 8], fp=20, fn=30, tn=870), metrics=["f1", "recall"])
    report.save(tmp_path / f"x{suffix}")
    got = pl.read_parquet(tmp_path / f"x{suffix}")
    want = report.to_table()
    assert got.columns == list(want)
    assert all(got[k].to_list() == v.tolist() for k, v in want.items())
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("write", ["save", "write"])
def test_columns_that_cannot_be_written_are_one_sentence(tmp_path, monkeypatch, write):
    """No folder, or an error of the writer: a BadFile with the name that was asked for, and no file."""
    report = hs.score(T, metrics=["f1"])
    with pytest.raises(BadFile, match=r"cannot write .*No such file or directory"):
        getattr(report, write)(tmp_path / "none" / "x.parquet")
    monkeypatch.setattr(type(report), "to_table", lambda _: {"a": np.zeros(2, dtype=complex)})
    with pytest.raises(BadFile, match=r"cannot write .*x\.parquet"):
        getattr(report, write)(tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_not_for_a_result_are_refused(tmp_path):
    """A comparison has no columns, a name without a known suffix has no format; nothing is written."""
    made = hs.compare(T, T)
    with pytest.raises(UnknownName, match="this output cannot be written as parquet"):
        made.save(tmp_path / "x.parquet")
    with pytest.raises(BadSetting, match="parquet needs columns, and a Comparison has none"):
        made.save(tmp_path / "x.parquet", kind="parquet")
    with pytest.raises(UnknownName, match=r"no format has the suffix '\.xyz'"):
        made.save(tmp_path / "x.xyz")
    with pytest.raises(UnknownName, match="no format 'xml'"):
        made.save(tmp_path / "x.txt", kind="xml")
    with pytest.raises(UnknownName, match=r"write\(\) makes \.parquet and \.csv files; got .*x\.json"):
        hs.score(T, metrics=["f1"]).write(tmp_path / "x.json")
    assert list(tmp_path.iterdir()) == []


def test_json_text_is_the_document():
    """to_json is the text of to_dict."""
    made = hs.compare_wins(17, 4, 3278)
    assert json.loads(made.to_json()) == made.to_dict()
