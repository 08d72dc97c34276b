"""Documents of relations: the keys that every document has, and the same ones from the command."""

from __future__ import annotations

import json

import pandas
import pytest

import howsure as hs
from howsure.cli import app
from howsure.relations import associate, break_even, check, eleven_point, mixture, normal, surface

KEYS = {"schema", "version", "prior", "level", "interval", "seed", "data", "rows", "notes"}
T = hs.Tally.binary(tp=80, fp=20, fn=30, tn=870)
DIGITS = {"precision": "0.75", "recall": "0.60", "accuracy": "0.85"}
RESULTS = {
    "solve": lambda: hs.solve(precision=0.75, recall=0.6, accuracy=0.85, n=200),
    "solve, open": lambda: hs.solve(precision=0.75, recall=0.6, n=200),
    "solve, impossible": lambda: hs.solve(recall=0.8, specificity=0.9, accuracy=0.95),
    "solve, posterior": lambda: hs.solve(DIGITS, n=(198, 202), integers=True).with_posterior(["f1", "precision"]),
    "solve, systems": lambda: hs.solve({"a": {"tp": 8, "fp": 1}, "b": {"tp": 6, "fp": 1}}, n=40, positives=10),
    "tradeoff": lambda: hs.tradeoff(accuracy=0.9, prevalence=0.2),
    "tradeoff, band": lambda: hs.tradeoff(T, prior="uniform", level=0.9, seed=3),
    "surface": lambda: surface(fallout=0.01, size=3),
    "break-even": lambda: break_even(size=3),
    "eleven-point": lambda: eleven_point(values=[0.5], fallout=[0.01]),
    "identities": lambda: check(T),
    "mixture": lambda: mixture(normal(1, 1), normal(-1, 1), prevalence=0.2),
    "association": lambda: associate(T, prior="jeffreys"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_document_has_the_shared_keys(name: str) -> None:
    """Keys that do not apply are null; notes are pairs of a code and a text."""
    document = RESULTS[name]().to_dict()
    assert document.keys() >= KEYS
    assert document["version"] == hs.__version__
    assert all(note.keys() == {"code", "level", "text"} for note in document["notes"])
    json.dumps(document, allow_nan=False)


def test_settings_are_those_of_the_posterior() -> None:
    """What depends on a prior says which; what does not has none."""
    band, association, plain = (RESULTS[x]().to_dict() for x in ("tradeoff, band", "association", "solve"))
    assert (band["prior"]["name"], band["level"], band["seed"], band["data"]["n"]) == ("uniform", 0.9, 3, 1000)
    assert association["prior"] == {"name": "jeffreys", "total": 2}
    assert [plain[k] for k in ("prior", "level", "interval", "seed", "data")] == [None] * 5
    assert RESULTS["identities"]().to_dict()["data"]["cells"] == {"tp": 80, "fp": 20, "fn": 30, "tn": 870}


def test_slices_of_an_association_are_named_by_column() -> None:
    """Each slice column has its own name, as in every other document."""
    frame = {"region": ["a", "a", "b", "b"], "year": [1, 1, 2, 2], "truth": [0, 1, 0, 1], "model": [0, 1, 1, 1]}
    tally = hs.tally(pandas.DataFrame(frame), truth="truth", pred="model", by=["region", "year"])
    slices = [row["slice"] for row in associate(tally).to_dict()["rows"][:2]]
    assert slices == [{"region": "a", "year": 1}, {"region": "b", "year": 2}]


def test_with_posterior() -> None:
    """The rows are the posteriors themselves; a solution without tables says why it has none."""
    solution = RESULTS["solve, posterior"]()
    document = solution.to_dict()
    law = solution.posterior("f1")
    assert [row["metric"] for row in document["posterior"]] == ["f1", "precision"]
    assert document["posterior"][0]["median"] == law.median
    assert (document["prior"], document["level"]) == ({"name": "even", "total": 2}, 0.95)
    assert "f1 " in str(solution)
    with pytest.raises(hs.HowsureError, match="a posterior needs tables, and there are none"):
        RESULTS["solve, impossible"]().with_posterior("f1")


def test_the_command_shows_the_document_of_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    """--format json is to_dict, the posterior with it."""
    values = ["precision=.75", "recall=.60", "accuracy=.85", "n=198-202"]
    how = ["--posterior", "f1", "--prior", "uniform", "--level", "0.9", "--seed", "2"]
    assert app.run(["solve", *values, *how, "--format", "json"]) == 0
    solution = hs.solve({"precision": ".75", "recall": ".60", "accuracy": ".85", "n": (198, 202)}, integers=True)
    expected = solution.with_posterior(["f1"], prior="uniform", level=0.9, seed=2).to_dict()
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(expected))
