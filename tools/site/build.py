"""Build the site of the docs in build/site, without the network: `python -m tools.site.build [FOLDER]`.

Warnings of Sphinx are errors. The pages themselves stay in docs/, and are Markdown that a forge shows as well.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from tools.site import navigation

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
_FRONT = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={0}">
<title>howsure</title>
<a href="{0}">howsure</a>
"""


def plain(folder: Path) -> None:
    """Write each user page as Markdown beside its HTML, and `llms.txt`, which lists them with their first words."""
    lines = ["# howsure", "", "> How sure are you of that score, and is B really better than A?"]
    names = [path.relative_to(ROOT).with_suffix("").as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))]
    for title, pages in navigation.sections(names).items():
        if title == "Contributing":
            continue
        lines += ["", f"## {title}", ""]
        for page in pages:
            text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
            (folder / page).parent.mkdir(parents=True, exist_ok=True)
            (folder / f"{page}.md").write_text(text, encoding="utf-8")
            lines.append(f"- [{heading(text)}]({page}.md): {first_words(text)}")
    (folder / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def heading(text: str) -> str:
    """Return the title of a page."""
    return text.partition("\n")[0].lstrip("# ")


def first_words(text: str) -> str:
    """Return the first sentence of a page, without links and marks."""
    prose = re.search(r"^[^#\s`|!<-].*(?:\n\S.*)*", text.partition("\n")[2], re.MULTILINE)
    line = " ".join(re.sub(r"\[([^]]*)\]\([^)]*\)|[*`]", r"\1", prose[0]).split()) if prose else ""
    return re.split(r"(?<=[.:?])\s", line)[0].rstrip(":")


def build(folder: Path) -> int:
    """Return Sphinx's exit code: 0 if there was nothing to remark."""
    code = sphinx(
        ["-q", "-W", "--keep-going", "-E", "-d", f"{folder}.doctrees", "-c", str(HERE), str(ROOT), str(folder)]
    )
    plain(folder)
    (folder / "index.html").write_text(_FRONT.format("docs/README.html"), encoding="utf-8")
    return code


def main() -> int:
    """Build, and say where."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "site"
    start = time.perf_counter()
    code = build(folder)
    if not code:
        print(f"{folder}/index.html: {len(list(folder.rglob('*.html')))} pages, {time.perf_counter() - start:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
