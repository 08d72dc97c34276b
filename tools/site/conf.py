"""Settings of the site, for Sphinx. `python -m tools.site.build` (make docs) builds it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from sphinx.addnodes import toctree  # noqa: E402

from howsure.version import VERSION  # noqa: E402
from tools.site import navigation, reference  # noqa: E402

project, author = "howsure", "the howsure authors"
release = version = VERSION
extensions = ["myst_parser", "sphinx.ext.autodoc", "tools.site.mathml"]
source_suffix = {".md": "markdown"}
root_doc = "docs/README"
include_patterns = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "docs/**.md",
    "bench/RESULTS.md",
    "examples/README.md",
]
exclude_patterns = ["**/.*", "build", "dist", "src", "tests", "tools", "node_modules"]
language = "en"
nitpicky = False

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
html_math_renderer = "mathml"
default_role = "code"  # `this` in a docstring

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
maximum_signature_line_length = 80
add_module_names = False

html_theme = "furo"
html_title = "howsure"
html_static_path = ["howsure.css"]
html_css_files = ["howsure.css"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_show_sphinx = html_show_copyright = html_copy_source = html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f8b", "color-brand-content": "#1f5f8b"},
    "dark_css_variables": {"color-brand-primary": "#7fb8de", "color-brand-content": "#7fb8de"},
    "top_of_page_buttons": [],
}
pygments_style, pygments_dark_style = "friendly", "github-dark"

_titles: dict[str, Any] = {}  # page -> its title in the side bar, and the pages below it
_SPECIAL = re.compile(r"([*_|\\])")
_PAGE = re.compile(r"\b(docs/[a-z/-]+)\.md\b")


def _plain(_app: Any, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """Docstrings are plain text with `code`: nothing else in them is markup."""
    shown = False
    for i, line in enumerate(lines):
        shown = line.lstrip().startswith(">>>") or (shown and bool(line.strip()))
        if not shown:
            parts = line.split("`")
            parts[::2] = [_PAGE.sub(r":doc:`/\1`", _SPECIAL.sub(r"\\\1", part)) for part in parts[::2]]
            lines[i] = "`".join(parts) if len(parts) % 2 else line.replace("`", r"\`")


def _list_pages(app: Any, page: str, source: list[str]) -> None:
    source[0] += navigation.listed(page, sorted(app.env.found_docs))
    if page == "docs/reference/api":
        source[0] = reference.in_full(source[0])


def _short_tree(app: Any, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """The side bar has titles only: the headings below them are left out once, not copied for each page."""
    whole, make = app.env.tocs, context.get("toctree")
    if make is None:
        return
    if not _titles:
        _titles.update({page: _title(toc) for page, toc in whole.items()})

    def made(**how: Any) -> Any:
        app.env.tocs = _titles if how.get("titles_only") else whole
        try:
            return make(**how)
        finally:
            app.env.tocs = whole

    context["toctree"] = made


def _title(toc: Any) -> Any:
    """A page in a table of contents, and the pages below it, as Sphinx leaves them with titles_only."""
    short = toc.deepcopy()
    for top in short.children:
        if len(top) > 1:
            below = list(top.findall(toctree))
            if below:
                top[1][:] = below
            else:
                top.pop(1)
    return short


def setup(app: Any) -> None:
    """What Sphinx asks of its settings."""
    app.connect("html-page-context", _short_tree, priority=400)  # before the theme asks for it
    app.connect("source-read", _list_pages)
    app.connect("autodoc-process-docstring", _plain)
