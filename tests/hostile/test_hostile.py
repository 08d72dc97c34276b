"""Hostile files and command lines: every run ends with rows that add up or with one sentence, never otherwise.

What no line may give is in running.py: another exit code than 0 and 2, a trace, a warning, the speech of a library, a
control character, NaN, an interval the wrong way round, rows that do not add up.
"""

from __future__ import annotations

import shlex
from functools import cache

import pytest

from tests import tiers
from tests.hostile import columns, files, grammar, trec_files
from tests.hostile.lines import CONDITIONS, DAMAGED, KINDS, MARKS, PLACES, SETTINGS
from tests.hostile.running import Ran, ran, wrong_with
from tests.tiers import spread

WHOLE = {name: grammar.MADE[name] for name in grammar.WHOLE}
ODD = grammar.NAMED
FORMATS = ("table", "markdown", "latex", "html", "csv")
LINES = 5000 if tiers.tier == "deep" else 80  # of the random ones
SEED = 20


@pytest.fixture(scope="module", autouse=True)
def _folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    for made in grammar.MADE.values():
        made.write(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield


def tried(text: str, *more: str, given: bytes = b"", **names: str) -> Ran:
    """A line that keeps all rules."""
    words = [w.format(**names) for w in shlex.split(text)]
    r = ran([*words, *more], given)
    assert wrong_with(r) == [], shlex.join(r.words)
    return r


def shown(text: str, **names: str) -> Ran:
    """A line that keeps all rules and gives a document."""
    r = tried(text, "--format", "json", **names)
    assert r.code == 0, r.err
    return r


def results(r: Ran) -> list:
    return r.document["rows"]


def same(one: object, two: object) -> bool:
    """Equal, but for the order in which weights were added up."""
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(x, two[name]) for name, x in one.items())
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    return one == two or (isinstance(one, float) and isinstance(two, float) and one == pytest.approx(two, rel=1e-9))


# -- files


def has_its_columns(name: str, kind: str) -> bool:
    """Whether the heads that a kind asks for can be told apart in a file."""
    return name not in ("same-heads.csv", "empty-heads.csv") or "g" not in KINDS[kind].asks.split()


@cache
def of_the_plain_file(kind: str) -> list:
    return results(shown(KINDS[kind].text, f="plain.csv"))


@pytest.mark.parametrize(("name", "kind"), [x for x in spread(WHOLE, KINDS, 8) if has_its_columns(*x.values)])
def test_every_form_is_read_whole(name, kind):
    """The same table in any form gives the same numbers, and all of its rows are read."""
    r = shown(KINDS[kind].text, f=name)
    assert same(results(r), of_the_plain_file(kind))
    assert (r.rows["read"], r.rows["kept"]) == (len(WHOLE[name].rows), files.ITEMS)


@pytest.mark.parametrize(("name", "condition"), spread(["plain.csv", "lines.jsonl", "table.parquet", "quoted.csv",
    "array.json", "parts.csv.gz", "coded.parquet", "parts.jsonl.zst"], range(len(CONDITIONS)), 4))  # fmt: skip
def test_rows_left_out_by_conditions(name, condition):
    """Conditions keep the rows that plain Python keeps, and the document says how many were left out."""
    text, holds = CONDITIONS[condition]
    rows = WHOLE[name].rows
    kept = sum(map(holds, rows))
    for kind in ("outcomes", "three classes") if kept > 1 else ("outcomes",):
        told = shown(f"{KINDS[kind].text} {text}", f=name).rows
        assert (told["read"], told["kept"], told["left_out"].get("where", 0)) == (len(rows), kept, len(rows) - kept)


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files(name):
    """Refused in one sentence that says which file, or read whole where nothing is lost."""
    wanted = DAMAGED[name]
    for kind in ("classes", "values", "scores") if tiers.tier == "deep" else ("classes",):
        r = tried(KINDS[kind].text, "--format", "json", f=name)
        if isinstance(wanted, int) and (r.code == 0 or kind == "classes"):  # NaN is no value, but is none of its labels
            assert r.rows["read"] == r.rows["kept"] == wanted
        else:
            assert r.code == 2
            assert kind != "classes" or str(wanted) in r.err


def test_every_damaged_file_has_its_sentence():
    assert set(DAMAGED) == set(grammar.DAMAGED)


@pytest.mark.parametrize(("name", "role"), spread(ODD, columns.ROLES))
def test_odd_columns(name, role):
    """In every role an odd column is counted or refused; what is read is all that is there."""
    made = ODD[name]
    r = tried(columns.ROLES[role].replace("{0}", "{}").replace("{}", "{f}"), "--format", "json", f=made.name)
    if r.code == 0:
        files_read = 2 if role == "item" else 1
        assert r.rows["read"] == files_read * len(made.rows)


@pytest.mark.parametrize("name", ["json-all kinds.jsonl", "parquet-timestamp in a zone.parquet"])
def test_odd_columns_are_listed(name):
    """Values of all kinds and times in a zone, where columns are looked at because none is named."""
    r = tried("score '{f}'", f=name)
    assert "\n  odd  " in r.err


def test_one_file_twice_is_no_difference():
    assert "one file twice" in tried("forecast {f} {f} --outcome o --independent --n 8", f="plain.csv").err


@pytest.mark.parametrize(("name", "form"), spread([x for x in ODD if x.startswith(("csv", "json"))], FORMATS))
def test_odd_labels_in_every_format(name, form):
    """Labels that are formulas, escapes, marks of direction and markup do nothing in any format."""
    for role in ("truth and pred", "by"):
        words = [w.format(ODD[name].name) for w in shlex.split(columns.ROLES[role])]
        r = ran([*words, "--format", form])
        assert wrong_with(r) == [], shlex.join(r.words)


def test_shards_of_every_packing():
    """Shards of any kind, packed in any way, are one data set: as many rows as all of them have."""
    names = ["plain.csv", "parts.csv.gz", "one.csv.zst", "lines.jsonl", "array.json", "table.parquet", "bom.csv"]
    r = shown(f"score {' '.join(names)} --truth y --pred z --metric f1 --pool")
    assert r.rows["read"] == r.rows["kept"] == r.document["data"]["n"] == files.ITEMS * len(names)


def test_missing_answers_are_counted():
    """Empty fields are refused with their number, or left out and counted."""
    rows = [{**row, "z": "" if i % 8 == 3 else row["z"]} for i, row in enumerate(files.TABLE)]
    files.of_csv("holes.csv", files.as_csv(rows)).write(files.Path())
    lost = sum(row["z"] == "" for row in rows)
    line = "score holes.csv --truth y --pred z --metric f1"
    assert f"{lost} missing prediction" in tried(line).err
    told = shown(f"{line} --missing drop").rows
    assert (told["read"], told["kept"], told["left_out"]["missing"]) == (len(rows), len(rows) - lost, lost)
    told = shown(f"{line} --missing wrong").rows
    assert (told["read"], told["kept"]) == (len(rows), len(rows))
    both = shown(f"{line} --missing drop --where r=north").rows
    north = [row for row in rows if row["r"] == "north"]
    assert both["left_out"]["where"] == len(rows) - len(north)
    assert both["left_out"]["missing"] == sum(row["z"] == "" for row in north)


# -- lines


@pytest.mark.parametrize(("text", "wanted"), SETTINGS, ids=[text for text, _ in SETTINGS])
def test_settings_at_their_ends(text, wanted):
    """A result where a part of the sentence is empty, else a refusal that says it."""
    r = tried(text)
    assert r.code == (2 if wanted else 0), r.err
    assert wanted in r.err


@pytest.mark.parametrize(("place", "mark"), spread(PLACES, MARKS))
def test_what_users_write_never_acts(place, mark):
    """Escapes, marks of direction, formulas and bytes that are no text, wherever a text can stand."""
    words = [w.replace("{}", mark) for w in shlex.split(place)]
    r = ran(words)
    assert wrong_with(r) == [], words


@pytest.mark.parametrize("name", grammar.TREC)
def test_odd_judgments_and_runs(name):
    """As judgments, as a run beside another, and as a confusion matrix."""
    runs = "one.run {f} --metric nDCG@3" if tiers.tier == "deep" else "{f}"
    for line in ("trec {f} one.run --metric AP", f"trec qrels.txt {runs} --metric AP"):
        r = tried(line, "--format", "json", f=name)
        if r.code == 0:
            given = [w.format(f=name) for w in shlex.split(line) if w.endswith((".txt", ".run", "{f}"))]
            assert [part["read"] for part in r.rows["of"]] == [trec_files.lines(x) for x in given]
    tried("score --matrix {f} --metric accuracy", "--format", "json", f=name)


def test_random_lines():
    """Lines that nobody thought of; the smallest of those that break a rule are told, with the seed."""
    found = [f"howsure {shlex.join(words)}: {said[0]}" for words, said in grammar.sweep(LINES, SEED)]
    assert not found, f"seed {SEED}: " + "\n".join(sorted(found, key=len))
