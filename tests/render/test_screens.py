"""Screens as people see them: 60, 80 and 120 columns, kept beside this test (to renew them see snapshot.py)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import howsure as hs
from howsure.cli import output
from howsure.cli.app import run
from howsure.render import text as plain
from howsure.render.tables import ASCII, LINES, text_table
from howsure.render.text import cells
from howsure.results.verbs import names
from tests.render.snapshot import held

GATE = hs.gate(
    hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), ["f1 > 0.6", "balanced-accuracy > 0.85 with 0.8", "recall > 0.9"]
)
HERE = Path(__file__).parent / "screens"
CANCER = "examples/breast_cancer.csv --truth truth --positive malignant"
TWELVE = " ".join(f"--counts {60 + 2 * i},20,{50 - 2 * i},870" for i in range(12))
SCREENS = {
    "score": "score --counts 80,20,30,870 --above 0.7",
    "slices": f"score {CANCER} --pred logistic --by size --metric recall --metric precision",
    "compare": f"compare {CANCER} --pred logistic --pred tree --metric recall",
    "gate": f"gate {CANCER} --pred logistic --require f1>0.9 --require recall>0.92 --require specificity>.9",
    "leaderboard": f"leaderboard {TWELVE} --metric f1",
    "curve": f"curve {CANCER} --score p_tree --metric f1@.5 --metric recall@.5",
    "classes": "score examples/digits.parquet --truth truth --pred logistic --metric f1:0 --metric f1:1 --metric f1:9",
    "solve": "solve precision=.75 recall=.6 accuracy=.85 n=200",
}
MODELS = [f"model_with-a-long-name-{i:03d}-of-a-run.jsonl" for i in range(3)]
NAMED = " ".join(f"--name {x}" for x in MODELS)
MORE = {
    "forecast": f"forecast {CANCER} --pred tree --n 200 --metric f1 --below 0.9",
    "plan": "plan --metric f1 --expected recall=.8,precision=.7,prevalence=.1 --width .05",
    "trec": "trec examples/wine.qrels examples/wine-full.run examples/wine-color.run --metric AP",
    "tradeoff": "tradeoff accuracy=.9 prevalence=.2",
    "surface": "surface --z phi fallout=.01",
    "digits": "score examples/digits.parquet --truth truth --pred logistic --tolerance 0.2",
    "long-names": f"leaderboard --counts 60,20,50,870 --counts 62,20,48,870 --counts 64,20,46,870 {NAMED}",
    "long-pair": f"compare --counts 60,20,50,870 --counts 62,20,48,870 --name {MODELS[0]} --name {MODELS[1]}",
}
EVERY = SCREENS | MORE
WIDTHS = (40, 60, 80, 120, 200)
KEPT = (60, 80, 120)


def screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, width: int, terminal: bool = True
) -> str:
    """What a terminal, or a pipe, of that width shows."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal, raising=False)
    assert run(line.split()) == 0, capsys.readouterr().err
    return capsys.readouterr().out


@pytest.mark.parametrize("name", EVERY)
def test_the_screen_is_the_one_that_is_kept(name, monkeypatch, capsys):
    """At 60, 80 and 120 columns, without colour."""
    shown = [f"{width} columns\n\n{screen(monkeypatch, capsys, EVERY[name], width)}" for width in KEPT]
    text = "\n".join(shown)
    assert "\x1b" not in text
    assert text == held(HERE / f"{name}.txt", text)


def test_every_verb_is_kept():
    """A verb with a table has a screen; those without take no data of their own."""
    assert {line.split()[0] for line in EVERY.values()} == set(names())


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("name", [x for x in EVERY if x not in ("solve", "surface", "tradeoff")])
def test_no_answer_leaves_a_narrow_screen(name, width, monkeypatch, capsys):
    """Every score, interval, probability and n of the wide screen is in the narrow one, and names stay different."""

    def numbers(text: str) -> Counter[str]:
        body = text.partition("\n\n")[2].partition("\n\n- ")[0]
        return Counter(re.findall(r"[<>]?-?\d[\d,]*\.\d{3,}", body))

    wide, narrow = (screen(monkeypatch, capsys, EVERY[name], size, terminal=False) for size in (300, width))
    assert not numbers(wide) - numbers(narrow)
    if name == "long-names":
        rows = [line.split()[0] for line in narrow.partition("\n\n")[2].splitlines() if "of-a" in line or "…" in line]
        assert len(set(rows)) == len(MODELS)


def test_status_has_a_colour_only_on_a_terminal_that_wants_it(monkeypatch):
    """Green, yellow and red for pass, inconclusive and fail; NO_COLOR leaves the words."""
    made = plain.laid_out(text_table(GATE.to_dict()), 100)
    found = [line[start:end] + ":" + colour for line, _, spans in made.table for start, end, colour in spans]
    assert found == ["pass:green", "inconclusive:yellow", "fail:red"]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SCREENS)
def test_every_screen_fits(name, width, monkeypatch, capsys):
    """No line is wider than the terminal, and no word of the wide one is broken."""
    text = screen(monkeypatch, capsys, SCREENS[name], width)
    assert max(map(cells, text.splitlines())) <= width
    wide = screen(monkeypatch, capsys, SCREENS[name], 400)
    rows = [line.split() for line in text.splitlines()]
    known = set(wide.split())
    first = [row[0] for row in rows if row and row[0].startswith(("precision", "recall", "f1", "balanced"))]
    assert all("…" in word or word in known for word in first)


def test_what_left_is_named(monkeypatch, capsys):
    """A last line says which columns left, and how to see them."""
    text = " ".join(screen(monkeypatch, capsys, SCREENS["leaderboard"], 46).split())
    assert "columns hidden to fit: expected rank, group; use a wider terminal" in text


def test_bars_have_one_scale_and_their_points():
    """The point is at the score, the ends at the interval; the reference is drawn in every row."""
    report = hs.score(hs.Tally.binary(tp=80, fp=20, fn=30, tn=870), metrics=["precision", "recall"], above=0.7)
    text = plain.fitted(report.to_dict(), 100, signs=LINES)
    head, *rows = (x for x in text.splitlines() if x.startswith(("metric", "precision", "recall")) and "(95%" not in x)
    start, end = head.index("0.6", 40), len(head) - 1
    for line, (low, score, high) in zip(rows, [(0.714, 0.8, 0.869), (0.639, 80 / 110, 0.804)], strict=True):
        for sign, value in (("├", low), ("●", score), ("┤", high)):
            place = start + (value - 0.6) / (0.9 - 0.6) * (end - start)
            assert abs(line.index(sign) - place) <= 1
        assert abs(line.index("┆") - (start + (end - start) / 3)) <= 1


def test_poor_encodings_have_plain_bars():
    """The same bar in ASCII."""
    text = plain.fitted(hs.score(hs.Tally.rate(hits=47, of=50)).to_dict(), 80, signs=ASCII)
    assert text.isascii()
    assert "|-" in text
    assert "o" in text.splitlines()[-1]


def test_odd_rows_have_bars_too():
    """An undefined score has no point, an infinite one no bar, and one row is enough."""
    none = hs.score(hs.Tally.binary(tp=0, fp=0, fn=3, tn=4), metrics="precision")
    text = plain.fitted(none.to_dict(), 80, signs=LINES)
    assert "├" in text
    assert "●" not in text
    mixed = hs.score(hs.Tally.binary(tp=8, fp=0, fn=3, tn=4), metrics=["lr-plus", "recall"])
    row = next(x for x in plain.fitted(mixed.to_dict(), 80, signs=LINES).splitlines() if x.startswith("lr-plus"))
    assert "├" not in row


def test_long_names_stay_apart():
    """Names are cut in the middle at the last, and stay different."""
    names = {f"a-very-long-name-of-a-system-{i}-in-a-file.jsonl": hs.Tally.rate(hits=10 + i, of=50) for i in range(3)}
    text = plain.fitted(hs.leaderboard(names).to_dict(), 50, signs=LINES)
    assert max(map(cells, text.splitlines()[3:])) <= 80
    cut = [line.split()[0] for line in text.splitlines() if "…" in line]
    assert len(set(cut)) == len(cut)


def test_a_pipe_has_no_bar_and_no_limit(monkeypatch, capsys):
    """Neither bar nor colour; COLUMNS sets a width where it is given."""
    monkeypatch.delenv("COLUMNS", raising=False)
    line = SCREENS["score"].split()
    assert run(line) == 0
    whole = capsys.readouterr().out
    assert "├" not in whole
    assert "●" not in whole
    assert "\x1b" not in whole
    assert "0.762" in whole
    monkeypatch.setenv("COLUMNS", "40")
    assert run(line) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 40
    assert output._asked_width() == 40
