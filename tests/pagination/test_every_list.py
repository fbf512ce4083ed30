"""What every list of the API has, also a future one: files, several values, sorts that a cursor can follow."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization, close_clients
from tests.support.sample_records import SampleRecords
from tests.support.service import Service

from steward.wiring.routes import api_document

DOCUMENT = api_document()
PATHS = DOCUMENT["paths"]
PAGING = {"limit", "lastEvaluatedKey", "sort", "order", "after", "wait", "include"}
# Parameters that look like an identifier, and of which a value may hold a comma.
SINGLE = {"externalId"}


def _parameters(path: str) -> dict[str, dict[str, Any]]:
    found = PATHS[path]["get"].get("parameters", ())
    return {parameter["name"]: parameter["schema"] for parameter in found if parameter["in"] == "query"}


# What is asked for a moment, or has files of its own: `telemetry.csv` and `telemetry.ndjson` are of many assets.
WITHOUT_FILES = {
    "/organizations/{orgId}/resources/free",
    "/organizations/{orgId}/assets/{assetId}/telemetry/raw",
}
LISTS = sorted(
    path
    for path, methods in PATHS.items()
    if "get" in methods and "lastEvaluatedKey" in _parameters(path) and path not in WITHOUT_FILES
)


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Without null, and with what a reference stands for."""
    while "$ref" in schema or "anyOf" in schema:
        if "$ref" in schema:
            schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        else:
            schema = next(one for one in schema["anyOf"] if one.get("type") != "null")
    return schema


def _sorts(path: str) -> list[str]:
    schema = _parameters(path).get("sort")
    values = _plain(_plain(schema)["items"])["enum"] if schema else []
    names = [value for value in values if not value.startswith("-")]
    assert set(values) == {*names, *(f"-{name}" for name in names)}
    return names


@pytest.mark.parametrize("path", LISTS)
def test_sort_keys_are_fields_of_the_records(path: str) -> None:
    content = PATHS[path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    records = _plain(_plain(content)["properties"]["data"])["items"]
    assert set(_sorts(path)) <= _plain(records)["properties"].keys()


def test_there_are_lists() -> None:
    assert len(LISTS) > 20


@pytest.mark.parametrize("path", LISTS)
def test_a_list_can_be_exported_with_the_same_filters(path: str) -> None:
    for suffix in ("csv", "ndjson"):
        assert set(_parameters(f"{path}.{suffix}")) == set(_parameters(path)) - (PAGING - {"sort", "include"})


@pytest.mark.parametrize("path", LISTS)
def test_filters_by_identifier_or_word_take_several_values(path: str) -> None:
    for name, given in _parameters(path).items():
        schema = _plain(given)
        if name in PAGING | SINGLE or not (name.endswith(("Id", "By")) or "enum" in schema):
            continue
        assert schema["type"] == "array", name
        parameter = next(one for one in PATHS[path]["get"]["parameters"] if one["name"] == name)
        assert parameter["explode"] is False


@pytest.fixture(scope="module")
def samples(running_service: Service) -> Iterator[SampleRecords]:
    api = running_service.another_api(
        STEWARD_KEY_REQUESTS_PER_MINUTE="100000", STEWARD_WEBHOOK_ALLOW_LOCAL="on"
    )
    yield SampleRecords(Organization(api.base_url, running_service.database_url, "Enterprise"))
    close_clients()
    running_service.stop_others()


class TestWithOneOfEverything:
    def _get(self, samples: SampleRecords, path: str, **query: Any) -> httpx.Response:
        return samples.organization.api.get(samples.path(path), params=query)

    def test_files_hold_what_the_list_holds(self, samples: SampleRecords) -> None:
        for path in LISTS:
            items = data_of(self._get(samples, path, limit=100))
            assert items, path
            # What else the organization does meanwhile may come on top.
            lines = self._get(samples, f"{path}.ndjson").text.splitlines()
            assert [json.loads(line) for line in lines][-len(items) :] == items, path
            rows = list(csv.DictReader(io.StringIO(self._get(samples, f"{path}.csv").text)))
            assert len(rows) >= len(items), path
            first = next(iter(rows[0]))
            assert [row[first] for row in rows][-len(items) :] == [item[first] for item in items], path

    def test_several_values_are_asked_for_at_once(self, samples: SampleRecords) -> None:
        for path in LISTS:
            for name, schema in _parameters(path).items():
                plain = _plain(schema)
                if plain.get("type") != "array" or name == "sort":
                    continue
                values = _plain(plain["items"]).get("enum", ["workorder.*", "asset.*"])
                several = self._get(samples, path, **{name: ",".join(values)})
                assert several.status_code == 200, (path, name, several.text)
                again = self._get(samples, path, **{name: ",".join([*values[::-1], values[0]])})
                assert data_of(again) == data_of(several), (path, name)
                too_many = self._get(samples, path, **{name: ",".join(["workorder.*"] * 101)})
                assert too_many.status_code == 422, (path, name)
                if "enum" in _plain(plain["items"]):
                    (fault,) = self._get(samples, path, **{name: f"{values[0]},Purple"}).json()["details"]
                    words = fault["message"].removeprefix("must be one of ").split(", ")
                    assert (fault["field"], sorted(words)) == (name, sorted(values)), path

    def test_a_sort_and_its_opposite_are_walked_by_cursor(self, samples: SampleRecords) -> None:
        for path in LISTS:
            everything = data_of(self._get(samples, path, limit=100))
            for sort in _sorts(path):
                there = self._walk(samples, path, sort)
                assert there == self._walk(samples, path, f"-{sort}")[::-1], (path, sort)
                assert len(there) == len(everything), (path, sort)
            if _sorts(path):
                answer = self._get(samples, path, sort="purple")
                message = answer.json()["details"][0]["message"]
                words = message.removeprefix("must be one of ").split(", ")
                assert {word.removeprefix("-") for word in words} == set(_sorts(path)), path

    def _walk(self, samples: SampleRecords, path: str, sort: str) -> list[Any]:
        seen: list[Any] = []
        cursor: dict[str, str] = {}
        while True:
            page = self._get(samples, path, sort=sort, limit=2, **cursor).json()
            seen += page["data"]
            if page["lastEvaluatedKey"] is None:
                return seen
            cursor = {"lastEvaluatedKey": page["lastEvaluatedKey"]}
