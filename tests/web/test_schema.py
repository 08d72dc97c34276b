"""The description of the API holds: whatever fits it is answered as it says, whatever does not is refused."""

from __future__ import annotations

import json
import re

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.tiers import tier
from tests.web.conftest import QUESTION

EXAMPLES = 200 if tier == "deep" else 4  # of each operation


@pytest.fixture(scope="module")
def described(address):
    return httpx.get(f"{address}/api/openapi.json").json()


@pytest.mark.whole
@pytest.mark.parametrize("right", [True, False], ids=["positive", "negative"])
def test_schemathesis_finds_nothing(address, described, right):
    """Questions made from the description, right and wrong, on every path."""
    import schemathesis  # here, or every worker would wait for it
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    mode = schemathesis.GenerationMode.POSITIVE if right else schemathesis.GenerationMode.NEGATIVE
    held = [
        not_a_server_error, checks.status_code_conformance, checks.content_type_conformance,
        checks.response_schema_conformance, checks.negative_data_rejection,
    ]  # fmt: skip
    schema = schemathesis.openapi.from_dict(described)
    schema.config.update(base_url=address)
    tried = 0
    for result in schema.get_all_operations():
        operation = result.ok()
        if not right and operation.path == "/api/metrics":
            continue  # it takes nothing that could be wrong

        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def holds(case):
            nonlocal tried
            tried += 1
            case.call_and_validate(checks=held, timeout=60)

        holds()
    assert tried >= 8 * EXAMPLES


def test_examples_are_answered(address, described):
    """Each example of the description is a question that has an answer."""
    found = 0
    for path, methods in described["paths"].items():
        body = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json")
        if body is None:
            continue
        name = body["schema"]["$ref"].rsplit("/", 1)[1]
        (example,) = described["components"]["schemas"][name]["examples"]
        response = httpx.post(address + path, json=example, timeout=60)
        assert response.status_code == 200, response.text
        assert {"document", "finding", "table", "lines"} <= response.json().keys()
        found += 1
    assert found == 9


def test_either_answer_is_described(address, described):
    """An answer with its table, or the document alone: each has one shape of the two that are described."""
    shapes = described["paths"]["/api/score"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    names = [shape["$ref"].rsplit("/", 1)[1] for shape in shapes.pop("anyOf")]
    assert (names, set(shapes) - {"title"}) == (["FullAnswer", "BareDocument"], set())
    needed = {name: set(described["components"]["schemas"][name]["required"]) for name in names}
    for form, name in (("answer", "FullAnswer"), ("json", "BareDocument")):
        found = httpx.post(f"{address}/api/score", json=QUESTION, params={"format": form}, timeout=60).json()
        assert [n for n in names if needed[n] <= found.keys()] == [name]


def test_errors_are_described(described):
    """Every operation states the one shape of errors."""
    for methods in described["paths"].values():
        for told in methods.values():
            for status in ("401", "413", "422", "500", "503"):
                shape = told["responses"][status]["content"]["application/json"]["schema"]
                assert shape == {"$ref": "#/components/schemas/ErrorAnswer"}


@settings(max_examples=15, deadline=None, derandomize=True, database=None)
@given(name=st.text(max_size=60), held=st.binary(max_size=300))
def test_any_bytes_are_a_file_or_refused(address, name, held):
    """No bytes and no name make the server fail."""
    headers = {"content-type": "application/octet-stream"}
    response = httpx.post(f"{address}/api/file/score", params={"name": name}, content=held, headers=headers, timeout=60)
    assert response.status_code in (200, 422), response.text
    if response.status_code == 422:
        assert re.fullmatch(r"[a-z-]+", json.loads(response.content)["error"]["code"])
