"""Formulas as MathML, written when the site is built: browsers draw it by themselves, and nothing is fetched."""

from __future__ import annotations

import re
from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

_INNERMOST_ROOT = re.compile(r"<msqrt>((?:(?!<msqrt>).)*?)</msqrt>", re.DOTALL)


def mathml(latex: str, as_block: bool) -> str:
    """A formula as MathML that shows in any font.

    Browsers leave out the sign of a square root if the font of the page lacks it: so it is written as a sign, with a
    line over what follows.
    """
    text, more = tex2mathml(latex, as_block=as_block), 1
    while more:
        text, more = _INNERMOST_ROOT.subn(_radical, text)
    return text


def _radical(found: re.Match[str]) -> str:
    tall = " tall" if "<mfrac>" in found[1] else ""
    return f'<mrow><mo class="root{tall}">√</mo><mrow class="under-root">{found[1]}</mrow></mrow>'


def _inline(self: Any, node: Any) -> None:
    self.body.append(mathml(node.astext(), as_block=False))
    raise SkipNode


def _block(self: Any, node: Any) -> None:
    self.body.append(f'<div class="math">{mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx asks of an extension."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
