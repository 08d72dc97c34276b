"""What the one way through the house promises, as far as it can be counted (docs/architecture.md, docs/why/014).

That no module bears the name of a public function is held in test_public.py.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import grimp
import pytest

import howsure
from howsure import catalogue
from howsure.cli.app import run

HOME = Path(howsure.__file__).parent
FILES = {path.relative_to(HOME).as_posix(): path for path in sorted(HOME.rglob("*.py"))}
VERBS = [
    name
    for name in FILES
    if name in ("entering.py", "export.py", "ranking/choosing.py", "ranking/curves.py", "rows.py", "scoring.py")
    or name == "slice_order.py"
    or name.startswith(("cli/", "comparison/", "decisions/"))
]
ALLOWED = {("ranking/curves.py", "Scored"): "a curve is drawn of scores, and of nothing else"}
CYCLES = {  # modules that import each other, and why
    frozenset({"howsure.evidence.classes", "howsure.evidence.label_sets", "howsure.evidence.reading"}): (
        "Tally.multilabel and Tally.from_dict make other kinds, and the table of one label is a Tally"
    )
}


def classes(tree: ast.AST) -> list[str]:
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(FILES[name].read_text("utf-8"))


@cache
def kinds() -> frozenset[str]:
    return frozenset(kind for name in FILES if name.startswith("evidence/") for kind in classes(tree_of(name)))


def named(node: ast.AST) -> set[str]:
    """Every name in an expression."""
    found = {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}
    return found | {x.attr for x in ast.walk(node) if isinstance(x, ast.Attribute)}


def behind(names: set[str], file: str) -> set[str]:
    """Names, and those of the classes in tuples and unions that the module has under these names."""
    module = importlib.import_module("howsure." + file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    found = set(names)
    for name in names:
        value = getattr(module, name, None)
        parts = value if isinstance(value, tuple) else getattr(value, "__args__", ())
        found |= {x.__name__ for x in parts if isinstance(x, type)}
    return found


def kinds_asked_for(file: str, tree: ast.AST) -> set[str]:
    """Kinds of evidence that are asked for by isinstance, issubclass or a match of classes."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and named(node.func) & {"isinstance", "issubclass"} and len(node.args) == 2:
            found |= behind(named(node.args[1]), file) & kinds()
        if isinstance(node, ast.MatchClass):
            found |= named(node.cls) & kinds()
    return found


def test_the_scan_finds_a_kind() -> None:
    """The scan sees a plain test, one in a tuple and one by another name."""
    assert kinds_asked_for("scoring.py", ast.parse("isinstance(x, Tally)")) == {"Tally"}
    assert kinds_asked_for("scoring.py", ast.parse("isinstance(x, (int, items.Graded))")) == {"Graded"}
    assert kinds_asked_for("ingest/entrance.py", ast.parse("isinstance(x, MADE)")) >= {"Tally", "Scored"}
    assert kinds_asked_for("scoring.py", ast.parse("match x:\n case Outcomes(): pass")) == {"Outcomes"}


@pytest.mark.parametrize("file", VERBS)
def test_verbs_know_no_kinds_of_evidence(file: str) -> None:
    """No verb asks which kind of evidence it has, but for the exceptions that are listed with their reason."""
    assert {(file, kind) for kind in kinds_asked_for(file, tree_of(file))} <= set(ALLOWED)


@pytest.mark.parametrize("file", VERBS)
def test_verbs_have_no_strings_for_kinds(file: str) -> None:
    """No verb holds the name of a kind of evidence, or of its model, as a text that it could compare with."""
    models = {x.removesuffix(".py").partition("/")[2] for x in FILES if x.startswith("evidence/")}
    compared = [node for node in ast.walk(tree_of(file)) if isinstance(node, (ast.Compare, ast.MatchValue))]
    texts = {x.value for node in compared for x in ast.walk(node) if isinstance(x, ast.Constant)}
    held = {x.value for x in ast.walk(tree_of(file)) if isinstance(x, ast.Constant)}
    assert not {x for x in texts if isinstance(x, str)} & models
    assert not {x for x in held if isinstance(x, str)} & kinds()


def test_listed_exceptions_are_there() -> None:
    """An exception that is no longer needed is struck off the list."""
    for file, kind in ALLOWED:
        assert kind in kinds_asked_for(file, tree_of(file))


def test_class_names_occur_once() -> None:
    """A class is known by its name: no two share one."""
    homes = defaultdict(list)
    for file in FILES:
        tree = tree_of(file)
        for name in classes(tree):
            homes[name].append(file)
    assert not {name: files for name, files in homes.items() if len(files) > 1}


def test_no_modules_import_each_other() -> None:
    """No cycle of imports, package files and imports inside functions counted, but for those that are listed."""
    graph = grimp.build_graph("howsure", exclude_type_checking_imports=True, cache_dir=None)
    after = {m: reached(m, graph) for m in graph.modules}
    found = {frozenset(x for x in after[m] if m in after[x]) for m in after if m in after[m]}
    assert found == set(CYCLES)


def reached(module: str, graph: Any) -> set[str]:
    """What a module imports, directly or not."""
    found: set[str] = set()
    todo = [module]
    while todo:
        more = graph.find_modules_directly_imported_by(todo.pop()) - found
        found |= more
        todo += more
    return found


# -- notes are data

READING = {"match", "search", "fullmatch", "findall", "finditer", "sub", "subn", "split"}
LOOKING = {*READING, "startswith", "endswith", "partition", "rpartition", "find", "index", "replace", "removeprefix"}


def note_texts_read(tree: ast.AST) -> Iterator[str]:
    """Places where the text of a note is taken apart, or looked into."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            taken = node.func.attr in READING and any(is_text(x) for x in node.args)
            if taken or (node.func.attr in LOOKING and is_text(node.func.value)):
                yield ast.unparse(node)
        if isinstance(node, ast.Compare) and any(map(is_text, [node.left, *node.comparators])):
            yield ast.unparse(node)


def is_text(node: ast.AST) -> bool:
    """Whether it is `note.text` or `note["text"]`, of whatever the note is called."""
    if isinstance(node, ast.Attribute):
        return node.attr == "text" and not named(node.value) & {"form", "f"}  # formats have a text that is a function
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == "text"


def test_the_scan_finds_a_text() -> None:
    """The scan sees a regular expression, a prefix and a comparison."""
    for line in ("re.sub('a', 'b', n.text)", "P.match(n['text'])", "n.text.startswith('x')", "'weighted' in n.text"):
        assert list(note_texts_read(ast.parse(line)))


def test_no_text_of_a_note_is_read() -> None:
    """Notes are told apart by code and facts: no regular expression, no prefix and no comparison takes their words."""
    assert not {file: read for file in FILES if (read := list(note_texts_read(tree_of(file))))}


# -- one command, counted

ROWS = 40


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    """Forty answers in three regions."""
    lines = [f"{i % 2},{int(i % 2 == 1 or i % 5 == 0)},{'nsw'[i % 3]}" for i in range(ROWS)]
    file = tmp_path / "preds.csv"
    file.write_text("\n".join(["y,m,region", *lines]) + "\n", encoding="utf-8")
    return file


def calls_of(arguments: list[str]) -> Counter[tuple[str, str]]:
    """Calls of the package's functions in one run of the command, by file and name."""
    calls: Counter[tuple[str, str]] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(HOME)) and code.co_name != "<module>":
            calls[Path(code.co_filename).relative_to(HOME).as_posix(), code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        assert run(arguments) == 0
    finally:
        sys.setprofile(before)
    return calls


def test_one_command_reads_each_name_once(predictions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A report of slices parses every metric that it shows once, and one more name."""
    arguments = ["score", str(predictions), "--truth", "y", "--pred", "m", "--by", "region"]
    assert run(arguments) == 0  # what is kept between runs is made here
    shown = capsys.readouterr().out
    calls = calls_of(arguments)
    assert capsys.readouterr().out == shown
    assert all(name in shown for name in catalogue.DEFAULT_BINARY)
    assert 0 < calls["catalogue/__init__.py", "parse"] <= len(catalogue.DEFAULT_BINARY) + 1
