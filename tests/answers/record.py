"""Record a file of results anew, and print what differs: python -m tests.answers.record numbers|structure|words."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from tests.answers import kept
from tests.answers.calls import EVERY
from tests.answers.make_inputs import write_files
from tests.answers.running import KINDS, Answer, answer


@contextlib.contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    """In a folder with the files that calls read, and with nothing about the terminal."""
    before = {k: os.environ.pop(k, None) for k in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    write_files(folder)
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        os.environ.update({k: v for k, v in before.items() if v is not None})


def main(arguments: list[str]) -> int:
    """Record, and print the difference: old -> new, for each call."""
    parser = argparse.ArgumentParser(prog="python -m tests.answers.record", description=__doc__)
    parser.add_argument("kind", choices=KINDS, nargs="+", help="what is written; no other file is touched")
    kinds = parser.parse_args(arguments).kind
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder, in_folder(Path(folder)):
        made = {call: answer(call) for call in EVERY}
    for kind in kinds:
        _record(kind, made)
    return 0


def _record(kind: str, made: dict[str, Answer]) -> None:
    """Write a file; what did not change stays as it was kept."""
    before = kept.read(kind)
    found = {call: kept.differences(kind, before.get(call), now) for call, now in made.items()}
    for call, lines in found.items():
        if lines:
            print(*([call, *(f"  {x}" for x in lines)] if call in before else [f"new: {call}"]), sep="\n")
    gone = [call for call in before if call not in made]
    for call in gone:
        print(f"gone: {call}")
    kept.write(kind, {call: now.part(kind) if found[call] else before[call] for call, now in made.items()})
    print(f"{kind}: {len(made)} calls, {sum(map(bool, found.values()))} recorded anew, {len(gone)} gone")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
