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
Size = Annotated[int, Field(le=10**9)]
Listed = Annotated[int, Field(ge=1, le=10_000)]  # tables
Numbers = Annotated[list[Number], Field(max_length=200)]
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


class WithCharts(StrictModel):
    """Whether charts come with the answer."""

    charts: bool = Field(default=False, description="Also the charts, as specifications of Vega-Lite.")


class FileColumns(BaseModel):
    """What columns of a file mean: the options of the command, as a query string."""

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
