"""Formulas as MathML, written when the site is built: browsers draw it by themselves, and nothing is fetched."""

from __future__ import annotations

from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml


def _inline(self: Any, node: Any) -> None:
    self.body.append(tex2mathml(node.astext(), as_block=False))
    raise SkipNode


def _block(self: Any, node: Any) -> None:
    self.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx asks of an extension."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
