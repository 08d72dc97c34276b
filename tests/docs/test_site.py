"""The site of the docs builds without a warning or the network; links and anchors of the pages lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from inspect import ismodule
from pathlib import Path

import pytest

import howsure
from tools import docs as generated
from tools import metrics_page
from tools.site import build, navigation, reference
from tools.site.mathml import mathml

ROOT = Path(__file__).parents[2]
PAGES = [
    *(
        ROOT / name
        for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/RESULTS.md", "examples/README.md")
    ),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LINK = re.compile(r"!?\[[^]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def unfenced(page: Path) -> str:
    """A page without its code blocks."""
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def prose(page: Path) -> str:
    """A page without any code."""
    return re.sub(r"`[^`\n]+`", "", unfenced(page))


def anchors(page: Path) -> set[str]:
    """What its headings are called in an address, on a forge and on the site: small letters, hyphens, no signs."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", unfenced(page), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        found.add(re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-"))
    return found


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_links_and_anchors_lead_somewhere(page: Path) -> None:
    """Every link of a page leads to a file of the project, and to a heading in it if it names one."""
    for target in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.is_file(), target
        assert not anchor or anchor in anchors(file), target


def test_every_page_is_in_the_index() -> None:
    """docs/README.md, or an index that it leads to, has a link to every page of docs."""
    home = ROOT / "docs"
    known, left = {home / "README.md"}, [home / "README.md"]
    indexes = {home / name for name in ("README.md", "contributing/README.md", "why/README.md", "studies/README.md")}
    while left:
        page = left.pop()
        if page in indexes:
            found = {(page.parent / t.partition("#")[0]).resolve() for t in LINK.findall(prose(page)) if ":" not in t}
            left += found - known
            known |= found
    assert {page.relative_to(home).as_posix() for page in set(home.rglob("*.md")) - known} == set()


def test_pages_that_nobody_placed_are_listed() -> None:
    """A new page is in the side bar, whoever wrote it; a page that is not there yet is no trouble."""
    pages = [
        "docs/README",
        "docs/how-to/gate",
        "docs/how-to/brand-new",
        "docs/brand-new",
        "docs/why/README",
        "docs/why/001-x",
    ]
    made = navigation.sections(pages)
    assert made["How to"] == ["docs/how-to/gate", "docs/how-to/brand-new"]
    assert made["More"] == ["docs/brand-new"]
    assert not any("docs/how-to/report" in found for found in made.values())
    assert "/docs/brand-new" in navigation.listed("docs/README", pages)
    assert "/docs/why/001-x" in navigation.listed("docs/why/README", pages)


def test_every_page_has_its_place() -> None:
    """No page of the project is left over at the end of the side bar."""
    names = [page.relative_to(ROOT).with_suffix("").as_posix() for page in [*PAGES, ROOT / "SECURITY.md"]]
    assert navigation.sections(names).get("More", []) == []


def test_every_public_name_is_in_the_reference() -> None:
    """The page of the API names all of howsure.__all__ but the modules, and names each once."""
    listed = re.findall(r"^- `hs\.(\w+)`", reference.page(), re.MULTILINE)
    assert sorted(listed) == sorted(x for x in howsure.__all__ if not ismodule(getattr(howsure, x)))


def test_every_metric_has_a_section() -> None:
    """The page of metrics has a heading for each of the catalogue, and no figure that a page shows is missing."""
    page = ROOT / "docs" / "reference" / "metrics.md"
    assert {metrics_page.anchor(str(m)) for m in metrics_page.catalogue()} <= anchors(page)
    assert all((ROOT / "docs" / name).is_file() for name in generated.FIGURES)


def test_every_user_page_is_plain_text_too(tmp_path: Path) -> None:
    """The site has the Markdown of every user page, and llms.txt says of each what it is about."""
    build.plain(tmp_path)
    listed = re.findall(
        r"^- \[(.+)\]\((docs/\S+\.md)\): (.+)$", (tmp_path / "llms.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(listed) > 40
    assert all((tmp_path / name).read_text(encoding="utf-8").startswith(f"# {title}") for title, name, _ in listed)
    assert not any(name.startswith(("docs/why", "docs/contributing")) for _, name, _ in listed)


def test_roots_are_drawn_in_any_font() -> None:
    """Roots beside and within each other are written with a sign of their own."""
    made = mathml(r"\sqrt{a} + \sqrt{b \cdot \sqrt{\frac{c}{d}}}", as_block=True)
    assert "msqrt" not in made
    assert made.count("√") == 3
    assert made.count("<mrow") == made.count("</mrow>")


class _Loaded(HTMLParser):
    """What a browser fetches for a page, and the ids in it."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {key: value or "" for key, value in attrs}
        self.ids.add(named.get("id", ""))
        self.fetched += [named[key] for key in ("src", "srcset", "poster", "data") if key in named]
        if tag == "link":
            self.fetched.append(named.get("href", ""))


@pytest.mark.deep  # Sphinx takes half a minute; `make docs` runs it too
def test_the_site_builds_and_loads_nothing_from_outside(tmp_path: Path) -> None:
    """One build with warnings as errors: all pages, a search index, the API in full, nothing from another host."""
    site = tmp_path / "site"
    # In a process of its own: Sphinx's extensions warn of each other's old names, and here warnings are errors.
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    line = [sys.executable, "-m", "tools.site.build", str(site)]
    made = subprocess.run(line, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (made.returncode, made.stderr) == (0, "")
    pages = {path.relative_to(site).with_suffix("").as_posix(): path for path in site.rglob("*.html")}
    assert {page.relative_to(ROOT).with_suffix("").as_posix() for page in PAGES} <= set(pages)
    assert '"docs/tutorials/first-score"' in (site / "searchindex.js").read_text(encoding="utf-8")
    scorer = (ROOT / "tools" / "site" / "scorer.js").read_text(encoding="utf-8")
    assert scorer.strip() in (site / "_static" / "language_data.js").read_text(encoding="utf-8")
    for name, path in pages.items():
        seen = _Loaded()
        seen.feed(path.read_text(encoding="utf-8"))
        for address in seen.fetched:
            assert not re.match(r"(?:[a-z]+:)?//", address), (name, address)
        if name == "docs/reference/api":
            assert {f"howsure.{x}" for x in reference.public()} <= seen.ids
        if name == "docs/reference/metrics":
            assert "<math" in path.read_text(encoding="utf-8")
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"@import|url\(\s*[\"']?(?:https?:)?//", text), style.name
    for script in (site / "_static").rglob("*.js"):
        assert not re.search(r"(?:src|href)\s*=\s*[\"'](?:https?:)?//", script.read_text(encoding="utf-8")), script.name
