"""One style for all charts: colours that colour-blind readers tell apart, sizes, and what Vega-Lite is told once."""

from __future__ import annotations

from typing import Any, Final

INK: Final = "#1f2328"
MUTED: Final = "#59636e"
RULE: Final = "#d1d9e0"
PAPER: Final = "#ffffff"
# After Okabe and Ito (2008), the ones that stand out on white and, lightened, on black.
BLUE: Final = "#0072b2"
ORANGE: Final = "#d55e00"
GREEN: Final = "#00795c"
PURPLE: Final = "#a63d7a"
BROWN: Final = "#8a5a00"
PALETTE: Final = (BLUE, ORANGE, GREEN, PURPLE, BROWN, INK)
DASHES: Final = ((), (6, 3), (2, 2), (8, 3, 2, 3), (10, 4), (4, 2))  # lines differ by more than their colour
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")  # and points by their shape
# On dark paper a rule of CSS puts these in the place of the colours above: attributes give way to rules.
DARK: Final = {
    INK: "#e6edf3", MUTED: "#9ea7b3", RULE: "#3d444d", PAPER: "#0d1117",
    BLUE: "#58b4f0", ORANGE: "#ff9e57", GREEN: "#3fc79a", PURPLE: "#e08fc0", BROWN: "#d9a54a",
}  # fmt: skip

WIDTH: Final = 520
NARROW: Final = 300  # of a plot on a phone
HEIGHT: Final = 220
FONT: Final = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"


def config() -> dict[str, Any]:
    """What every specification says of its looks."""
    return {
        "background": "transparent",
        # Texts at either side are measured with one font and shown in another, which may be wider.
        "padding": {"left": 12, "top": 5, "right": 24, "bottom": 5},
        "font": FONT,
        "view": {"stroke": None},
        "title": {"anchor": "start", "color": INK, "fontSize": 14, "subtitleColor": MUTED, "subtitleFontSize": 12,
                  "subtitlePadding": 4, "subtitleLineHeight": 16, "offset": 14, "frame": "bounds"},
        "axis": {"labelColor": MUTED, "titleColor": INK, "domainColor": MUTED, "tickColor": MUTED, "gridColor": RULE,
                 "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelOverlap": "greedy",
                 "labelSeparation": 5},
        "legend": {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12, "titleFontSize": 12,
                   "titleFontWeight": "normal", "labelLimit": 260},
        "text": {"color": INK, "fontSize": 12},
        "header": {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12},
        "range": {"category": list(PALETTE)},
    }  # fmt: skip


def dark_rules(scope: str = "") -> str:
    """Rules of CSS that give charts within a scope the colours of dark paper."""
    pairs = [(name, light, dark) for light, dark in DARK.items() for name in ("fill", "stroke")]
    return "".join(f'{scope} [{name}="{light}"]{{{name}:{dark}}}' for name, light, dark in pairs)
