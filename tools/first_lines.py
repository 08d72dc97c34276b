"""What the README shows first, run as a reader would: the first command and the first Python example.

It needs the standard library only, and is run by the interpreter of a bare environment:
`first_lines.py README PROGRAM`.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def shown(readme: str) -> tuple[list[str], str, str, str]:
    """The words of the first command and its output, then the first Python example and its output."""
    found = _FENCE.findall(readme)
    console = next(body for kind, body in found if kind == "console")
    line, _, printed = console.removeprefix("$ ").partition("\n")
    at = next(i for i, (kind, _) in enumerate(found) if kind == "python")
    if found[at + 1][0] != "text":
        raise ValueError("the first Python example of the README is not followed by what it prints")
    return shlex.split(line), printed, found[at][1], found[at + 1][1]


def main() -> int:
    """Run both in this folder and compare what they print."""
    readme, program = Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2]
    words, printed, example, table = shown(readme)
    runs = {
        " ".join(words): ([program, *words[1:]], printed),
        "the first Python example": ([sys.executable, "-c", example], table),
    }
    for name, (line, want) in runs.items():
        done = subprocess.run(line, capture_output=True, text=True, encoding="utf-8", check=False)
        if done.returncode or done.stderr or done.stdout.strip() != want.strip():
            print(f"{name} ended with {done.returncode} and printed:\n{done.stdout}{done.stderr}\nThe README:\n{want}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
