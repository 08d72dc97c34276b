"""Files, frames, dicts and records of the same judgments and runs give the same rankings."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections import namedtuple
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

import howsure as hs
from howsure.errors import HowsureError
from howsure.io.lines import read_lines
from howsure.io.trec import rank, read_qrels, read_run
from tests.tiers import examples
from tests.trec.test_items import QRELS_30, RUNS_30

RUN = {q: {d: round(s, 1) for d, s in docs.items()} for q, docs in RUNS_30["one"].items()}  # many ties
QRELS_TEXT = "".join(f"{q} 0 {d} {g}\n" for q, docs in QRELS_30.items() for d, g in docs.items())
RUN_TEXT = "".join(f"{q} Q0 {d} 1 {s} tag\n" for q, docs in RUN.items() for d, s in docs.items())
PACKERS = {"": lambda x: x, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def written(folder, name, text, suffix=""):
    path = folder / f"{name}{suffix}"
    path.write_bytes(PACKERS[suffix](text.encode("utf-8", "surrogateescape")))
    return path


def same(a, b):
    return all(
        np.array_equal(getattr(a, x), getattr(b, x)) for x in ("retrieved", "query", "rank", "grade", "above", "level")
    )


def expected(ties="score"):
    qrels = read_qrels(QRELS_30)
    return rank(read_run(RUN, "run"), qrels, ties)


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("ties", ["score", "float32"])
def test_files_give_the_rankings_of_dicts(tmp_path, suffix, ties):
    """Plain and packed files, with ties that need the documents' names."""
    qrels = read_qrels(written(tmp_path, "qrels", QRELS_TEXT, suffix))
    found = rank(read_run(written(tmp_path, "run", RUN_TEXT, suffix), "run"), qrels, ties)
    assert qrels.by_query == QRELS_30
    assert found.facts["tied"] > 100
    assert same(found, expected(ties))


def shuffled(text):
    lines = text.splitlines(keepends=True)
    return "".join(lines[i] for i in np.random.default_rng(2).permutation(len(lines)))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("tabs", lambda t: t.replace(" ", "\t")),
        ("several blanks", lambda t: t.replace(" ", "   ")),
        ("blanks and tabs", lambda t: t.replace(" Q0 ", "\tQ0  ")),
        ("blanks at the ends", lambda t: t.replace("\n", "  \n").replace("q1 ", " q1 ")),
        ("no last line end", lambda t: t.rstrip("\n")),
        ("empty lines", lambda t: t.replace("\nq2 ", "\n\n  \nq2 ")),
        ("only empty lines", lambda t: t.replace("\nq2 ", "\n\nq2 ")),
        ("other line ends", lambda t: t.replace("\n", "\r\n")),
        ("a mark at the start", lambda t: "\ufeff" + t),
        ("lines in any order", shuffled),
        ("a tab after a name", lambda t: t.replace(" Q0 d1", " Q0\t d1", 1)),
        ("a tab within a name", lambda t: t.replace(" 1 ", "\t 1 ", 1)),
        ("a mark and empty lines", lambda t: "\ufeff" + t.replace("\nq2 ", "\n\nq2 ").replace("\n", "\r\n")),
        ("quotes", lambda t: t.replace(" tag", ' "tag')),
        ("other queries", lambda t: t + "other Q0 d1 1 0.5 tag\n"),
        ("text after the tag", lambda t: t.replace(" tag\n", " tag of 2026, # 7\n")),
        ("text after one tag", lambda t: t.replace(" tag\n", " tag and more\n", 1)),
        ("a comment first", lambda t: "# made by hand\n" + t),
        ("comments anywhere", lambda t: t.replace("\nq2 ", "\n#\n  # q2 Q0 d1 1 9.0 tag\nq2 ") + "\t#the end"),
        ("a comment that looks like a line", lambda t: t + "#q2 Q0 d1 1 9.0 tag\n"),
    ],
)  # fmt: skip
def test_runs_as_people_write_them(tmp_path, name, change):
    """White space, line ends and order make no difference."""
    found = rank(read_run(written(tmp_path, "run", change(RUN_TEXT)), "run"), read_qrels(QRELS_30))
    assert same(found, expected())


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace(" ", "\t"),
        lambda t: t.replace(" ", "  "),
        lambda t: t.replace(" 0 ", " 0\t ", 1),
        lambda t: t.replace(" 0 d", "\t 0 d", 1),
        lambda t: t.replace("\n", ".0\n"),
        lambda t: t.replace(" ", "  ").replace("\n", ".0\n"),
        shuffled,
        lambda t: "# judged in 2026\n#\n" + t + "#q1 0 d1 2\n# the end",
        lambda t: t + "#q1 0 d1 2\n",
    ],
)
def test_qrels_as_people_write_them(tmp_path, change):
    """White space and order make no difference to judgments."""
    found = read_qrels(written(tmp_path, "qrels", change(QRELS_TEXT)))
    assert {q: dict(d) for q, d in found.by_query.items()} == QRELS_30


def test_comments_go_by_the_start_of_the_line(tmp_path):
    """As in trec_eval: # within a name is part of it, and judgments have comments only where # comes first."""
    qrels, run = "q#1 0 d#1 1\n #q 0 #d 1\n", "q#1 Q0 d#1 1 2.0 #\nq#1 Q0 #d 1 1.0 t # x\n #q Q0 #d 1 1.0 t\n"
    assert read_lines(written(tmp_path, "qrels", qrels), "qrels") == {"q#1": {"d#1": 1}, "#q": {"#d": 1}}
    assert read_lines(written(tmp_path, "run", run), "run") == {"q#1": {"d#1": 2.0, "#d": 1.0}}
    assert read_qrels(tmp_path / "qrels").by_query == {"q#1": {"d#1": 1}, "#q": {"#d": 1}}


def test_names_beyond_ascii(tmp_path):
    """Ids of any characters tie as their UTF-8 bytes do."""
    qrels, run = {"q": {"é": 1, "z": 0, "\U0001f600": 0}}, {"q": {"é": 1.0, "z": 1.0, "\U0001f600": 1.0}}
    text = "".join(f"q Q0 {d} 1 1.0 t\n" for d in run["q"])
    found = rank(read_run(written(tmp_path, "run", text), "run"), read_qrels(qrels))
    assert found.rank[found.grade == 1].tolist() == [2]
    assert same(found, rank(read_run(run, "run"), read_qrels(qrels)))


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("change", [lambda t: t, shuffled, lambda t: t.replace("\n", "\n\n")])
def test_a_match_is_one_of_names_not_of_hashes(tmp_path, suffix, change):
    """Two names may have one hash: with the hashes of judgments (or queries) swapped the ranking is the same."""
    path = written(tmp_path, "run", change(RUN_TEXT), suffix)
    whole = read_qrels(written(tmp_path, "qrels", QRELS_TEXT))
    assert same(rank(read_run(path, "run"), whole), expected())
    for queries, documents in ((0, 1), (1, 0), (0, 31)):
        a, b = whole.hashes
        swapped = replace(whole, hashed=(np.roll(a, queries), np.roll(b, documents)))
        assert same(rank(read_run(path, "run"), swapped), expected())


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_packing_is_told_by_the_file_not_by_its_name(tmp_path, suffix):
    """A packed file of any name is read, ties too."""
    path = tmp_path / "run"
    path.write_bytes(PACKERS[suffix](RUN_TEXT.encode()))
    assert same(rank(read_run(path, "run"), read_qrels(QRELS_30)), expected())


def test_names_that_are_no_utf8(tmp_path):
    """Ids in Latin-1 match byte by byte, in qrels and runs; a run without them is read as well."""
    qrels, run, other = (tmp_path / name for name in ("qrels", "run", "other"))
    qrels.write_bytes("q 0 d\xe9 1\nq 0 e 0\nr 0 e 1\n".encode("latin-1"))
    run.write_bytes("q Q0 d\xe9 1 2.0 t\nq Q0 e 1 3.0 t\nr Q0 e 1 1.0 t\n".encode("latin-1"))
    other.write_text("q Q0 e 1 3.0 t\nr Q0 e 1 1.0 t\n")
    assert hs.trec(qrels, [run, other], metrics=["AP"]).values.tolist() == [[0.5, 0.0], [1.0, 1.0]]


def test_blanks_beyond_ascii_are_parts_of_names(tmp_path):
    """An ideographic space is no end of a field, in regular files and in others."""
    text = "q Q0 d\u30001 1 2.0 t\nq Q0 e 1 3.0 t\nr Q0 e 1 1.0 t\n"
    qrels = {"q": {"d\u30001": 1}, "r": {"e": 1}}
    for change in (text, text.replace(" ", "  ")):
        assert hs.trec(qrels, [written(tmp_path, "run", change)], metrics=["AP"]).values.tolist() == [[0.5], [1.0]]


ODD = [
    b" ",
    b"\t",
    b"\r",
    b"\n",
    b"\0",
    b'"',
    b"\xff",
    b"\xef\xbb\xbf",
    b"\v",
    b"\x1c",
    b"\xc2\xa0",
    b"e",
    b"9",
    b"-",
    b".",
    b"#",
    b"_",
]
FEW_QRELS = b"".join(b"q%d 0 d%d %d\n" % (q, d, (q + d) % 3) for q in range(3) for d in range(6))
FEW_RUN = b"".join(b"q%d Q0 d%d 1 %d.5 t\n" % (q, d, (q * d) % 4) for q in range(3) for d in range(8))


@st.composite
def damaged(draw, whole):
    """A file with up to three bytes put in, replaced or lost."""
    out = bytearray(whole)
    for _ in range(draw(st.integers(0, 3))):
        at, lost = draw(st.integers(0, len(out) - 1)), draw(st.integers(0, 1))
        out[at : at + lost] = draw(st.sampled_from([b"", *ODD]))
    return bytes(out)


def or_refused(f):
    """What f gives, or None where it refuses."""
    try:
        return f()
    except HowsureError:
        return None


@examples(30, 80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damaged(FEW_QRELS), damaged(FEW_RUN))
@example(FEW_QRELS.replace(b" d1", b" \x1cd1"), FEW_RUN.replace(b" ", b"  "))
@example(FEW_QRELS.replace(b" d1", b" d\v1"), FEW_RUN)
@example(FEW_QRELS, FEW_RUN.replace(b" d7", b" d\v7"))
def test_both_readers_read_the_same(tmp_path, qrels, run):
    """Damaged files: DuckDB's columns and the reader of lines agree on names, numbers, ranks and refusals."""
    judged, ranked = tmp_path / "qrels", tmp_path / "run"
    judged.write_bytes(qrels)
    ranked.write_bytes(run)
    found, exact = or_refused(lambda: read_qrels(judged)), or_refused(lambda: read_lines(judged, "qrels"))
    assert (None if found is None else found.by_query) == exact
    whole = read_qrels({f"q{q}": {f"d{d}": (q + d) % 3 for d in range(6)} for q in range(3)})
    fast = or_refused(lambda: rank(read_run(ranked, "run"), whole))
    slow = or_refused(lambda: rank(read_run(read_lines(ranked, "run"), "run"), whole))
    assert (fast is None) == (slow is None)
    assert fast is None or same(fast, slow)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unjudged", ["not", "relevant"])
def test_scores_beyond_single_precision_tie(unjudged):
    """Under float32 they are all infinite: the order is that of names, as pytrec-eval's."""
    import pytrec_eval

    qrels = {"q": {"b": 1, "d": 1}, "r": {"b": 1}}
    run = {"q": {"a": 4e39, "b": 2e39, "c": 3e39, "d": 1e39}, "r": {"b": 1.0, "a": 1e308, "c": -1e308}}
    name = "Rprec" if unjudged == "not" else "Rprec(unjudged='relevant')"
    if unjudged == "relevant":
        theirs = pytrec_eval.RelevanceEvaluator({q: dict.fromkeys(docs, 1) for q, docs in run.items()}, {"Rprec"})
    else:
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {"Rprec"})
    found = hs.trec(qrels, run, metrics=[name], ties="float32")
    assert found.values[:, 0].tolist() == [theirs.evaluate(run)[q]["Rprec"] for q in found.ids]


COLUMNS = {
    "ir_measures": ("query_id", "doc_id", "relevance", "score"),
    "PyTerrier": ("qid", "docno", "label", "score"),
    "ranx": ("q_id", "doc_id", "score", "score"),
}


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("engine", ["pandas", "polars", "lazy", "pyarrow"])
def test_frames_by_their_usual_columns(engine, columns):
    """pandas, polars and pyarrow frames with the column names of three packages."""
    query, document, grade, score = COLUMNS[columns]
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "lazy": pl.LazyFrame, "pyarrow": pa.table}[engine]

    def frame(table, value):
        rows = [(q, d, x) for q, docs in table.items() for d, x in docs.items()]
        names, documents, values = (list(x) for x in zip(*rows, strict=True))
        return make({query: names, document: documents, value: values})

    found = rank(read_run(frame(RUN, score), "run"), read_qrels(frame(QRELS_30, grade)))
    assert same(found, expected())


def test_records_of_ir_measures():
    """Lists of named tuples, as ir_measures and ir_datasets have them."""
    qrel, scored = namedtuple("Qrel", "query_id doc_id relevance iteration"), namedtuple("Doc", "query_id doc_id score")
    qrels = [qrel(q, d, g, "0") for q, docs in QRELS_30.items() for d, g in docs.items()]
    run = [scored(q, d, s) for q, docs in RUN.items() for d, s in docs.items()]
    assert same(rank(read_run(run, "run"), read_qrels(qrels)), expected())


@pytest.mark.parametrize("ids", [("a", 7), (7, "a"), (7, 8), (7, None)])
def test_any_id_that_is_no_text_counts_as_its_text(ids):
    """Of judgments and of runs, whether it comes first or after ids that are text."""
    text = [str(x) for x in ids]
    for judged, found in ((ids, text), (text, ids)):
        qrels = {"q": dict.fromkeys(judged, 1), "r": {"a": 1}}
        run = {"q": dict.fromkeys(found, 1.0), "r": {"a": 1.0}}
        assert hs.trec(qrels, run, metrics=["SetR"]).values.tolist() == [[1.0], [1.0]]


def test_trec_takes_files_as_it_takes_dicts(tmp_path):
    """hs.trec of paths names runs by their files and has the values of the dicts."""
    qrels, run = written(tmp_path, "qrels", QRELS_TEXT), written(tmp_path, "bm25.run", RUN_TEXT, ".gz")
    v = hs.trec(str(qrels), [run], metrics=["AP", "BEP"])
    w = hs.trec(QRELS_30, {"x": RUN}, metrics=["AP", "BEP"])
    assert v.systems == ("bm25",)
    for name in ("AP", "BEP"):
        assert np.array_equal(v.only(name).values, w.only(name).values)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 t\n", "line 2 "),
        ("q1 Q0 d1 1 2.0 t\n# note\nq1 Q0 d2 2 1.0\n", "line 3 "),
        ("# note\nq1 0 d1 1\n", "the 4 fields of judgments .* on line 2"),
        ("# only\n", "holds comments only"),
        ("q1 Q0 d1 1 1_000 t\n", "line 1 .*'1_000'"),
        ("q1 Q0 d1 1 \u0663 t\n", "line 1 of .*: a score is a number"),
        ("q1 Q0  d1 1 2.0\n", "line 1 "),
        ("q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 high t\n", "'high'"),
        ("q1 Q0 d1 1 nan t\n", "line 1 of .*: a score is a finite number; got 'nan'"),
        ("q1 Q0 d0 1 1 t\nq1 Q0 d1 1 -inf t\n", "line 2 "),
        ("q1 Q0 d1 1 1e999 t\n", "line 1 of .*: a score is a finite number; got '1e999'"),
        ("q1 Q0 d1 1 2.0 t\nq2 Q0 d1 1 2.0 t\nq1 Q0 d1 3 1.0 t\n", "again on line 3"),
        ("", "empty"),
        ("zz Q0 d1 1 2.0 t\n", "none of the 30 judged queries"),
        ("q1 0 d1 1\n", "the 4 fields of judgments"),
        ("x\n", "has 1 field: 'x'"),
        ("\0\1 \2\n", "line 1 of .* is not text"),
        ("\x28\udcb5/\udcfd zstd", "compressed with zstd"),
    ],
)
def test_bad_runs_are_one_sentence_with_the_line(tmp_path, text, told):
    """What is wrong, and on which line."""
    with pytest.raises(HowsureError, match=told) as caught:
        hs.trec(QRELS_30, [written(tmp_path, "run", text)])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("q1 0 d1 1\nq1 0 d2\n", "line 2 "),
        ("q1 0 d1 1.5\n", "'1.5'"),
        ("q1 0 d1 yes\n", "'yes'"),
        ("q1 0 d1 1\nq2 0 d1 1\nq1 0 d1 0\n", "again on line 3"),
        ("\n", "empty"),
        ("q1 0  1\n", "line 1 "),
        ("q1 0 d1 1\nq1 0 d2 99999999999\n", "line 2 .* at most 2,147,483,647"),
        ("q1 0 d1 1\nq1 0 d2 1e300\n", "line 2 .*'1e300'"),
        ("q1 0 d1 1\nq1 0 d2 inf\n", "line 2 .*'inf'"),
        ("q1 Q0 d1 1 2.0 t\n", "the 6 fields of a run"),
        ("# judged\nq1 Q0 d1 1 2.0 t of mine\n", "the 8 fields of a run on line 2"),
        ("q1 0 d1 1\nq1 0 d2 1 sure\n", "line 2 "),
        ("q1 0 d1 1_0\n", "line 1 .*'1_0'"),
        (" # judged by hand\n", "line 1 "),
        ("# judged\n\n", "holds comments only"),
    ],
)
def test_bad_qrels_are_one_sentence_with_the_line(tmp_path, text, told):
    """Judgments are checked as runs are."""
    with pytest.raises(HowsureError, match=told) as caught:
        read_qrels(written(tmp_path, "qrels", text))
    assert "\n" not in str(caught.value)


def test_a_folder_is_one_sentence(tmp_path):
    """Not two sentences in one another."""
    with pytest.raises(HowsureError, match=r"^'.*' is a directory; give a file\.$"):
        hs.trec(QRELS_30, [tmp_path])


def test_a_damaged_file_is_one_sentence(tmp_path):
    """A .gz file that is none is refused by its name."""
    path = tmp_path / "run.gz"
    path.write_bytes(b"no gzip here")
    with pytest.raises(HowsureError, match=r"run\.gz"):
        hs.trec(QRELS_30, [path])
