"""Twenty everyday jobs, each in the one line that a person would type first; numbers checked by another way."""

from __future__ import annotations

import json
import re
import sqlite3

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from tests.jobs import laws, making

ONE = 1e-9  # exact routes
DRAWN = 0.012  # of a probability, by 20,000 resamplings


def test_f1_of_arrays():
    """Two arrays: the F1 score and its interval."""
    y, z = np.array([1, 0, 1, 1, 0, 1, 0, 1, 0, 0]), np.array([1, 0, 0, 1, 1, 1, 0, 1, 0, 0])
    tp, fp, fn, _ = laws.cells(y, z, 1)
    row = next(r for r in hs.score(y, z).to_dict()["rows"] if r["metric"] == "f1")
    assert row["score"] == pytest.approx(2 * tp / (2 * tp + fp + fn), abs=ONE)
    assert (row["low"], row["high"]) == pytest.approx(laws.f1_ends(tp, fp, fn), abs=ONE)
    d = hs.posterior(hs.tally(y, z))["f1"]
    low, high = d.interval()
    assert d.score == row["score"]
    assert (low, high) == pytest.approx(laws.f1_ends(tp, fp, fn), abs=ONE)
    assert d.score in d.interval()
    assert d.interval().width == high - low


def test_nothing_but_a_file(folder, rng, type_):
    """`howsure score preds.csv`: the usual names are found, and it says which; JSON stays JSON."""
    data = making.animals(rng)
    making.write_csv(folder / "preds.csv", data)
    shown = type_("howsure score preds.csv")
    assert "'truth'" in shown.out
    assert "'prediction'" in shown.out
    assert not shown.err
    got = type_("howsure score preds.csv --format json")
    assert "columns-guessed" in got.codes
    right = int((data["truth"] == data["prediction"]).sum())
    row = next(r for r in got.document["rows"] if r["metric"] == "accuracy")
    assert row["score"] == pytest.approx(right / 500, abs=ONE)
    assert (row["low"], row["high"]) == pytest.approx(laws.rate_ends(right, 500 - right), abs=ONE)


def test_two_models_with_slices(folder, rng, type_):
    """A CSV of two models: is the new one better, and where? All first, n everywhere, one slice in one place."""
    data = making.two_models(rng)
    making.write_csv(folder / "preds.csv", data)
    line = "howsure compare preds.csv --truth label --pred new --pred old --positive spam --by region"
    rows = type_(f"{line} --metric f1 --metric accuracy --format json").document["rows"]
    assert [r["metric"] for r in rows] == ["f1", "accuracy"] * 5
    slices = [r["slice"] for r in rows]
    assert not slices[0]
    assert not slices[1]
    assert slices[0::2] == slices[1::2]
    assert {s["region"] for s in slices[2:]} == set(making.REGIONS)
    for row in rows:
        mask = np.full(600, True) if not row["slice"] else data["region"] == row["slice"]["region"]
        assert row["first"]["n"] == row["second"]["n"] == mask.sum()
        if row["metric"] == "accuracy":
            first, second = ((data[m] == data["label"])[mask] for m in ("new", "old"))
            assert row["difference"]["score"] == pytest.approx(first.mean() - second.mean(), abs=ONE)
            assert row["p_better"] == pytest.approx(laws.p_first_passes_more(first, second), abs=1e-6)
        else:
            for side, name in (("first", "new"), ("second", "old")):
                tp, fp, fn, _ = laws.cells(data["label"][mask], data[name][mask], "spam")
                assert (row[side]["low"], row[side]["high"]) == pytest.approx(laws.f1_ends(tp, fp, fn), abs=ONE)
    shown = type_(f"{line} --sort n").out
    order = [line.split()[0] for line in shown.splitlines() if line.startswith(making.REGIONS)]
    sizes = {region: int((data["region"] == region).sum()) for region in making.REGIONS}
    assert sorted(sizes, key=lambda r: -sizes[r]) in (order, order[::-1])


def test_two_files_of_passes_in_twenty_categories(folder, rng, type_):
    """Two JSON-lines files, matched by their ids without a word."""
    ids = np.arange(1, 801)
    a, b = making.passes(rng, ids, 0.72), making.passes(rng, ids, 0.66)
    order = rng.permutation(800)
    making.write_lines(folder / "a.jsonl", a)
    making.write_lines(folder / "b.jsonl", {k: v[order] for k, v in b.items()})
    got = type_("howsure compare a.jsonl b.jsonl --outcome passed --by category --format json")
    rows = got.document["rows"]
    assert len(rows) == 21
    assert rows[0]["paired"]
    assert not rows[0]["slice"]
    assert rows[0]["difference"]["score"] == pytest.approx(a["passed"].mean() - b["passed"].mean(), abs=ONE)
    assert rows[0]["p_better"] == pytest.approx(laws.p_first_passes_more(a["passed"], b["passed"]), abs=1e-6)
    for row in rows[1:]:
        mask = a["category"] == row["slice"]["category"]
        expected = laws.p_first_passes_more(a["passed"][mask], b["passed"][mask])
        assert row["p_better"] == pytest.approx(expected, abs=1e-6)
    assert "columns-guessed" in got.codes
    assert "slices-alike" in got.codes
    bare = type_("howsure compare a.jsonl b.jsonl --format json").document["rows"]
    assert bare[0]["p_better"] == rows[0]["p_better"]


def test_five_samples_per_question(folder, rng, type_):
    """Questions are resampled whole."""
    question = np.repeat(np.arange(100), 5)
    ease = np.repeat(rng.random(100), 5)
    a, b = rng.random(500) < ease, rng.random(500) < ease - 0.05
    for name, passed in (("a", a), ("b", b)):
        making.write_lines(folder / f"{name}.jsonl", {"question": question, "passed": passed})
    got = type_("howsure compare a.jsonl b.jsonl --outcome passed --cluster question --format json").document
    row = got["rows"][0]
    assert got["data"]["clusters"] == 100
    assert row["difference"]["score"] == pytest.approx(a.mean() - b.mean(), abs=ONE)
    assert row["p_better"] == pytest.approx(laws.bootstrap_difference(a, b, question), abs=0.03)


def test_a_leaderboard_of_twelve(folder, rng, type_):
    """Twelve columns of one file, or twelve files, are one short command; several metrics at once."""
    data = making.twelve_models(rng)
    making.write_csv(folder / "preds.csv", data)
    line = "howsure leaderboard preds.csv --truth label --pred 'model_*' --positive spam"
    got = type_(f"{line} --metric f1 --metric accuracy --format json").document
    models = [k for k in data if k.startswith("model_")]
    assert [r["metric"] for r in got["rows"]] == ["f1"] * 12 + ["accuracy"] * 12
    assert {r["system"] for r in got["rows"]} == set(models)
    right = {m: float((data[m] == data["label"]).mean()) for m in models}
    by_accuracy = [r for r in got["rows"] if r["metric"] == "accuracy"]
    assert {r["system"]: r["score"] for r in by_accuracy} == pytest.approx(right, abs=ONE)
    assert sum(r["p_best"] for r in by_accuracy) == pytest.approx(1, abs=1e-3)
    assert {p["metric"] for p in got["pairs"]} == {"f1", "accuracy"}
    (folder / "models").mkdir()
    names = ("ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal", "ida", "joe", "kim", "lou")
    for name, model in zip(names, models, strict=True):
        lines = {"id": data["id"], "label": data["label"], "answer": data[model]}
        making.write_lines(folder / "models" / f"{name}.jsonl", lines)
    files = " ".join(f"models/{name}.jsonl" for name in names)
    again = type_(f"howsure leaderboard {files} --metric accuracy --format json").document["rows"]
    assert [r["score"] for r in again] == [r["score"] for r in by_accuracy]
    assert {r["system"] for r in again} == set(names)


def test_ten_classes_as_latex(folder, rng, type_):
    """The suffix of --out is the format; `f1:*` is every class."""
    data = making.animals(rng)
    making.write_csv(folder / "preds.csv", data)
    type_("howsure score preds.csv --metric macro-f1 --metric 'f1:*' --out table.tex")
    tex = (folder / "table.tex").read_text()
    assert r"\begin{tabular}" in tex
    rows = type_("howsure score preds.csv --metric macro-f1 --metric 'f1:*' --format json").document["rows"]
    assert [r["asked"] for r in rows] == ["macro-f1", *(f"f1:{a}" for a in making.ANIMALS)]
    for row in rows[1:]:
        tp, fp, fn, _ = laws.cells(data["truth"], data["prediction"], row["asked"].removeprefix("f1:"))
        assert (row["low"], row["high"]) == pytest.approx(laws.f1_ends(tp, fp, fn), abs=ONE)
        assert row["asked"] in tex
        assert f"{row['score']:.3f}" in tex


def test_several_labels_per_item(folder, rng, type_):
    """Text with a separator, or lists in JSON lines."""
    truth, answer = making.label_sets(rng)
    joined = {"labels": [";".join(x) for x in truth], "tags": [";".join(x) for x in answer]}
    making.write_csv(folder / "tags.csv", joined)
    making.write_lines(folder / "tags.jsonl", {"labels": truth, "tags": answer})
    line = "--truth labels --pred tags --metric micro-f1 --metric 'recall:*' --format json"
    first = type_(f"howsure score tags.csv {line} --sep ';'").document["rows"]
    second = type_(f"howsure score tags.jsonl {line}").document["rows"]
    pairs = [(set(y), set(z)) for y, z in zip(truth, answer, strict=True)]
    both, either = sum(len(y & z) for y, z in pairs), sum(len(y) + len(z) for y, z in pairs)
    for rows in (first, second):
        assert rows[0]["score"] == pytest.approx(2 * both / either, abs=ONE)
        assert rows[0]["low"] < rows[0]["score"] < rows[0]["high"]
        assert [r["asked"] for r in rows[1:]] == [f"recall:{a}" for a in making.ANIMALS[:5]]
    assert first == second


def test_printed_measures(folder, type_):
    """P, R, accuracy and n as a paper prints them: every whole table with these digits, and no other."""
    got = type_("howsure solve P=.80 R=.73 acc=.95 n=1000 --format json").document
    tables = {tuple(t[k] for k in ("tp", "fp", "fn", "tn")) for t in got["tables"]}
    expected = set()
    for tp in range(1, 400):
        for fp in range(round(tp * 0.24), round(tp * 0.26) + 2):
            for fn in range(round(tp * 0.36), round(tp * 0.38) + 2):
                p, r, accuracy = tp / (tp + fp), tp / (tp + fn), (1000 - fp - fn) / 1000
                if 0.795 <= p < 0.805 and 0.725 <= r < 0.735 and 0.945 <= accuracy < 0.955 and tp + fp + fn <= 1000:
                    expected.add((tp, fp, fn, 1000 - tp - fp - fn))
    assert (80, 20, 30, 870) in expected
    assert tables == expected
    assert type_("howsure solve P=.80 R=.73 acc=.95 n=1000").out


def test_a_threshold_for_recall(folder, rng, type_):
    """The threshold whose recall on new items is at least .9 with probability .9: a Beta law at that table."""
    data = making.scores(rng)
    making.write_csv(folder / "preds.csv", data)
    line = "howsure curve preds.csv --truth label --score probability --best f1 --at-least 'recall=.9 with .9'"
    got = type_(f"{line} --format json").document
    threshold = got["threshold"]["value"] if isinstance(got.get("threshold"), dict) else got["threshold"]
    taken = data["probability"] >= threshold
    tp, fn = int((taken & (data["label"] == 1)).sum()), int((~taken & (data["label"] == 1)).sum())
    assert stats.beta(tp + 0.5, fn + 0.5).sf(0.9) >= 0.9
    assert type_(line).out


def test_runs_of_two_search_engines(folder, rng, type_):
    """Judgments and two runs: nDCG of each, and which is better."""
    qrels, good, poor = making.runs(rng, folder)
    got = type_(f"howsure trec {qrels.name} {good.name} {poor.name} --metric nDCG@10 --format json").document
    rows = {r["system"]: r for r in got["rows"]}
    assert set(rows) == {"good", "poor"}
    assert rows["good"]["score"] > rows["poor"]["score"]
    assert all(r["low"] < r["score"] < r["high"] for r in rows.values())


def test_the_counts_of_a_medical_test(type_):
    """Sensitivity, specificity, ppv and npv, by these names."""
    names = ("sensitivity", "specificity", "ppv", "npv")
    asked = " ".join(f"--metric {name}" for name in names)
    got = type_(f"howsure score --counts tp=45,fn=5,fp=30,tn=920 {asked} --format json").document["rows"]
    parts = {"sensitivity": (45, 5), "specificity": (920, 30), "ppv": (45, 30), "npv": (920, 5)}
    assert [r["asked"] for r in got] == list(names)
    for row in got:
        hits, misses = parts[row["asked"]]
        assert row["score"] == pytest.approx(hits / (hits + misses), abs=ONE)
        assert (row["low"], row["high"]) == pytest.approx(laws.rate_ends(hits, misses, 0.5), abs=ONE)


def test_grades_long_and_wide(folder, rng, type_):
    """Grades 1 to 5, one row per item, or one row per item and model: the same answer."""
    data = making.grades(rng)
    making.write_csv(folder / "wide.csv", data)
    both = {
        "question": np.tile(data["question"], 2),
        "model": np.repeat(["a", "b"], 80),
        "grade": np.concatenate([data["a"], data["b"]]),
    }
    making.write_csv(folder / "long.csv", both)
    wide = type_("howsure compare wide.csv --value a --value b --bounds 1,5 --format json").document["rows"][0]
    line = "howsure compare long.csv --value grade --system model --on question --bounds 1,5 --format json"
    long = type_(line).document["rows"][0]
    assert wide["difference"]["score"] == pytest.approx(data["a"].mean() - data["b"].mean(), abs=ONE)
    for row in (wide, long):
        assert row["paired"]
        assert row["p_better"] == pytest.approx(
            laws.bootstrap_difference(data["a"], data["b"], data["question"]), abs=DRAWN
        )
    assert (long["p_better"], long["difference"]) == (wide["p_better"], wide["difference"])


def test_a_table_of_a_database(folder, rng, type_):
    """SQLite by its address; a table, or a query."""
    data = making.two_models(rng)
    with sqlite3.connect(folder / "shop.db") as con:
        con.execute("create table preds (id int, label text, old text, new text, region text)")
        rows = zip(*(v.tolist() for v in data.values()), strict=True)
        con.executemany("insert into preds values (?, ?, ?, ?, ?)", rows)
    con.close()
    line = "howsure score --db sqlite:///shop.db --truth label --pred new --positive spam --metric f1 --format json"
    tp, fp, fn, _ = laws.cells(data["label"], data["new"], "spam")
    row = type_(f"{line} --table preds").document["rows"][0]
    assert (row["low"], row["high"]) == pytest.approx(laws.f1_ends(tp, fp, fn), abs=ONE)
    mask = data["region"] == "east"
    tp, fp, fn, _ = laws.cells(data["label"][mask], data["new"][mask], "spam")
    query = "select label, new from preds where region = 'east'"
    row = type_(f'{line} --query "{query}"').document["rows"][0]
    assert (row["low"], row["high"]) == pytest.approx(laws.f1_ends(tp, fp, fn), abs=ONE)


def test_scikit_learn(rng):
    """The report that people know, with intervals; a scorer for cross-validation and searches."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import classification_report as theirs
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from howsure.sklearn import classification_report, scorer

    x = rng.normal(size=(200, 3))
    y = making.LABELS[(x[:, 0] + 0.8 * rng.normal(size=200) > 0).astype(int)]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(x[:100], y[:100])
    known = theirs(y[100:], model.predict(x[100:]))
    ours = classification_report(y[100:], model.predict(x[100:]))
    for line in filter(str.strip, known.splitlines()[1:]):
        assert line.split()[0] in ours
    for number in set(re.findall(r"0\.\d\d", known)):
        assert number in ours
    found = cross_val_score(model, x, y, scoring=scorer("f1", positive="spam"), cv=3)
    low = cross_val_score(model, x, y, scoring=scorer("f1", positive="spam", of="low"), cv=3)
    assert (low < found).all()
    search = GridSearchCV(model, {"logisticregression__C": [0.1, 1.0]}, scoring=scorer("accuracy"), cv=3).fit(x, y)
    assert 0.5 < search.best_score_ < 1
    report = hs.score(model, x[100:], y[100:]).to_dict()
    accuracy = next(r for r in report["rows"] if r["metric"] == "accuracy")
    assert accuracy["score"] == pytest.approx(model.score(x[100:], y[100:]), abs=ONE)


WRONG = (
    ("howsure score preds.csv --truth lable --pred new", ("'lable'", "label")),
    ("howsure score preds.csv --truth label --perd new", ("--perd", "--pred")),
    ("howsure score preds.csv --truth label --pred new --metric presision", ("presision", "precision")),
    ("howsure score preds.csv --truth label --pred new --metric f11", ("f11", "did you mean")),
    ("howsure score preds.csv --truth label --pred new --level 95", ("95", "0.95")),
    ("howsure score preds.csv --truth label --pred new --metric f1", ("--positive",)),
    ("howsure scor preds.csv", ("scor", "score")),
    ("howsure score perds.csv", ("perds.csv",)),
)


@pytest.mark.parametrize(("line", "said"), WRONG)
def test_a_wrong_word_is_told_kindly(line, said, folder, rng, type_):
    """One answer on standard error that names what was given and what to type; nothing on standard output."""
    making.write_csv(folder / "preds.csv", making.two_models(rng))
    got = type_(line, code=2)
    assert not got.out
    for word in said:
        assert word.lower() in got.err.lower()
    assert "positive=" not in got.err


def test_an_unclear_file_lists_its_columns(folder, rng, type_):
    """Two models and no usual name among them: the columns with an example, and the line to type."""
    making.write_csv(folder / "preds.csv", making.two_models(rng))
    said = type_("howsure score preds.csv", code=2).err
    for name in ("label", "old", "new", "region"):
        assert name in said
    assert "howsure score preds.csv --truth label --pred" in said


def test_probabilities_are_no_predictions(folder, rng, type_):
    """They are pointed to --score and to the curve."""
    making.write_csv(folder / "preds.csv", making.scores(rng))
    said = type_("howsure score preds.csv --truth label --pred probability", code=2).err
    assert "--score" in said
    assert "howsure curve" in said


def test_no_arguments(type_):
    """Three commands to try."""
    said = type_("howsure").out
    assert (
        len(re.findall(r"^\W*howsure (?:score|compare|leaderboard|curve|solve|trec|preds)\b", said, re.MULTILINE)) >= 3
    )
    assert max(map(len, said.splitlines())) <= 80


def test_shards_are_not_taken_for_systems(folder, rng, type_):
    """Names that differ in digits only: pooled when told so, or as one quoted pattern."""
    data = making.two_models(rng)
    for part in range(3):
        making.write_csv(folder / f"part-{part}.csv", {k: v[part::3] for k, v in data.items()})
    columns = "--truth label --pred new --positive spam --metric f1"
    said = type_(f"howsure score part-0.csv part-1.csv part-2.csv {columns}", code=2).err
    assert "--pool" in said
    tp, fp, fn, _ = laws.cells(data["label"], data["new"], "spam")
    for files in ("part-0.csv part-1.csv part-2.csv --pool", "'part-*.csv'"):
        row = type_(f"howsure score {files} {columns} --format json").document["rows"][0]
        assert (row["low"], row["high"]) == pytest.approx(laws.f1_ends(tp, fp, fn), abs=ONE)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell, type_):
    """A script that the shell reads."""
    assert "howsure" in type_(f"howsure completion {shell}").out


def test_json_holds_nothing_but_json(folder, rng, type_):
    """What a program reads is a document, whatever was guessed."""
    making.write_csv(folder / "preds.csv", making.animals(rng))
    got = type_("howsure score preds.csv --format json")
    assert json.loads(got.out)["schema"] == "howsure.score/1"
    assert not got.err
