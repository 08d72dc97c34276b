"""JUnit XML: files in one folder are repeated runs of the same tests; a folder, or a file alone, is a system."""

from __future__ import annotations

import xml.parsers.expat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

from howsure.errors import BadFile
from howsure.io.logs.packed import damaged
from howsure.io.logs.run import Harness, Sample, TaskRun, facts

_FIRST: Final = (b"<testsuites", b"<testsuite")
_SCORER: Final = "passed"
_OUTCOMES: Final = {
    "failure": 0.0,
    "error": None,
    "skipped": None,
}  # an error is no answer; a skipped test is none to run


def _looks(path: Path, head: bytes) -> bool:
    return path.suffix == ".xml" and any(x in head for x in _FIRST)


@dataclass
class _Reader:
    """The tests of one file, as expat comes upon them; documents that declare entities are refused."""

    path: Path
    suites: list[str] = field(default_factory=list)
    case: dict[str, Any] | None = None
    found: list[dict[str, Any]] = field(default_factory=list)

    def read(self) -> list[dict[str, Any]]:
        """All tests of the file."""
        parser = xml.parsers.expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.StartDoctypeDeclHandler = self._refuse
        try:
            with self.path.open("rb") as file:
                parser.ParseFile(file)
        except xml.parsers.expat.ExpatError as error:
            raise damaged(self.path, f"its XML ends or breaks in line {error.lineno:,}") from None
        except OSError as error:
            raise BadFile(f"cannot read {str(self.path)!r}: {error.strerror or error}.") from None
        return self.found

    def _refuse(self, *_declared: Any) -> NoReturn:
        raise BadFile(f"{str(self.path)!r} declares a document type, which no test report needs: entities in it may "
                      "unpack without end. Leave it out.")  # fmt: skip

    def _start(self, name: str, given: Mapping[str, str]) -> None:
        if name == "testsuite":
            self.suites.append(given.get("name", ""))
        elif name == "testcase":
            called = "::".join(x for x in (given.get("classname"), given.get("name")) if x)
            task = self.suites[-1] if self.suites else "tests"
            self.case = {"id": called, "task": task or "tests", "said": [], "facts": dict(given)}
        elif self.case is not None and name in _OUTCOMES:
            self.case["said"].append(name)

    def _end(self, name: str) -> None:
        if name == "testsuite":
            self.suites.pop()
        elif name == "testcase" and self.case is not None:
            self.found.append(self.case)
            self.case = None


def _runs(paths: Sequence[Path]) -> list[TaskRun]:
    """A run for each suite of each folder; its epochs are the files, in the order of their names."""
    folders = {path.parent: [x for x in paths if x.parent == path.parent] for path in paths}
    found = []
    for folder, files in folders.items():
        suites: dict[str, list[Sample]] = {}
        skipped: dict[str, int] = {}
        for epoch, path in enumerate(sorted(files), 1):
            for case in _Reader(path).read():
                own = suites.setdefault(case["task"], [])
                if "skipped" in case["said"]:
                    skipped[case["task"]] = skipped.get(case["task"], 0) + 1
                    continue
                outcome = min((_OUTCOMES[x] for x in case["said"]), key=lambda x: x is None, default=1.0)
                known = {name: case["facts"][name] for name in ("classname", "file") if name in case["facts"]}
                own.append(Sample(case["id"], {_SCORER: outcome}, epoch, facts(known)))
        several = str(folder.name) if len(folders) > 1 else None
        for task, samples in suites.items():
            found.append(TaskRun(several, task, samples, str(folder), skipped=skipped.get(task, 0)))
    if not found:
        raise BadFile(f"{str(paths[0])!r} holds no tests.")
    return found


HARNESS: Final = Harness("JUnit", _looks, _runs, repeats=True)
