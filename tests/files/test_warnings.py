"""Warnings: notes that say that the numbers may not answer the question; --strict refuses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import howsure as hs
from howsure.cli.app import run

SWAPPED = "label,pred\nyes,n\nno,y\nyes,n\nno,n\n"


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run(list(words))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def odd(tmp_path: Path) -> str:
    """A file whose predicted labels never occur among the true labels."""
    path = tmp_path / "odd.csv"
    path.write_text(SWAPPED)
    return str(path)


def test_a_warning_is_called_so_and_comes_first(odd: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In the table by its first word, in JSON by its level; Python has the level too."""
    code, out, _ = _run(capsys, "score", odd, "--truth", "label", "--pred", "pred")
    notes = [line for line in out.splitlines() if line.startswith("- ")]
    assert code == 0
    assert notes[0].startswith("- warning: ")
    levels = [n["level"] for n in json.loads(_run(capsys, "score", odd, "--format", "json")[1])["notes"]]
    assert levels[0] == "warning"
    assert levels == sorted(levels, reverse=True)
    assert "note" in levels
    found = hs.score(odd, truth="label", pred="pred").notes
    assert [n.code for n in found if n.level == "warning"] == ["no-common-label"]


@pytest.mark.parametrize("verb", [("score",), ("gate", "--require", "accuracy > 0.1")], ids=["score", "gate"])
def test_strict_refuses_warnings_and_writes_nothing(
    verb: tuple[str, ...], odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and one sentence; without a warning it changes nothing."""
    out = tmp_path / "out.json"
    code, said, err = _run(capsys, verb[0], odd, *verb[1:], "--strict", "--out", str(out))
    assert (code, said, out.exists()) == (2, "", False)
    assert err.startswith("howsure: --strict refuses a result with 1 warning: ")
    fine = tmp_path / "fine.csv"
    fine.write_text("label,pred\n" + "yes,yes\nno,no\n" * 20)
    plain = _run(capsys, verb[0], str(fine), *verb[1:])
    assert _run(capsys, verb[0], str(fine), *verb[1:], "--strict") == plain
    assert plain[0] == 0


def test_a_settings_file_may_ask_for_strict(
    odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`strict = true` in howsure.toml is --strict."""
    (tmp_path / "howsure.toml").write_text('require = "accuracy > 0.1"\nstrict = true\n')
    monkeypatch.chdir(tmp_path)
    assert _run(capsys, "gate", odd)[0] == 2
