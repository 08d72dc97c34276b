"""What may be asked of the API: types, limits and examples; what the numbers mean is judged by the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from howsure.render.formats import PICTURES, TEXTS

MOST_COUNT: Final = 10**12
MOST_CLASSES: Final = 100
MOST_SLICES: Final = 5_000
MOST_ITEMS: Final = 50_000
MOST_METRICS: Final = 40
MOST_SYSTEMS: Final = 30
MOST_TEXT: Final = 200


def _whole(x: float) -> float:
    return int(x) if x.is_integer() else x


# What is negative or no whole number is refused by the library, which has the better sentence.
Count = Annotated[float, Field(le=MOST_COUNT, allow_inf_nan=False), AfterValidator(_whole)]
Text = Annotated[str, Field(max_length=MOST_TEXT)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Label = Text | Annotated[int, Field(ge=-MOST_COUNT, le=MOST_COUNT)]
Labels = Annotated[list[Label], Field(max_length=MOST_ITEMS)]
Metrics = Annotated[list[Text], Field(min_length=1, max_length=MOST_METRICS)]
Names = Annotated[list[Text], Field(max_length=MOST_METRICS)]
MEDIA_TYPES: Final = {**PICTURES, **{f.name: f.media_type for f in TEXTS}}  # `json` and `html` are of the result
if TYPE_CHECKING:
    Format = str
else:
    Format = Annotated[
        Literal["answer", *MEDIA_TYPES],
        Field(description="answer: JSON with document, finding and lines; else what the command writes, or the chart."),
    ]
Seed = Annotated[int, Field(le=2**63 - 1)]
Limits = Number | Annotated[dict[Text, Number], Field(max_length=MOST_METRICS)]
Tolerance = Annotated[float, Field(ge=0.005, le=1, allow_inf_nan=False)]


class StrictModel(BaseModel):
    """What is not known is refused, and nothing is read as something else."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class FourCounts(StrictModel):
    """The four cells of a table."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"tp": 80, "fp": 20, "fn": 30, "tn": 870}]})
    tp: Count
    fp: Count
    fn: Count
    tn: Count


class RateGiven(StrictModel):
    """Hits of trials."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"hits": 47, "of": 50}]})
    hits: Count
    of: Count


class MatrixGiven(StrictModel):
    """A confusion matrix; labels default to 0, 1, ..."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"counts": [[50, 3], [4, 40]], "labels": ["ham", "spam"], "positive": "spam"}]}
    )
    counts: Annotated[
        list[Annotated[list[Count], Field(min_length=1)]],
        Field(min_length=1, description=f"At most {MOST_CLASSES} rows."),
    ]
    labels: list[Label] | None = None
    positive: Label | None = None
    rows: Literal["truth", "pred"] = "truth"


class TableGiven(StrictModel):
    """What was counted: `counts`, `rate` or `matrix`, one of them."""

    counts: FourCounts | None = None
    rate: RateGiven | None = None
    matrix: MatrixGiven | None = None


class WinCounts(StrictModel):
    """Items on which only one of two systems was right, and ties."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"first": 17, "second": 4, "same": 3278}]})
    first: Count
    second: Count
    same: Count = 0


class PairedAnswers(StrictModel):
    """Truths, and what each of two systems said of the same items."""

    truth: Labels
    first: Labels
    second: Labels
    positive: Label | None = None


class AnySettings(StrictModel):
    """What most questions can be told besides."""

    level: Number | None = Field(default=None, description="Of the intervals; 0.95 if left out.")
    interval: Literal["auto", "equal-tailed", "hdi"] | None = None
    prior: Text | Number | None = Field(
        default=None, description="even (usual), jeffreys, uniform, or a weight per cell."
    )
    seed: Seed | None = None


class WithCharts(StrictModel):
    """Whether charts come with the answer."""

    charts: bool = Field(default=False, description="Also the charts, as specifications of Vega-Lite.")


class SampledSettings(AnySettings):
    """Where draws may be needed: how far an end of an interval may be off, as a share of the standard deviation."""

    tolerance: Tolerance | None = None


def _example(**given: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [given]})


_BEST: Final = "A measure, such as f1: the threshold at which it is best, in place of the summary."
_FOUR: Final = {"tp": 80, "fp": 20, "fn": 30, "tn": 870}


class ScoreQuestion(TableGiven, SampledSettings, WithCharts):
    """One system: each measure with its interval."""

    model_config = _example(counts=_FOUR, metrics=["f1"], above=0.8)
    metrics: Metrics | None = None
    above: Limits | None = None
    chance: bool = False


class CompareQuestion(SampledSettings, WithCharts):
    """Two systems: tables of each (other items), items that both answered, or wins."""

    model_config = _example(wins={"first": 17, "second": 4, "same": 3278})
    first: TableGiven | None = None
    second: TableGiven | None = None
    items: PairedAnswers | None = None
    wins: WinCounts | None = None
    metrics: Metrics | None = None
    equal_within: Number | None = None


class LeaderboardQuestion(SampledSettings, WithCharts):
    """Several systems, each with its table."""

    model_config = _example(systems={"a": {"rate": {"hits": 47, "of": 50}}, "b": {"rate": {"hits": 40, "of": 50}}})
    systems: Annotated[dict[Text, TableGiven], Field(description=f"At most {MOST_SYSTEMS}.")]
    metrics: Metrics | None = None
    apart: Number | None = None


class PlanQuestion(TableGiven, AnySettings, WithCharts):
    """How many items to label: a pilot (counts, rate or matrix) or expected measures, and a goal."""

    model_config = _example(metric="f1", expected={"recall": 0.8, "precision": 0.7, "prevalence": 0.1}, width=0.05)
    metric: Text | None = None
    expected: Annotated[dict[Text, Number], Field(max_length=8)] | None = None
    width: Number | None = None
    above: Number | None = None
    below: Number | None = None
    difference: Number | None = None
    disagreement: Number | None = None
    n: Annotated[int, Field(le=10**9)] | None = None
    assurance: Number | None = None


class ForecastQuestion(TableGiven, WithCharts):
    """What the next n items will show: of one system (counts, rate or matrix), or of two (first and second)."""

    model_config = _example(rate={"hits": 40, "of": 50}, n=20, below=0.7)
    first: TableGiven | None = None
    second: TableGiven | None = None
    n: Annotated[int, Field(le=10**9)]
    metrics: Metrics | None = None
    below: Limits | None = None
    above: Limits | None = None
    level: Number | None = None
    prior: Text | Number | None = None
    tolerance: Tolerance | None = None
    seed: Seed | None = None


class GateQuestion(TableGiven, SampledSettings, WithCharts):
    """Whether requirements are met; the status is pass, fail or inconclusive."""

    model_config = _example(counts=_FOUR, require=["f1 > 0.7 with 0.95", "recall > 0.6"])
    require: Metrics


class SolveQuestion(WithCharts):
    """The tables behind reported measures; a text means the digits as printed, a pair is a range."""

    model_config = _example(values={"precision": "0.75", "recall": "0.60", "accuracy": "0.85", "n": "200"})
    values: Annotated[dict[Text, Text | Annotated[list[Text], Field(min_length=2, max_length=2)]], Field(max_length=20)]
    exact: bool = False
    ties: Literal["up", "either"] | None = None
    most: Annotated[int, Field(ge=1, le=10_000)] | None = None


class TradeoffQuestion(AnySettings, WithCharts):
    """What recall costs in precision at constant accuracy: of measures, or of a tested system with its posterior."""

    model_config = _example(values={"accuracy": "0.9", "prevalence": "0.2"}, recalls=[0.8])
    values: Annotated[dict[Text, Text], Field(max_length=8)] | None = None
    counts: FourCounts | None = None
    recalls: Annotated[list[Number], Field(max_length=200)] | None = None


class CurveQuestion(SampledSettings, WithCharts):
    """Truths and scores of items: AUC and the like, or measures at thresholds such as f1@0.5."""

    model_config = _example(truth=[1, 0, 1, 1, 0], scores=[0.9, 0.2, 0.4, 0.8, 0.5], metrics=["auc", "f1@0.5"])
    truth: Labels
    scores: Annotated[list[Number], Field(max_length=MOST_ITEMS)]
    positive: Label | None = None
    metrics: Metrics | None = None
    best: Text | None = Field(default=None, description=_BEST)


class FileQuestion(BaseModel):
    """What columns of a file mean, and what is asked of them: the options of the command, as a query string."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: Text = Field(default="data", description="What the file is called; a label that is never opened.")
    truth: Text | None = None
    pred: Names | None = None
    outcome: Names | None = None
    value: Names | None = None
    score: Names | None = None
    threshold: Number | None = None
    by: Names | None = None
    positive: Text | None = None
    item: Text | None = None
    system: Text | None = None
    cluster: Text | None = None
    weight: Text | None = None
    count: Text | None = None
    where: Names | None = None
    independent_rows: bool | None = None
    missing: Literal["refuse", "drop", "wrong"] | None = None
    sep: Annotated[str, Field(max_length=4)] | None = None
    metric: Names | None = None
    above: Number | None = None
    below: Number | None = None
    n: Annotated[int, Field(le=10**9)] | None = Field(default=None, description="For forecast: number of future items.")
    require: Names | None = Field(default=None, description="Of gate: requirements, such as f1 > 0.8 with 0.95.")
    best: Text | None = Field(default=None, description=f"Of curve: {_BEST[:1].lower()}{_BEST[1:]}")
    equal_within: Number | None = None
    level: Number | None = None
    interval: Literal["auto", "equal-tailed", "hdi"] | None = None
    prior: Text | None = None
    seed: Seed | None = None
    format: Format = "answer"
    charts: bool = False
    report: bool = Field(default=False, description="Also the report, at an address that is kept for a while.")


class ErrorTold(StrictModel):
    """What went wrong: a code, and the sentence that the command would say."""

    code: str
    message: str


class ErrorAnswer(StrictModel):
    """The one shape of errors."""

    error: ErrorTold


class SameLines(StrictModel):
    """What gives the same elsewhere; `files` are what both lines read, by name, where they read any."""

    python: str
    shell: str
    files: dict[str, str]


class ChartDrawn(StrictModel):
    """A chart: its texts, and the specification of Vega-Lite without them; `narrow` is another one for a phone."""

    name: str
    title: str
    says: str
    caption: str
    spec: dict[str, Any]
    narrow: dict[str, Any] | None = None


class TableShown(StrictModel):
    """The table of the command, as texts; `right` marks the columns of numbers."""

    headline: str
    columns: list[str]
    right: list[bool]
    rows: list[list[str]]
    notes: list[str]


class FullAnswer(StrictModel):
    """The document of the command, what it says in a sentence, its table, and what gives the same elsewhere."""

    document: dict[str, Any]
    finding: str
    table: TableShown
    lines: SameLines
    charts: list[ChartDrawn] | None = None
    report: str | None = None


class BareDocument(BaseModel):
    """The document of the command alone, as `format=json` asks for it; what else it holds is by its schema."""

    model_config = ConfigDict(extra="allow")

    schema_name: str = Field(alias="schema")
    version: str


class ColumnSeen(StrictModel):
    """A column of a file: what its first rows hold, and the options it may be meant for."""

    name: str
    kind: str
    examples: list[str]
    values: int = Field(description="How many different values its first 200 rows hold, not all of its rows.")
    uses: list[str]


class FilePreview(StrictModel):
    """The columns of a file, and what is taken for what if nothing is said."""

    file: str
    columns: list[ColumnSeen]
    guessed: dict[str, Any]
    clear: bool
    message: str | None = None
