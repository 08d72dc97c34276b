"""Charts: every result has one, specifications are kept beside the tests, valid, and the same each time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import altair
import numpy as np
import pytest

import howsure as hs
from howsure import papers, relations
from howsure.charts import scores, thresholds
from howsure.charts.chart import Chart
from howsure.charts.contours import isolines, round_levels
from howsure.errors import BadSetting, HowsureError, UnknownName
from howsure.messages.numbers import short
from howsure.render import findings
from howsure.render.formats import PICTURES
from howsure.results.outlines import outline
from howsure.results.result import Document, Result
from tests.charts.results import HOSTILE, LONG, MAKERS, RIGHT_TO_LEFT, TABLE, charts, many_slices, result
from tests.render.snapshot import held
from tests.tiers import some, tier

SPECS = Path(__file__).with_name("specs")
SVG = "{http://www.w3.org/2000/svg}"


def _rounded(x):
    """A specification with numbers of a few digits, which machines agree on; long lists by their ends."""
    if isinstance(x, dict):
        return {k: _rounded(v) for k, v in x.items() if k != "config"}
    if isinstance(x, list):
        return [_rounded(v) for v in (x if len(x) <= 8 else [*x[:2], f"... {len(x)}", x[-1]])]
    return float(f"{x:.3g}") + 0.0 if isinstance(x, float) else x


@pytest.mark.whole
@pytest.mark.parametrize("name", MAKERS)
def test_specifications_are_those_kept_beside_the_test(name):
    made = {kind: _rounded(chart.spec) for kind, chart in charts(name).items()}
    text = json.dumps(made, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    assert held(SPECS / f"{name.replace(' ', '-')}.json", text) == text


def _few(x):
    """A specification with a few of its points: the schema is the same, and its check fast."""
    if isinstance(x, dict):
        return {k: v[:2] if k == "values" and isinstance(v, list) else _few(v) for k, v in x.items()}
    return [_few(v) for v in x] if isinstance(x, list) else x


@pytest.mark.whole
@pytest.mark.parametrize("name", MAKERS)
def test_charts_have_words(name):
    """Each says its finding in a sentence, and is plain JSON."""
    for kind, chart in charts(name).items():
        assert chart.name == kind.partition(" ")[0] or chart.name == kind
        assert len(chart.says) > 10, (kind, chart.says)
        assert chart.says.endswith("."), chart.says
        assert json.dumps(chart.spec, allow_nan=False)


def _one_of_each_kind():
    """Of charts that have the same name, which are made alike, the first; all in the deep tier."""
    if tier == "deep":
        yield from (pair for name in MAKERS for pair in charts(name).items())
        return
    seen = set()
    for name in MAKERS:
        for kind, chart in charts(name).items():
            if (chart.name, result(name).to_dict()["schema"]) not in seen:
                seen.add((chart.name, result(name).to_dict()["schema"]))
                yield kind, chart


@pytest.mark.whole
@pytest.mark.parametrize("at", some(range(4), 4))
def test_charts_validate_and_are_drawn_with_words(at):
    """The schema of Vega-Lite takes each; the drawing has no NaN, a name that says the finding, and no script."""
    for kind, chart in list(_one_of_each_kind())[at::4]:
        altair.Chart.from_dict(_few(chart.spec))  # checks against the schema
        svg = chart.to_svg()
        root = ElementTree.fromstring(svg)
        assert root.get("role") == "img", kind
        assert root.get("aria-label")
        assert "NaN" not in svg
        assert "undefined," not in svg
        assert "<script" not in svg


def test_every_kind_of_result_has_a_chart():
    """A new class of results is drawn, or this fails: all subclasses of Result are among those made here."""
    import howsure.cli.app  # noqa: F401 - brings every module of results

    made = {type(result(name)) for name in MAKERS}
    assert {c for c in Result.__subclasses__() if c.__module__.startswith("howsure.")} - {Document} <= made
    assert all(charts(name) for name in MAKERS)


def test_the_same_specification_each_time():
    one, two = (json.dumps(hs.score(TABLE, metrics=["f1"], above=0.8).plot().spec) for _ in range(2))
    assert one == two
    assert result("score").plot().to_svg() == result("score").plot().to_svg()


def _drawn_words(chart: Chart) -> list[str]:
    return [x.text or "" for x in ElementTree.fromstring(chart.to_svg()).iter(f"{SVG}text")]


def test_the_names_of_lines_of_a_plan_are_whole():
    """What is drawn ends in no dots: both curves are named in full."""
    words = _drawn_words(hs.plan(expected={"rate": 0.8}, difference=0.05).plot())
    assert {"probability of showing it", "average probability of the claim"} <= set(words)
    assert not any("…" in x for x in words)


@pytest.mark.parametrize("first", ["good", "bad"])
def test_sides_without_room_are_told_by_arrows(first):
    """Beside a line at the edge both probabilities are on the side with room, and each points to its own; as bounds."""
    y = np.arange(300) % 3
    both = {"good": y, "bad": np.where(np.arange(300) % 2, y, (y + 1) % 3)}
    second = next(x for x in both if x != first)
    chart = hs.compare(y, {first: both[first], second: both[second]}, tolerance=0.1).plot("difference")
    words = [x for x in chart.body["layer"] if x["mark"]["type"] == "text"]
    below, above = (x["data"]["values"][0]["label"] for x in words)
    assert re.fullmatch(rf"← P\({second} better\) [<>] 0\.\d+", below)
    assert re.fullmatch(rf"P\({first} better\) [<>] 0\.\d+ →", above)
    assert {x["mark"]["align"] for x in words} == {"left" if first == "good" else "right"}
    assert len({round(x["encoding"]["x"]["value"]) for x in words}) == 1
    like = np.where(np.arange(300) % 2, (y + 1) % 3, y)  # wrong as often, elsewhere
    roomy = hs.compare(y, {"a": both["bad"], "b": like}, tolerance=0.1).plot("difference")
    said = [x["data"]["values"][0]["label"] for x in roomy.body["layer"] if x["mark"]["type"] == "text"]
    assert not any("→" in x or "←" in x for x in said)


# -- numbers


@pytest.mark.parametrize("metric", ["f1", "precision", "accuracy", "lr-plus"])
def test_the_shaded_part_of_a_density_holds_the_level(metric):
    """The area under the points between the ends of the interval is the level, by the cdf and as asked for."""
    d = hs.posterior(TABLE)[metric]
    law = outline(d, 0.9)
    x, y = np.array(law["x"]), np.array(law["density"])
    inside = (x >= law["low"]) & (x <= law["high"])
    places = np.log(x[inside]) if law["log"] else x[inside]
    area = float(np.sum(0.5 * (y[inside][1:] + y[inside][:-1]) * np.diff(places)))
    assert area == pytest.approx(0.9, abs=5e-4)
    assert float(d.cdf(law["high"]) - d.cdf(law["low"])) == pytest.approx(0.9, abs=1e-9)


@pytest.mark.parametrize(
    "cells", [(8, 1, 3, 80), (500, 3, 0, 9000), (0, 2, 3, 40), (3, 0, 1, 50), (1, 40, 3, 40), (10**6, 20, 0, 10**7)]
)
def test_the_line_of_a_density_lies_on_it(cells):
    """Between its points, too, it is off by two thousandths of the height at most, whatever the counts."""
    p = hs.posterior(hs.Tally.binary(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True))))
    laws = [p[m] for m in ("precision", "a-measure", "fowlkes-mallows", "informedness", "markedness", "g-mean", "kappa",
                           "lr-plus", "lr-minus", "odds-ratio", "f2", "f0.5", "utility(2,-1,0,0)")]  # fmt: skip
    assert sum(d.route == "quadrature" for d in laws) > 10
    for d in laws:
        law = outline(d)
        x, top = np.array(law["x"]), law["ceiling"]
        at = d.ppf(np.linspace(0.001, 0.999, 41))
        true = np.asarray(d.pdf(at)) * (at if d.log_scale else 1.0)
        x, at = (np.log(x), np.log(at)) if d.log_scale else (x, at)
        drawn = np.interp(at, x, law["density"])
        assert top > 0
        assert np.abs(np.minimum(drawn, top) - np.minimum(true, top)).max() < 2e-3 * top, d.name
        assert len(x) < 300


@pytest.mark.parametrize("name", ["forecast", "forecast f1"])
def test_steps_hold_all_but_the_tails(name):
    d = result(name)
    law = d._outlines()["steps"]()
    assert sum(law["mass"]) == pytest.approx(1.0, abs=2e-3)
    assert min(law["mass"]) >= 0
    if name == "forecast":  # hits of 20: each bar is one value
        assert law["single"]
        middle = 0.5 * (np.array(law["from"]) + np.array(law["to"]))
        one = [float(d.cdf(x) - d.prob_below(x)) for x in middle.round(12)]
        assert law["mass"] == pytest.approx(one, abs=1e-9)


def test_a_prediction_hears_how_it_is_drawn():
    d = result("forecast")
    assert "P(above 0.9)" in d.plot(above=0.9).says
    assert d.plot(level=0.5).says != d.plot().says
    with pytest.raises(BadSetting, match="no hdi"):
        d.plot(interval="hdi")


def test_lines_of_equal_value_lie_on_the_surface():
    """Points of isolines have the value of their line, where the surface is known in closed form."""
    x, y = np.linspace(0.05, 1, 96), np.linspace(0.05, 1, 96)
    z = 2 * x * y[:, None] / (x + y[:, None])
    for level in (0.2, 0.5, 0.8):
        (way,) = isolines(x, y, z, level)
        p, r = way.T
        assert 2 * p * r / (p + r) == pytest.approx(np.full(len(way), level), abs=2e-4)
        assert len(way) > 20


def test_isolines_close_and_leave_out_what_is_unknown():
    x = np.linspace(-1, 1, 41)
    z = x**2 + x[:, None] ** 2
    (ring,) = isolines(x, x, z, 0.5)
    assert ring[0] == pytest.approx(ring[-1])
    z[:, :20] = np.nan
    assert all(way[:, 0].min() >= x[20] - 1e-12 for way in isolines(x, x, z, 0.5))
    assert isolines(x, x, z, 9.0) == []


def test_saddles_are_cut_by_their_middle():
    corner = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert [len(way) for way in isolines(np.arange(2.0), np.arange(2.0), corner, 0.4)] == [2, 2]


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0), (0.31, 0.34), (-1.8e-17, 0.99), (0.0, 1e6)])
def test_round_levels_lie_between_the_ends(low, high):
    found = round_levels(low, high)
    assert 3 <= len(found) <= 11
    assert low < found[0]
    assert found[-1] < high
    assert 0.0 not in found or low < -1e-9


# -- places


def _texts(svg: str, size: str) -> list[tuple[float, str]]:
    """How far down the texts of a size are, and what they say."""
    found = []
    for text in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        if text.get("font-size") == size and "translate" in (text.get("transform") or ""):
            down = float(re.search(r"translate\([^,]+,([-\d.]+)\)", text.get("transform")).group(1))
            found.append((down, "".join(text.itertext())))
    return found


def test_two_hundred_slices_do_not_overlap():
    chart = many_slices(200).plot()
    labels = [(y, t) for y, t in _texts(chart.to_svg(), "11px") if t.startswith("part")]
    assert len(labels) == 200
    gaps = np.diff(sorted(y for y, _ in labels))
    assert gaps.min() >= 11


def test_more_than_a_page_holds_is_cut_and_said():
    chart = many_slices(300).plot()
    assert "more are not drawn" in chart.caption


# -- texts


def test_hostile_labels_are_shown_not_run():
    for kind in ("systems", "paired", "leaderboard", "classes"):
        for chart in charts(kind).values():
            assert "<script>" not in chart.to_html()
            assert "Expr" not in json.dumps(chart.spec)  # no text of users stands in an expression
    texts = "".join(ElementTree.fromstring(charts("systems")["forest"].to_svg()).itertext())
    assert HOSTILE in texts
    assert RIGHT_TO_LEFT in texts


def test_long_labels_are_cut_and_kept_whole_under_the_pointer():
    svg = charts("systems")["forest"].to_svg()
    titles = [x.text for x in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert LONG in titles
    assert LONG not in [t for _, t in _texts(svg, "12px")]


def test_phrases_stay_together():
    lines = result("score").plot().spec["title"]["subtitle"]
    assert any("P(above\N{NO-BREAK SPACE}0.8)\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}0.098." in line for line in lines)


def test_systems_that_cannot_be_told_apart_are_said_to_be():
    tables = {name: hs.Outcomes.rate(hits=40 + k, of=60) for k, name in enumerate("abcdef")}
    assert hs.leaderboard(tables).plot("forest").says == "No pair of these six can be told apart at 95%."
    tables["z"] = hs.Outcomes.rate(hits=5, of=60)
    said = hs.leaderboard(tables).plot("forest").says
    assert "is better than z" in said
    assert "15 of 21 pairs cannot be told apart" in said


def test_captions_say_what_numbers_rest_on():
    caption = result("score").plot().caption
    assert caption == "n = 1,000; prior even; 95% intervals"


def test_a_density_without_end_is_cut_and_said_to_be():
    report = hs.score(hs.Tally.binary(tp=0, fp=12, fn=3, tn=87), metrics=["precision"])
    assert "the highest part is cut off" in report.plot().caption
    assert "cut" not in result("score").plot().caption


def _domains(spec: object) -> list[list[float]]:
    """The ends of every horizontal scale of a specification."""
    if isinstance(spec, list):
        return [x for part in spec for x in _domains(part)]
    if not isinstance(spec, dict):
        return []
    x = spec.get("x")
    own = [x["scale"]["domain"]] if isinstance(x, dict) and "domain" in x.get("scale", {}) else []
    return own + [found for part in spec.values() for found in _domains(part)]


@pytest.mark.parametrize(
    "made",
    [
        lambda t: hs.score(t, metrics=["f1", "phi"]),
        lambda t: hs.gate(t, ["f1 > 0.1", "phi > -0.9"]),
    ],
)
def test_measures_of_one_axis_lie_within_it(made):
    """A share and a correlation share an axis that holds both."""
    found = made(hs.Tally.binary(tp=5, fp=60, fn=40, tn=20))
    rows = found.to_dict()["rows"]
    ends = _domains(found.plot().spec)
    assert ends
    for low, high in ends:
        assert -1 <= low <= min(row["low"] for row in rows) < 0
        assert max(row["high"] for row in rows) <= high <= 1


def test_a_measure_without_direction_is_given_by_its_interval():
    """Nothing says that the two differ, or asks which is better."""
    one, two = hs.Tally.binary(tp=5, fp=2, fn=1, tn=9), hs.Tally.binary(tp=4, fp=2, fn=1, tn=10)
    chart = hs.compare(one, two, metrics=["prevalence"]).plot()
    assert chart.title == "How far are first and second apart on prevalence?"
    assert re.match(r"prevalence: first minus second is between -0\.\d+ and 0\.\d+ \(95% interval\);", chart.says)


def test_a_rate_of_no_items_is_not_marked_on_a_curve():
    """The chosen point has no precision where nothing is found, and several systems have no numbers on their lines."""
    cells = thresholds._cells({"threshold": 2.0, "cells": {"tp": 0, "fp": 0, "fn": 3, "tn": 4}})
    assert cells == {"threshold": 2.0, "why": "chosen", "recall": 0.0, "fallout": 0.0, "precision": None}
    points = [{"recall": 1.0, "precision": 0.4, "threshold": 0.1, "tp": 3, "fp": 4, "fn": 0, "tn": 0}]
    marks = thresholds._chosen({"points": points, "cuts": [cells]}, "recall", "precision")
    assert all("chosen" not in mark["label"] for mark in marks)
    document = {"data": {"n": 7}}
    assert "thresholds" in thresholds._caption(document, "roc", "recall", True)
    assert "are thresholds" not in thresholds._caption(document, "roc", "recall", False)


def _words(chart):
    """The words that stand beside points of a chart."""
    return [x["data"]["values"][0]["label"] for x in chart.body["layer"] if x["mark"]["type"] == "text"]


def test_thresholds_that_were_asked_for_are_marked_on_the_curve():
    """ROC and precision-recall have each of them where its table stands, and not the threshold with the highest F1."""
    truth, values = [1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.1]
    drawn = hs.curve(truth, values, metrics=["f1@0.45", "auc", "recall@0.75"]).charts()
    for kind, at in (("roc", [(0.5, 0.75), (0.0, 0.5)]), ("pr", [(0.75, 0.6), (0.5, 1.0)])):
        strong = [x["data"]["values"][0] for x in drawn[kind].body["layer"] if x["mark"].get("shape") == "diamond"]
        assert [(round(p["x"], 9), round(p["y"], 9)) for p in strong] == at
        said = _words(drawn[kind])
        assert {"score >= 0.45", "score >= 0.75"} <= set(said)
        assert not any("F1" in x for x in said)


@pytest.mark.parametrize("of", [{"accuracy": 0.9, "prevalence": 0.2}, {"counts": TABLE}])
def test_recalls_that_were_asked_for_are_marked_on_the_trade_off(of):
    """Each stands on the curve with its precision in words, of a tested system with its interval."""
    given = [of["counts"]] if "counts" in of else []
    made = hs.tradeoff(*given, recalls=[0.8], **({} if given else of))
    (row,), chart = made.to_dict()["rows"], made.plot()
    assert f"recall 0.8: precision {short(row['precision'])}" in _words(chart)
    spans = [x["data"]["values"][0] for x in chart.body["layer"] if "high" in x["data"]["values"][0]]
    assert [(x["x"], x["low"], x["high"]) for x in spans] == ([(0.8, row["low"], row["high"])] if given else [])


def test_the_threshold_with_the_highest_f1_is_one_number():
    """The chart, the names of the table and the note name the same cut of the same items."""
    rng = np.random.default_rng(5)
    truth = rng.random(900) < 0.4
    curve = hs.curve(truth, rng.normal(size=900) + truth, tolerance=0.5)  # more thresholds than the document has points
    said = next(x for x in _words(curve.charts()["roc"]) if "F1" in x).removeprefix("highest F1: ")
    assert f"{said} has the highest F1 on these items" in str(curve)
    assert f"precision@{said.removeprefix('score >= ')}" in str(curve)
    (cut,) = curve.to_dict()["cuts"]
    assert 2 * cut["tp"] / (2 * cut["tp"] + cut["fp"] + cut["fn"]) == pytest.approx(
        float(curve.posterior.point("max-f1"))
    )


def test_cells_of_a_confusion_matrix_are_written_as_all_shares_are():
    """The chart and its sentence give the same share in the same digits, as tables do, and the cells hold them."""
    report = hs.score(hs.Tally.matrix([[5_000_000, 3, 2], [40, 400_000, 60], [1, 2, 30]], labels=["a", "b", "c"]))
    (worst, *_), chart = report.to_dict()["confusions"], report.charts()["confusion"]
    said = findings.span(worst)
    assert chart.says.endswith(f"60 of 400,100 items, a share of {said}.")
    numbers, ends = (x["data"]["values"] for x in chart.body["layer"][1:3])
    assert numbers[5]["label"] == f"60 · {worst['count'] / worst['of']:.2g}"
    assert ends[5]["label"] == said
    assert not any("%" in x["label"] for x in (*numbers, *ends))
    wide = chart.body["width"] / 3
    assert max(len(x["label"]) for x in numbers) * 6.6 < wide


def test_slices_without_a_value_are_called_missing():
    row = {"asked": "f1", "slice": {"region": None}}
    assert findings.named(row) == "f1, region (missing)"
    assert scores._without_measure(row, "region") == "(missing)"


def test_scores_above_a_limit_are_as_sure_as_that_or_more():
    said = hs.score(TABLE, metrics=["f1", "accuracy"], above=0.1).plot().says
    assert said == "2 of 2 scores are above 0.1 (95% sure)."


# -- priors


@pytest.mark.parametrize("metrics", [["lr-plus", "odds-ratio"], ["f1", "odds-ratio"]])
def test_scores_without_a_place_on_a_logarithmic_axis_are_left_out_and_said(metrics):
    """A ratio of 0 has its interval and no point; a share of 0 beside it has both."""
    chart = hs.score(hs.Tally.binary(tp=0, fp=20, fn=30, tn=870), metrics=metrics).charts()["forest"]
    assert chart.caption.count("a score of 0 has no place on a logarithmic scale") == 1
    drawn = [[m["mark"]["type"] for m in part["layer"]].count("point") for part in chart.body["vconcat"]]
    assert drawn == [int(m == "f1") for m in metrics]


@pytest.mark.parametrize("of", ["priors", "forest"])
def test_a_limit_of_0_has_no_place_on_a_logarithmic_axis(of):
    """It is not drawn, and does not move the ends of the axis."""
    t = hs.Tally.binary(tp=80, fp=5, fn=30, tn=870)
    metrics = ["lr-plus"] if of == "priors" else ["lr-plus", "odds-ratio"]
    plain, held = (hs.score(t, metrics=metrics, above=above).charts()[of] for above in (None, 0))
    assert _domains(plain.body) == _domains(held.body)
    assert "NaN" not in held.to_svg()


def test_under_priors_is_the_same_report_under_each():
    report = result("score")
    found = report.under_priors(("jeffreys", 2.0))
    assert found[0].posterior.prior.name == "jeffreys"
    again = hs.score(TABLE, metrics=["f1"], above=0.8, prior="jeffreys")
    assert found[0].to_dict() == again.to_dict()
    for name in ("compare", "paired"):
        c = result(name)
        (one,) = c.under_priors(("uniform",))
        assert one.posterior.prior.name == "uniform"
        assert one.p_better != c.p_better
    assert result("compare").under_priors(("even",))[0].to_dict() == result("compare").to_dict()
    assert result("paired").under_priors(("even",))[0].to_dict() == result("paired").to_dict()


# -- files


@pytest.mark.parametrize("form", PICTURES)
def test_files_of_each_kind(tmp_path, form):
    path = tmp_path / f"chart.{form}"
    result("score").plot().save(path)
    start = path.read_bytes()[:8]
    assert {"svg": b"<svg ", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!doctyp", "json": b"{"}[form] in start


def test_unknown_files_and_charts_are_refused(tmp_path):
    with pytest.raises(UnknownName, match=r"written as \.svg"):
        result("score").plot().save(tmp_path / "x.gif")
    with pytest.raises(UnknownName, match="Charts: density"):
        result("score").plot("densty")
    with pytest.raises(HowsureError, match="batch"):
        hs.posterior(hs.Tally.binary(tp=[1, 2], fp=[1, 2], fn=[1, 2], tn=[1, 2]))["f1"].plot()


def test_a_distribution_is_drawn():
    chart = hs.posterior(TABLE)["f1"].plot(level=0.9, above=0.8)
    assert isinstance(chart, Chart)
    assert "P(above 0.8) = 0.098" in chart.says
    assert "90%" in chart.caption


def test_importing_howsure_brings_no_chart_library():
    code = (
        "import sys, howsure as hs\n"
        "r = hs.score(hs.Tally.binary(tp=8, fp=2, fn=3, tn=87)); str(r); r.plot().spec\n"
        "print([m for m in ('altair', 'vl_convert', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- the papers


def test_the_page_of_the_papers_shows_figures_beside_their_verdicts():
    chosen = [x for key in ("goutte-fig-1", "alvarez-fig", "ishioka-fig-3b") for x in papers.select(key)]
    page = papers.render(chosen, "html")
    assert page.count("<svg") == len(chosen)
    assert page.count('class="verdict') == 2 * len(chosen)
    assert "<script" not in page
    assert "http" not in re.sub(r'xmlns(:xlink)?="http[^"]*"', "", page)


def test_every_figure_of_the_papers_has_a_drawing():
    from howsure.papers.figures import _MAKERS

    figures = [x.id for x in papers.items() if "-fig-" in x.id]
    known = [name for name in figures if any(name == k or (name[:-1] == k and name[-1] in "abcd") for k in _MAKERS)]
    assert known == figures


def test_surfaces_say_what_they_leave_out():
    chart = relations.surface("phi", "precision", "recall", fallout=0.01, size=5).plot()
    assert "no table has these measures" in chart.caption
    assert "grey: no single value" in chart.caption


WEIGHED = {"y": [1, 0, 1, 0, 1, 1], "a": [1, 0, 0, 1, 1, 1], "b": [1, 1, 0, 0, 0, 1], "w": [1.5, 2, 0.5, 1, 2.5, 1]}


def test_captions_tell_a_sum_of_weights_from_a_number_of_items():
    """What the tables say of weighted items, beneath every chart too; never that so many weights were n items."""
    one = hs.score(WEIGHED, truth="y", pred="a", weight="w")
    same = hs.compare(WEIGHED, truth="y", pred=["a", "b"], weight="w")
    tables = [hs.tally(WEIGHED, truth="y", pred=x, weight="w") for x in "ab"]
    apart = hs.compare(*tables, names=("a", "b"))
    told = ("6 rows, whose weights sum to 8.5", "total weight 8.5", "total weight 8.5 (a) and 8.5 (b)")
    for made, said in zip((one, same, apart), told, strict=True):
        for chart in made.charts().values():
            assert chart.caption.startswith(f"{said};"), chart.caption
            assert "n = " not in chart.says
    assert "of 3 by weight, a share" in one.charts()["confusion"].says


@pytest.mark.parametrize("prior", [0.5, 0.005])
@pytest.mark.parametrize("above", [None, 3, 0])
def test_a_score_of_nothing_has_no_place_among_ratios(prior, above):
    """lr-minus of 0 is on no axis of logarithms: the density is drawn without it, and the caption says so."""
    d = hs.posterior(hs.Tally.binary(tp=5, fp=0, fn=0, tn=5), prior)["lr-minus"]
    chart = d.plot(above=above)
    assert chart.caption.endswith("; a score of 0 has no place on this scale")
    starts = re.findall(r'"type": "log", "domain": \[([^,]+),', json.dumps(chart.spec))
    assert starts
    assert all(float(x) > 0 for x in starts)
    assert "NaN" not in chart.to_svg()
