"""What a release holds together: one version, figures that follow their data, floors, pins and archives."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import howsure
from bench import provenance, report
from bench.growth import page
from bench.growth.cases import CASES
from bench.memory import Peak
from bench.registry import Row, Run
from bench.timing import Cost
from tools import extra_lines, figures, first_lines, floors, package_content

ROOT = Path(__file__).parents[2]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


# -- one version -----------------------------------------------------------------------------------


def test_the_version_is_in_one_place():
    """The build reads version.py; the changelog and the citation name the same version and day."""
    assert "version" not in floors.project()
    assert "version" in floors.project()["dynamic"]
    cited = dict(re.findall(r'^(version|date-released): "?([\w.-]+)"?$', text("CITATION.cff"), re.MULTILINE))
    latest = re.search(r"^## \[([\d.]+)\] - (\S+)$", text("CHANGELOG.md"), re.MULTILINE)
    assert latest is not None
    assert (howsure.__version__, howsure.__version__) == (cited["version"], latest[1])
    assert cited["date-released"] == latest[2]


def test_the_changelog_has_a_place_for_what_comes_next():
    """Unreleased comes first."""
    assert re.findall(r"^## \[(.*?)\]", text("CHANGELOG.md"), re.MULTILINE)[0] == "Unreleased"


# -- requirements ----------------------------------------------------------------------------------


def test_pins_are_no_lower_than_floors():
    """Whatever pyproject.toml asks for at least, constraints.txt pins, and no lower."""
    pinned = dict(line.lower().replace("_", "-").split("==") for line in text("constraints.txt").split())
    everything = floors.floors(*(x for x in floors.extras() if x != "all"))
    low = {name: version for name, version in everything.items() if _numbers(pinned[name]) < _numbers(version)}
    assert low == {}


def _numbers(version: str) -> list[int]:
    return [int(x) for x in re.findall(r"\d+", version)]


def test_of_two_floors_the_higher_counts():
    """pyspark of the tests is no older than that of the extra; tools that never run the code have no floor."""
    assert "ruff" not in floors.floors("dev")
    assert _numbers(floors.floors("spark", "dev")["pyspark"]) >= _numbers(floors.floors("spark")["pyspark"])
    assert set(floors.floors()) == {"click", "duckdb", "narwhals", "numpy", "rich", "scipy"}


def test_every_extra_is_tried_alone():
    """make dist has one use of each extra that people install; `all` is all of them, tried in turn; web has charts."""
    assert set(extra_lines.EXTRAS) == {*floors.RUNTIME, "all"}
    assert set(extra_lines.EXTRAS) == set(floors.extras()) - {"bench", "dev", "dist", "docs", "fuzz"}
    assert floors.extras()["all"] == [f"howsure[{','.join(floors.RUNTIME)}]"]
    assert "howsure[charts]" in floors.extras()["web"]


@pytest.mark.parametrize("name", ["arviz", "postgres", "trec"])
def test_the_lines_of_extras_work(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """What make dist runs for an extra runs here too."""
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "howsure"
    program.write_text("#!/bin/sh\nexec " + sys.executable + ' -m howsure "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    extra_lines.EXTRAS[name](str(program))


# -- archives --------------------------------------------------------------------------------------


def test_what_archives_lack_is_told(tmp_path: Path):
    """A wheel without py.typed and with a test in it, and an empty source archive, are refused by name."""
    with zipfile.ZipFile(tmp_path / "howsure.whl", "w") as archive:
        for name in package_content.tree() - {"howsure/py.typed"}:
            archive.writestr(name, "")
        archive.writestr("tests/__init__.py", "")
    with tarfile.open(tmp_path / "howsure.tar.gz", "w:gz"):
        pass
    told = package_content.faults(tmp_path)
    assert "the wheel lacks howsure/py.typed" in told
    assert "the wheel has tests/__init__.py, which is not in src" in told
    assert "the wheel lacks its METADATA" in told
    assert "the source archive lacks pyproject.toml" in told


def test_the_first_lines_are_those_of_the_readme():
    """make dist runs the first command and the first Python example that a reader meets."""
    words, printed, example, table = first_lines.shown(text("README.md"))
    assert words[:2] == ["howsure", "score"]
    assert "import howsure as hs" in example
    assert "569" in printed
    assert "accuracy  0.750" in table


# -- figures ---------------------------------------------------------------------------------------


def test_figures_follow_the_results():
    """Another time in RESULTS.md is another time in the README; a row that is gone is told by name."""
    results = text("bench/RESULTS.md")
    group, what, against = place = next(iter(figures.SPEED))
    row = figures.results(results)[place]
    line = next(x for x in results.splitlines() if x.startswith(f"| {what} ") and against in x)
    assert group in results
    changed = results.replace(line, line.replace(f" {row['ours']} ", " 1.23 s "))
    assert "1.23 s" in figures.speed(changed)
    with pytest.raises(KeyError, match="n = 10,000,000"):
        figures.speed(results.replace(line, ""))


def test_the_page_of_growth_has_every_case():
    """Every case that is measured has its chart, its data and its line on the page."""
    document = json.loads(page.DATA.read_text(encoding="utf-8"))
    assert [case["key"] for case in document["cases"]] == [case.key for case in CASES]
    for case in CASES:
        assert "<svg" in (page.FIGURES / f"growth-{case.key}.svg").read_text(encoding="utf-8")
        for line in case.lines:
            assert f"| {line.name} | " in page.page()


# -- one commit ------------------------------------------------------------------------------------


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small repository of one commit, taken for the project."""
    (tmp_path / "src").mkdir()
    (tmp_path / "bench").mkdir()
    for name in ("src/a.py", "bench/RESULTS.md", "pyproject.toml"):
        (tmp_path / name).write_text("1\n", encoding="utf-8")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "first")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    return tmp_path


def test_figures_are_of_one_commit(clone: Path):
    """A changed source is refused, and so is a folder without history; what the run writes itself is not."""
    name = provenance.commit()
    (clone / "bench" / "RESULTS.md").write_text("2\n", encoding="utf-8")
    assert provenance.commit() == name
    (clone / "src" / "a.py").write_text("2\n", encoding="utf-8")
    with pytest.raises(provenance.Mixed, match=r"src/a\.py is not as in commit"):
        provenance.commit()


def test_without_history_there_is_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Outside of a repository nothing is written either."""
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(provenance.Mixed, match="no git history"):
        provenance.commit()


def test_the_page_of_results_names_its_commit(monkeypatch: pytest.MonkeyPatch):
    """Commit, length and load of the run are in its first lines, and notes without a peer name their row."""
    from bench.registry import Group

    monkeypatch.setattr(report, "PACKAGES", ("howsure", "numpy"))
    rows = [Row("all of it", Cost(1.5, Peak(12.0)), note="two tables")]
    made = report.page([(Group("a", "A", lambda _: iter(())), rows)], Run(), report.Origin("abc123", "load 0.1", 120))
    assert "commit `abc123`; 2 minutes, load 0.1" in made
    assert f"howsure {howsure.__version__}" in made
    assert "- all of it: two tables." in made
    assert "| all of it | 1.50 s | 12.0 MB |" in made
