"""Build the site of the docs in build/site, without the network: `python -m tools.site.build [FOLDER]`.

Warnings of Sphinx are errors. The pages themselves stay in docs/, and are Markdown that a forge shows as well.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from sphinx.cmd.build import main as sphinx

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
_FRONT = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={0}">
<title>howsure</title>
<a href="{0}">howsure</a>
"""


def build(folder: Path) -> int:
    """Sphinx's exit code: 0 if there was nothing to remark."""
    code = sphinx(
        ["-q", "-W", "--keep-going", "-E", "-d", f"{folder}.doctrees", "-c", str(HERE), str(ROOT), str(folder)]
    )
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
