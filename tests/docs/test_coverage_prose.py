"""Pages that quote a measured coverage in a sentence quote the data file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from bench import coverage_data as data
from bench import coverage_page as page
from bench.coverage_cases import ALL, EQUAL
from bench.coverage_data import Table
from bench.coverage_page import PAGE
from bench.coverage_tables import ANY

ROOT = Path(__file__).parents[2]
DOCUMENT = data.read()
STUDIES = {name: data.study(DOCUMENT, name) for name in DOCUMENT["studies"]}
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")
PERFECT = 3.5  # how far apart the scores of the nearly perfect order are
STUDENT = "Student's t"
GRADED = STUDIES["graded"].tables
AREAS = STUDIES["areas"].tables
CLASSES, SCORES = STUDIES["classes"].tables, STUDIES["scores"].tables["scores"]
MACRO = ("macro-f1", "macro-precision", "macro-recall")
UNWARNED = [row for row in CLASSES["warning cases"].rows if max(row.case["warned"].values()) <= 0.5]
SINGLE = Table(["coverage"], [*CLASSES["corners"].rows, *CLASSES["warning cases"].rows])


Where = Callable[[dict[str, Any]], bool]


def some(table: Table, where: Where) -> Table:
    """The rows of `even` whose case is such."""
    return Table(table.figures, [x for x in table.rows if x.method == "even" and where(dict(x.case))])


def best(where: Where, *measures: str) -> list[float]:
    """In such corners, where `even` is low, the coverage of the other method that is nearest to .95."""
    rows = [(row, x) for row in some(CLASSES["corners"], where).rows for x in measures]
    low = [
        page.nearest(CLASSES["corners"], row.case, x) for row, x in rows if page.is_low(row.held[x][0], row.tests[0])
    ]
    return [x[1] for x in low if x is not None]


def span(found: Iterable[float]) -> str:
    got = list(found)
    return f"{page.short(min(got))} to {page.short(max(got))}"


def means(method: str, figure: str = "mean") -> list[float]:
    return [x for s in ("balanced", "zipf") for x in CLASSES[s].where(method).column(*ALL, figure=figure)]


def in_short() -> Iterable[str]:
    count = CLASSES["outside"].rows[0]
    below = int(count.held[ANY][0] or 0)
    few = CLASSES["by items"].where(items_per_class=3)
    wide = few.where("even").column(*EQUAL, figure="mean")
    boot = [x for m in ("percentile", "BCa") for x in few.where(m).column(*MACRO, figure="mean")]
    own = CLASSES["by items"].where("even")
    rates, lowest = ("precision:class", "recall:class"), own.column("f1:class", figure="lowest")
    yield f"its means are {span(means('even'))}."
    yield f"In {count.cases - below} of {count.cases} cases no measure is below .93 by more than two standard errors"
    yield f"; the other {below} have"
    yield f"hold in {span(means('jeffreys'))} (½ a cell) or {span(means('uniform'))} (1) on average"
    yield f"short with 3 items a class ({span(boot)} for macro averages)"
    above = sum(x > 0.97 for x in wide)
    yield f"{span(wide)} for averages over classes, {above} of {len(wide)} such means above .97"
    yield (
        f"{span(own.column(*page.PER_CLASS, figure='mean'))} on average with ½ a cell of class against rest, lowest "
        f"case {page.short(min(own.column(*rates, figure='lowest')))}, of F1 {page.short(min(lowest))} where"
    )
    lost = CLASSES["corners"].where("even", rates="lost").column(*page.PER_CLASS)
    yield f"(with classes that are never right: {span(lost)} over all classes)"


def shared() -> Iterable[str]:
    t = CLASSES["warnings"]
    ends = [x for f in t.figures for x in t.column("kappa", "phi", figure=f)]
    ends += [
        x for f in t.figures for why in ("never", "none") for x in t.where(warned=why).column("weighted-f1", figure=f)
    ]
    zipf = some(SINGLE, lambda c: c["classes"] >= 100 and c["sizes"] == "zipf")
    one = some(SINGLE, lambda c: c["classes"] == 30 and c["sizes"] == "dominated").column("weighted-f1")
    yield f"**Weighted-F1, kappa and phi** need no pooling ({span(ends)})"
    yield f"100 classes and more of Zipf sizes ({span(zipf.column('weighted-f1'))})"
    yield f"one has 95% of the items ({page.short(max(one))})"
    recall = [x for f in t.figures for x in t.column("macro-recall", figure=f)]
    yield f"Macro-recall held in every case ({span(recall)};"


def warned() -> Iterable[str]:
    cases = CLASSES["warning cases"]
    bad = [row for row in cases.rows if row not in UNWARNED]
    idle = [row for row in bad if not any(page.is_low(row.held[x][0], row.tests[0]) for x in EQUAL)]
    yield f"then tried on {len(cases.rows)} others"
    yield (
        f"Of the {len(cases.rows)}, {len(bad)} are warned about, {len(idle)} of them without a figure that is below "
        f".93 by more than two standard errors; in the other {len(UNWARNED)} the lowest figure is "
        f"{page.short(min(Table(cases.figures, UNWARNED).column(*EQUAL)))}"
    )
    lost = CLASSES["corners"].where("even", rates="lost", items_per_class=3, classes=20)
    low = {x: page.short(min(lost.column(x))) for x in EQUAL}
    shares = span(row.case["warned"]["never"] for row in lost.rows)
    yield (
        f"(down to informedness {low['informedness']}, markedness {low['markedness']}, macro-precision "
        f"{low['macro-precision']} at 20 classes; {shares} of these tests are warned about)"
    )


def beyond_all() -> tuple[list[float], list[float]]:
    """What is nearest where no method is good: macro-precision of Zipf sizes, two measures of balanced classes."""
    zipf = best(lambda c: c["classes"] >= 100 and c["sizes"] == "zipf", "macro-precision")
    return zipf, best(lambda c: c["classes"] >= 50 and c["sizes"] == "balanced", "informedness", "markedness")


def others() -> Iterable[str]:
    def one(c: dict[str, Any]) -> bool:
        return c["sizes"] == "dominated" and c["classes"] == 10

    pooled = some(CLASSES["corners"], one).column("markedness")
    yield f"holds in {span(best(one, 'markedness'))} where the pooled one holds in {span(pooled)}."
    often = best(lambda c: c["sizes"] == "dominated" or c["rates"] == "lost", "macro-precision")
    yield f"often: the best holds in {span(often)}."
    yield f"100 classes of Zipf sizes ({span(beyond_all()[0])})"
    yield f"50 and 100 balanced classes ({span(beyond_all()[1])}), no other method reached .93 either"
    yield f"whole items hold {span(CLASSES['labels'].where('even').column())};"
    yield f"independent do not ({span(CLASSES['labels'].where('labels apart').column())})"


def of_scores() -> Iterable[tuple[str, str]]:
    few = Table(SCORES.figures, [x for x in SCORES.rows if x.case["positives"] <= 0.1])
    short = [x for m in ("none", "DeLong") for x in few.where(m).column("auc", "AP")]
    even, none = SCORES.where("even"), SCORES.where("none")
    top = span(x for row, x in zip(even.rows, even.column("max-f1"), strict=True) if row.case["apart"] != PERFECT)
    chosen, corrected = span(even.column("F1 where chosen")), span(SCORES.where("corrected").column("F1 where chosen"))
    kinds = f"In {len(even.rows)} kinds of simulated tests"
    yield PAGE, f"it holds {chosen}, and corrected for the choice {corrected}."
    yield PAGE, f"(down to {page.short(min(short))}), and `even` holds {span(few.where('even').column('auc', 'AP'))};"
    perfect = (page.short(x) for x in SCORES.where("even", apart=PERFECT).column("auc", "AP"))
    yield PAGE, f"for a nearly perfect order of 50 items {' and '.join(perfect)}"
    yield PAGE, f"nearly perfect order `even` holds {top}."
    yield "docs/how-to/curves.md", f"{kinds} (50 to 1,000 items, 2 to 50% of them positive)"
    yield "docs/how-to/curves.md", f"AUC in {span(even.column('auc'))} of the tests"
    yield "docs/how-to/curves.md", f"average precision in {span(even.column('AP'))} with `even`"
    yield "docs/how-to/curves.md", f"with `none` in {span(none.column('auc'))} and {span(none.column('AP'))}."
    yield "docs/how-to/curves.md", f"{kinds} 95% intervals of F1 at a chosen threshold held in {chosen} of the tests"
    yield "docs/how-to/curves.md", f"corrected in {corrected} ("
    yield "docs/how-to/curves.md", f"in {len(even.rows) - 1} of the {len(even.rows)} their intervals held {top}."


def in_all(figure: str, metric: str, *methods: str) -> tuple[str, ...]:
    """A figure of all cases of areas or points of curves."""
    tables = [AREAS["all cases"].where(metric=metric, interval=x) for x in methods]
    return tuple(page.short(x) for t in tables for x in t.column(figure=figure))


def of_areas() -> Iterable[str]:
    for name, other, title in (("auc", "DeLong", "DeLong's interval"), ("AP", "bootstrap", "the bootstrap")):
        methods = ("even", "before", other)
        cases = AREAS["all cases"].where(metric=name, interval="even").rows[0].cases
        mean, below, width = (in_all(x, name, *methods) for x in ("mean", "below .93", "width"))
        yield f"`even` covers {mean[0]} on average over {cases} cases (`before` {mean[1]}, {title} {mean[2]})."
        yield f"A share of {below[0]} of the cases is below .93 (`before` {below[1]}, {title} {below[2]})."
        yield f"Intervals are {width[0]} wide on average (`before` {width[1]})."
        off = in_all("score outside 10-90%, highest", name, "before")[0]
        yield f"No score is outside its 10% and 90% quantiles (`before`: up to {off} of the scores of a case)."
        again = AREAS["all cases"].where(metric=f"{name}, longer run", interval="even")
        still = AREAS["outside .93 to .97 in the longer run"].where("even", metric=name).column("coverage")
        low, high = [x for x in still if x < 0.93], [x for x in still if x > 0.97]
        yield f"In the longer run of {again.rows[0].cases} cases {len(low)} are below .93 ({span(low)})"
        yield f"and {len(high)} above .97 (at most {page.short(max(high))})."
    for name in ("max-f1", "recall@fallout=0.1", "precision@recall=0.9"):
        mean, lowest = (in_all(x, name, "even")[0] for x in ("mean", "lowest"))
        below, above = (in_all(x, name, "even")[0] for x in ("below .93", "above .97"))
        yield f"`{name}` {mean} on average, {lowest} at the lowest; {below} of the cases below .93, {above} above .97"
    off = in_all("score outside 10-90%, highest", "recall@fallout=0.1", "even")[0]
    yield f"up to {off} of the scores of a case"
    pairs = AREAS["two systems"].where(correlation="all")
    equal, most, power, less = (
        [page.short(pairs.where(m).column(figure=x)[0]) for m in ("even", "DeLong", "before")] for x in pairs.figures
    )
    yield f"in {equal[0]} of the tests on average (DeLong's test {equal[1]}, `before` {equal[2]})"
    yield f"in {most[0]} at most (DeLong's test {most[1]})"
    yield f"in {power[0]} of the tests (DeLong's test {power[1]}, `before` {power[2]})"
    yield f"less often than by DeLong's test by {less[0]} at most"
    by_area = AREAS["two systems"].where("even").where(correlation=0.8)
    yield f"at an AUC of .99 in {page.short(by_area.rows[-1].held['difference'][0])} where scores correlate by .8"


def items_of(table: Table, method: str, most: float, figure: str) -> list[float]:
    """A figure of tests with 10 items, or with more."""
    rows = [x for x in table.where(method).rows if (x.case["items"] > 10) == (most > 10)]
    return Table(table.figures, rows).column(figure=figure)


def missed(most: float) -> float:
    """How much less often than t's a better system is found, at most."""
    found = (items_of(GRADED["equal systems"], x, most, "found") for x in (STUDENT, "even"))
    return max(a - b for a, b in zip(*found, strict=True))


def widths(name: str, most: float) -> str:
    """The widths over Student's."""
    own, other = (items_of(GRADED[name], x, most, "width") for x in ("even", STUDENT))
    return span(round(a / b, 2) for a, b in zip(own, other, strict=True))


def of_graded() -> Iterable[str]:
    for name, what in (("means", "means"), ("differences", "differences")):
        more, few = (span(items_of(GRADED[name], "even", n, "coverage")) for n in (25, 10))
        least = "8 and 10" if what == "means" else "10"
        yield f"95% intervals of {what} from 25 and 50 items hold in {more} of the tests, from {least} items in {few}"
        yield f"they are {widths(name, 25)} and {widths(name, 10)} of the width of Student's"
    plain = span(items_of(GRADED["means"], "even, not stretched", 10, "coverage"))
    yield f"without the stretch means from 8 and 10 items held in {plain}"
    outside = {x: span(GRADED["equal systems"].where(x).column(figure="outside")) for x in ("even", "none")}
    yield f"in {outside['even']} of the tests under `even`, in {outside['none']} under `none`"
    skewed = GRADED["differences"].where("even", differences="skewed", items=10).column()
    yield f"(the lowest are skewed ones, {span(skewed)};"
    student = GRADED["differences"].where(STUDENT, differences="skewed", items=10).column()
    yield f"Student's t holds {span(student)} there)"
    yield f"at most {page.short(missed(25))} less often than the paired t test with 25 and 50 items"
    yield f"but up to {page.short(missed(10))} less often with 10"


def elsewhere() -> Iterable[tuple[str, str]]:
    queries = {why: x["held"]["mean"] for why, x in STUDIES["queries"].summary.items()}
    told = {why: span((x["lowest"], x["highest"])) for why, x in queries.items()}
    yield (
        "docs/how-to/trec.md",
        f"means of 0.1 and more, over 25 to 200 queries, hold the truth in {told['other-means']} of",
    )
    low = STUDIES["queries"].tables["queries"]
    few = {x: low.where(x, mean=0.025, queries=25).column("mean") for x in ("none", STUDENT)}
    yield "docs/how-to/trec.md", f"For a mean as low as 0.025 they hold it in {told['low-mean']};"
    yield "docs/how-to/trec.md", f"the plain bootstrap has {page.short(few['none'][0])} there with 25 queries"
    yield "docs/how-to/trec.md", f"and Student's t {page.short(few[STUDENT][0])}"
    why = "docs/why/005-pooled-prior.md"
    one = some(SINGLE, lambda c: c["sizes"] == "dominated" and c["classes"] >= 6)
    never = CLASSES["warnings"].where(warned="never").rows[0].held
    zipf = some(SINGLE, lambda c: c["sizes"] == "zipf" and c["classes"] >= 100)
    of_one = {x: span(one.column(x)) for x in ("markedness", "macro-precision")}
    yield why, f"markedness held in {of_one['markedness']} and macro-precision in {of_one['macro-precision']};"
    known = {x: span(y for y in never[x] if y is not None) for x in ("markedness", "macro-precision")}
    yield why, f"never right in {known['markedness']} and {known['macro-precision']};"
    yield why, f"of Zipf sizes macro-precision in {span(zipf.column('macro-precision'))}."
    yield why, f"({page.short(min(CLASSES['warnings'].column('macro-recall', figure='lowest')))} and above)"


def of_ends() -> Iterable[str]:
    """What intervals to the end of the range and the shortest ones cover; the true value 1 aside."""
    table = STUDIES["ends"].tables["ends"]
    some = Table(table.figures, [x for x in table.rows if x.case["wrong"] > 0])
    ours, shortest = (some.where(x) for x in ("to the end", "shortest"))
    less = [x - y for x, y in zip(ours.column(), shortest.column(), strict=True)]
    assert min(less) >= 0
    yield f"it covers up to {page.short(max(less))} less"
    yield f"a rate covers in {page.short(min(ours.column('rate')))}."
    yield f"What AUC lacks (down to {page.short(min(ours.column('auc')))})"


SENTENCES = [
    *((PAGE, x) for part in (in_short, shared, warned, others, of_areas, of_graded, of_ends) for x in part()),
    *of_scores(),
    *elsewhere(),
]


@pytest.mark.parametrize(("name", "sentence"), SENTENCES)
def test_prose_quotes_the_file(name: str, sentence: str) -> None:
    """A sentence with measured coverage stands in the page with the figures of the data file."""
    assert sentence in " ".join((ROOT / name).read_text(encoding="utf-8").split())


def test_no_figure_in_prose_is_left_out() -> None:
    """Outside of its tables and of the sentences above, the page has settings and limits, but no measured coverage."""
    text = TEXT
    for name, part in STUDIES.items():
        text = text.replace(page.shown(text, name, part.by), "")
    text = " ".join(text.split())
    for name, sentence in SENTENCES:
        text = text.replace(sentence, "") if name == PAGE else text
    settings = {".6", ".8", ".9", ".95", ".93", ".97", ".999", ".025", ".975"}  # accuracies, limits
    assert set(re.findall(r"(?<![\w.])\.\d+", text)) <= settings


def test_what_the_prose_claims_in_words() -> None:
    """Fixed weights never hold in some case of every measure, the bootstrap is good with 50 items a class, and there
    are corners in which no method reaches .93.
    """
    assert all(x == 0 for m in ("jeffreys", "uniform") for x in means(m, "lowest"))
    many = CLASSES["by items"].where(items_per_class=50)
    assert all(x > 0.93 for m in ("percentile", "BCa") for x in many.where(m).column(*MACRO, figure="mean"))
    assert max(x for found in beyond_all() for x in found) < 0.93
