"""The charts of docs: calibration, drawn from the data file alone; each ends with a mark of the data it shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.calibrate import data, summary
from bench.calibrate.summary import ALARM, HDI, INTERVAL_GROUPS, LEVEL, METHODS, OURS, TEST_GROUPS, TESTS, Cell
from bench.coverage_data import ROOT
from howsure.atomic import write_text

FOLDER: Final = Path("docs/figures")
SIZES: Final = ("up to 30 items", "31 to 300 items", "more items")
COLOURS: Final = ("#D55E00", "#0072B2", "#000000")  # of Okabe and Ito: apart for all eyes, and in grey by their shapes
SHAPES: Final = ("triangle-up", "circle", "cross")
LINES: Final = {
    OURS: "#000000",
    HDI: "#999999",
    "Wald": "#D55E00",
    "Wilson": "#0072B2",
    "percentile": "#E69F00",
    "BCa": "#009E73",
}
DASHES: Final = {
    OURS: (1, 0),
    HDI: (1, 0),
    "Wald": (6, 3),
    "Wilson": (2, 2),
    "percentile": (8, 2, 2, 2),
    "BCa": (12, 3),
}
RULE: Final = {"color": "#555555", "strokeDash": [4, 3]}
NARROWEST: Final = 0.6  # coverage below is drawn here
MOST: Final = 0.16  # false alarms above are drawn here
WIDEST: Final = 0.35  # bars are cut here

Points = list[dict[str, Any]]


@dataclass(frozen=True)
class Figure:
    """A chart: what it shows, of which points, and how it is drawn."""

    alt: str
    points: Callable[[Mapping[str, Any]], Points]
    chart: Callable[[Points], Any]


# -- points ----------------------------------------------------------------------------------------


def size(case: Mapping[str, Any]) -> str:
    """One of three sizes."""
    return SIZES[(case["items"] > 30) + (case["items"] > 300)]


def _cells(document: Mapping[str, Any], groups: Mapping[str, tuple[str, str]]) -> list[Cell]:
    return summary.cells(data.tables(document), groups)


def apart(points: Points) -> Points:
    """Points that lie on each other once."""
    return list({tuple(p.items()): p for p in points}.values())


def coverage_points(document: Mapping[str, Any]) -> Points:
    """Coverage, one point a case and method."""
    return apart([
        {"group": c.group, "method": c.method, "size": size(c.case), "x": round(max(c.coverage, NARROWEST), 3)}
        for c in _cells(document, INTERVAL_GROUPS)
    ])  # fmt: skip


def direction_points(document: Mapping[str, Any]) -> Points:
    """How often intervals lie wholly on one side of the truth, the mean over cases."""
    found, out = _cells(document, INTERVAL_GROUPS), []
    for group in INTERVAL_GROUPS:
        for h in summary.ranked(found, group):
            sides = (("too low", -h.too_low), ("too high", h.too_high))
            out += [{"group": group, "method": h.method, "side": side, "x": round(x, 4)} for side, x in sides]
    return out


def curve_points(document: Mapping[str, Any]) -> Points:
    """Exact coverage of rates on a fine grid."""
    table = data.tables(document)["rate curve"]
    return [
        {"x": row.case["rate"], "y": row.held["rate"][0], "method": row.method, "items": row.case["items"]}
        for row in table.rows
    ]


def alarm_points(document: Mapping[str, Any]) -> Points:
    """False alarms, one point a design and method."""
    return apart([
        {"group": c.group, "method": c.method, "size": size(c.case), "x": round(min(c["called"], MOST), 3)}
        for c in summary.where(_cells(document, TEST_GROUPS), systems="equal")
    ])  # fmt: skip


def power_points(document: Mapping[str, Any]) -> Points:
    """Power less that of howsure, one point a design and method; and whether the method keeps its level there."""
    found, out = _cells(document, TEST_GROUPS), []
    better = summary.where(found, systems="better")
    ours = summary.by_case(better)
    for c in better:
        equal = summary.twin(found, c)
        if c.method != OURS and equal is not None:
            kept = "more false alarms than .06" if equal.alarms else "false alarms in bounds"
            gain = round(c.power - ours[c.group, c.key].power, 3)
            out.append({"group": c.group, "method": c.method, "x": gain, "kept": kept})
    return apart(out)


# -- charts ----------------------------------------------------------------------------------------


def _rows(points: Points, methods: Sequence[str]) -> Any:
    import altair as alt

    shown = [x for x in methods if any(p["method"] == x for p in points)]
    bold = alt.ExprRef(f"datum.value == '{OURS}' ? 'bold' : 'normal'")
    return alt.Y("method:N", sort=shown, title=None, axis=alt.Axis(labelFontWeight=bold, grid=True, labelLimit=160))


def _faceted(chart: Any, groups: Sequence[str]) -> Any:
    import altair as alt

    facet = alt.Facet(
        "group:N", sort=list(groups), title=None, header=alt.Header(labelFontSize=12, labelFontWeight="bold")
    )
    return chart.facet(facet, columns=3).resolve_scale(y="independent").resolve_axis(x="independent")


def _rule(base: Any) -> Any:
    """One rule a panel, not one a point."""
    return base.transform_aggregate(points="count()").mark_rule(**RULE)


def _strip(points: Points, methods: Sequence[str], groups: Sequence[str], x: Any, rule: float) -> Any:
    """Points along a line for each method, with a rule at what should be."""
    import altair as alt

    base = alt.Chart(alt.Data(values=points)).properties(width=190, height=alt.Step(6))
    offset = alt.YOffset("size:N", sort=list(SIZES), scale=alt.Scale(paddingOuter=0.15))
    marks = base.mark_point(size=22, strokeWidth=1.1, opacity=0.75).encode(
        x=x, y=_rows(points, methods), yOffset=offset,
        color=alt.Color("size:N", sort=list(SIZES), title=None, scale=alt.Scale(domain=SIZES, range=COLOURS)),
        shape=alt.Shape("size:N", sort=list(SIZES), title=None, scale=alt.Scale(domain=SIZES, range=SHAPES)),
    )  # fmt: skip
    at = _rule(base).encode(x=alt.XDatum(rule, scale=x["scale"]))
    return _faceted(alt.layer(at, marks), groups)


def coverage_chart(points: Points) -> Any:
    """Coverage by measure and method."""
    import altair as alt

    ticks = alt.Axis(values=[0.6, 0.7, 0.8, 0.9, 0.95, 1.0], format=".2~f", labelOverlap=False)
    scale = alt.Scale(domain=[NARROWEST, 1.0], zero=False)
    x = alt.X("x:Q", title="coverage (left edge: .6 or less)", scale=scale, axis=ticks)
    return _strip(points, METHODS, list(INTERVAL_GROUPS), x, LEVEL)


def direction_chart(points: Points) -> Any:
    """Bars to both sides."""
    import altair as alt

    base = alt.Chart(alt.Data(values=points)).properties(width=190, height=alt.Step(15))
    span = alt.Scale(domain=[-WIDEST, WIDEST], clamp=True)
    ticks = alt.Axis(
        values=[-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3], labelExpr="format(abs(datum.value), '.1~f')", labelOverlap=False
    )
    x = alt.X("x:Q", title="too low  ←  share of tests  →  too high", axis=ticks, scale=span)
    scale = alt.Scale(domain=["too low", "too high"], range=["#0072B2", "#E69F00"])
    bars = base.mark_bar(stroke="#333333", strokeWidth=0.5).encode(
        x=x, y=_rows(points, METHODS), color=alt.Color("side:N", title=None, scale=scale)
    )
    ideal = (-ALARM / 2, ALARM / 2)
    rules = [_rule(base).encode(x=alt.XDatum(at, scale=span)) for at in ideal]
    return _faceted(alt.layer(bars, *rules), list(INTERVAL_GROUPS))


def curve_chart(points: Points) -> Any:
    """Coverage of rates against the true rate."""
    import altair as alt

    items, names = points[0]["items"], list(LINES)
    colours = alt.Scale(domain=names, range=list(LINES.values()))
    dashes = alt.Scale(domain=names, range=[list(DASHES[x]) for x in names])
    height = alt.Scale(domain=[NARROWEST, 1.0], zero=False)
    base = alt.Chart(alt.Data(values=points)).properties(width=640, height=280)
    lines = base.mark_line(strokeWidth=1.6, clip=True).encode(
        x=alt.X("x:Q", title=f"true rate ({items} items)", scale=alt.Scale(domain=[0.5, 1.0])),
        y=alt.Y("y:Q", title="exact coverage (cut below .6)", scale=height),
        color=alt.Color("method:N", sort=names, title=None, scale=colours),
        strokeDash=alt.StrokeDash("method:N", sort=names, title=None, scale=dashes),
    )
    return alt.layer(_rule(base).encode(y=alt.YDatum(LEVEL, scale=height)), lines)


def alarm_chart(points: Points) -> Any:
    """False alarms by kind of data and method."""
    import altair as alt

    axis = alt.Axis(values=[0, 0.05, 0.1, 0.15], format=".2~f")
    x = alt.X("x:Q", title="false alarms (right edge: .16 or more)", scale=alt.Scale(domain=[0, MOST]), axis=axis)
    return _strip(points, TESTS, list(TEST_GROUPS), x, ALARM)


def power_chart(points: Points) -> Any:
    """Power less that of howsure; methods that raise too many alarms are shown apart."""
    import altair as alt

    base = alt.Chart(alt.Data(values=points)).properties(width=190, height=alt.Step(15))
    kept = ["false alarms in bounds", "more false alarms than .06"]
    marks = base.mark_point(size=26, strokeWidth=1.1, opacity=0.8).encode(
        x=alt.X("x:Q", title="power less that of howsure", axis=alt.Axis(format="+.2~f", tickCount=5)),
        y=_rows(points, TESTS),
        color=alt.Color("kept:N", sort=kept, title=None, scale=alt.Scale(domain=kept, range=["#0072B2", "#D55E00"])),
        shape=alt.Shape("kept:N", sort=kept, title=None, scale=alt.Scale(domain=kept, range=["circle", "cross"])),
    )
    at = _rule(base).encode(x=alt.datum(0))
    return _faceted(alt.layer(at, marks), list(TEST_GROUPS))


FIGURES: Final[Mapping[str, Figure]] = {
    "calibration-coverage": Figure(
        "Coverage of 95% intervals, a panel for each measure and a line of points for each method, one point a case.",
        coverage_points, coverage_chart),
    "calibration-rates": Figure(
        "Exact coverage of intervals of a rate against the true rate, a line for each of five methods.",
        curve_points, curve_chart),
    "calibration-direction": Figure(
        "How often intervals lie wholly below or wholly above the truth, bars to both sides for each measure and "
        "method.",
        direction_points, direction_chart),
    "calibration-false-alarms": Figure(
        "How often equal systems are called different, a panel for each kind of data and a line of points for each "
        "test.",
        alarm_points, alarm_chart),
    "calibration-power": Figure(
        "How much more or less often than howsure a test finds the better system, by kind of data.",
        power_points, power_chart),
}  # fmt: skip


# -- files -----------------------------------------------------------------------------------------


def path(name: str) -> Path:
    """Where a figure is."""
    return FOLDER / f"{name}.svg"


def mark(points: Points) -> str:
    """The last line of a figure: tells which points it shows."""
    told = json.dumps(points, sort_keys=True, ensure_ascii=False).encode()
    return f"<!-- by bench/calibrate/figures.py, of points {hashlib.sha256(told).hexdigest()[:16]} -->"


def draw(root: Path = ROOT) -> None:
    """Every figure, from the data file."""
    import vl_convert

    document = data.read(root)
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    for name, figure in FIGURES.items():
        points = figure.points(document)
        chart = (
            figure.chart(points)
            .properties(padding={"left": 30, "top": 8, "bottom": 8, "right": 20})  # browsers' fonts may be wider
            .configure(background="white", font="sans-serif", aria=False)
            .configure_legend(orient="bottom", symbolStrokeWidth=1.5)
        )
        svg = vl_convert.vegalite_to_svg(chart.to_json())
        write_text(root / path(name), f"{svg}\n{mark(points)}\n")
