"""Renew the output shown in README and docs: console blocks, and text blocks right after a Python block.

A console block without notes may end early, and keeps its number of lines. `tests/docs` holds the pages to the command.
`python tools/console.py docs/how-to/plan.md` renews some pages only.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

from howsure.cli.app import run

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^```python\n((?:(?!```).*\n)*)```\n\n```text\n((?:(?!```).*\n)*)```", re.MULTILINE)


def renewed(page: str) -> str:
    """A page with the output of its commands as it is now."""
    page = BLOCK.sub(lambda m: "```console\n" + _block(m[1]) + "```", page)
    return PRINTED.sub(lambda m: f"```python\n{m[1]}```\n\n```text\n{_printed(m[1], m[2])}```", page)


def _printed(code: str, shown: str) -> str:
    """What the code prints, unless the page shows a part of it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "example", "exec"), {"__name__": "example"})
    text = "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines()) + "\n"
    return shown if shown.strip() and shown in text else text


def _block(body: str) -> str:
    first, *parts = re.split(r"^\$ ", body, flags=re.MULTILINE)
    return first + "".join("$ " + _command(part) for part in parts)


def _command(part: str) -> str:
    line, _, shown = part.partition("\n")
    words = shlex.split(line, comments=True)
    if words[0] != "howsure" or not shown.strip():
        return part
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        if run(words[1:]) not in ((0, 1, 3) if words[1] == "gate" else (0,)):
            raise SystemExit(f"this command fails: {line}")
    text = out.getvalue()
    if not re.search(r"^- ", shown, re.MULTILINE):
        lines = text.partition("\n\n- ")[0].splitlines()[: len(shown.rstrip().splitlines())]
        text = "\n".join(lines).rstrip() + "\n"
    return f"{line}\n{text}{shown[len(shown.rstrip()) + 1 :]}"


def main() -> None:
    """The pages that are named, or all."""
    named = [Path(name).resolve() for name in sys.argv[1:]]
    for path in named or (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        old = path.read_text(encoding="utf-8")
        new = renewed(old)
        if new != old:
            path.write_text(new, encoding="utf-8")
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
