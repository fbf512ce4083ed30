"""Which operations become tools, and what is said of them: held against the project's own document."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from steward_client.mcp.curation import EVERYDAY, HIDDEN, UnknownGroupError, exclusion
from steward_client.mcp.document import Document, DocumentError, parse_document
from steward_client.mcp.tools import ApiTool, tools_of

RAW = json.loads((Path(__file__).parents[2] / "openapi.json").read_text(encoding="utf-8"))
DOCUMENT = parse_document(RAW)
EVERYTHING = tools_of(DOCUMENT, ("all",), writes=True)
# Written down by hand: what an assistant doesn't get, by how its address looks.
NO_RECORDS = re.compile(
    r"\.csv$|\.ndjson$|/by-external-id/|^/health|^/authentications|^/\.well-known|^/openapi\.json|^/calendars/"
)


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [(method, path, raw) for path, methods in RAW["paths"].items() for method, raw in methods.items()]


def test_every_record_that_can_be_read_has_a_tool() -> None:
    read = {path for method, path, _ in operations() if method == "get" and not NO_RECORDS.search(path)}
    assert {tool.operation.path for tool in EVERYTHING.values() if tool.operation.reads} == read
    assert len(read) > 50


def test_an_operation_is_a_tool_or_has_a_reason_not_to_be() -> None:
    reasons = {operation.id: exclusion(operation, DOCUMENT) for operation in DOCUMENT.operations}
    assert len(reasons) == len(operations())
    assert {tool.operation.id for tool in EVERYTHING.values()} == {
        name for name, reason in reasons.items() if reason is None
    }


@pytest.mark.parametrize(
    "operation",
    [
        "createApiKey",
        "createWebhook",
        "rotateSecretOfWebhook",
        "invitePerson",
        "makeCalendarLink",
        "createUser",
    ],
)
def test_tools_return_no_secrets(operation) -> None:
    assert operation not in {tool.operation.id for tool in EVERYTHING.values()}
    assert operation in {raw["operationId"] for _, _, raw in operations()}


def test_a_password_is_no_argument() -> None:
    assert "password" in RAW["components"]["schemas"]["UserChanges"]["properties"]
    assert not HIDDEN & EVERYTHING["change_user"].takes.names


def test_without_the_flag_only_reading_tools_exist() -> None:
    reading = tools_of(DOCUMENT, ("all",))
    assert {tool.operation.method for tool in reading.values()} == {"GET"}
    assert set(reading) == {name for name, tool in EVERYTHING.items() if tool.operation.reads}


def test_without_a_choice_there_are_the_tools_of_every_day() -> None:
    assert {tool.operation.group for tool in tools_of(DOCUMENT).values()} == set(EVERYDAY)


def test_groups_are_chosen_by_name() -> None:
    chosen = tools_of(DOCUMENT, ("work_orders", "schedules_of_rates"))
    assert {tool.operation.group for tool in chosen.values()} == {"work_orders", "schedules_of_rates"}
    assert "list_work_orders" in chosen
    with pytest.raises(UnknownGroupError, match=r"no tools named 'work'\. There are: alert_rules, alerts"):
        tools_of(DOCUMENT, ("work",))


def test_tool_names_match_what_clients_accept() -> None:
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name) for name in EVERYTHING)
    assert len(EVERYTHING) == len({tool.operation.id for tool in EVERYTHING.values()})


@pytest.mark.parametrize("tool", EVERYTHING.values(), ids=lambda tool: tool.name)
def test_arguments_are_json_schema(tool: ApiTool) -> None:
    schema = tool.takes.schema
    Draft202012Validator.check_schema(schema)
    # What is referred to is there: an unknown reference is only noticed when it is followed.
    named = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(schema)))
    assert named == set(schema.get("$defs", {}))
    assert "#/components" not in json.dumps(schema)
    path = set(re.findall(r"{(\w+)}", tool.operation.path)) - {"orgId"}
    assert path <= set(schema["required"]) <= set(schema["properties"])


def test_the_examples_of_the_document_fit() -> None:
    """A body that the document shows is one that the tool takes."""
    fitting = 0
    for _method, _path, raw in operations():
        tool = next((tool for tool in EVERYTHING.values() if tool.operation.id == raw["operationId"]), None)
        content = raw.get("requestBody", {}).get("content", {}).get("application/json", {})
        if tool is not None and "example" in content and not HIDDEN & set(content["example"]):
            ids = dict.fromkeys(tool.takes.path, "id_1")
            Draft202012Validator(tool.takes.schema).validate({**ids, **content["example"]})
            fitting += 1
    assert fitting > 20


# read only, destructive, idempotent, reaches beyond the service
HINTS = {
    "list_work_orders": (True, False, True, False),
    "read_history_of_asset": (True, False, True, False),
    "list_webhooks": (True, False, True, False),
    "create_work_order": (False, False, False, False),
    "comment_on_work_order": (False, False, False, False),
    "change_work_order": (False, True, True, False),
    "start_work_order": (False, True, False, False),
    "erase_visitor": (False, True, True, False),
    "set_sla_policy": (False, True, True, False),
    "send_command_to_asset": (False, True, False, True),
    "test_webhook": (False, True, False, True),
}


@pytest.mark.parametrize("name", HINTS)
def test_mcp_hints_match_the_operations(name) -> None:
    hints = EVERYTHING[name].described().annotations
    assert hints is not None
    assert HINTS[name] == (
        hints.read_only_hint,
        hints.destructive_hint,
        hints.idempotent_hint,
        hints.open_world_hint,
    )


@pytest.mark.parametrize(
    "data",
    [None, [], "<html>", {}, {"paths": {}, "info": {"version": "1"}, "components": {"schemas": {}}}],
)
def test_another_document_is_refused(data) -> None:
    with pytest.raises(DocumentError, match=r"openapi\.json"):
        parse_document(data)


def test_a_schema_that_refers_to_itself_ends() -> None:
    tree = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}},
    }
    body = {
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}},
        "required": True,
    }
    raw = {
        "operationId": "plantTree",
        "summary": "Plant a tree",
        "tags": ["Trees"],
        "requestBody": body,
        "responses": {"201": {"content": {"application/json": {"schema": {"type": "object"}}}}},
    }
    document: Document = parse_document(
        {
            "info": {"version": "1"},
            "paths": {"/organizations/{orgId}/trees": {"post": raw}},
            "components": {"schemas": {"Tree": tree}},
        }
    )
    schema = tools_of(document, ("trees",), writes=True)["plant_tree"].takes.schema
    Draft202012Validator(schema).validate({"children": [{"children": []}]})
    assert not Draft202012Validator(schema).is_valid({"children": [{"children": 1}]})
