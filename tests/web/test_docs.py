import html
from collections.abc import Callable

from tests.support.browser import BrowserClient

from steward.web.api_reference import events, groups
from steward.web.schemas import Schemas


def test_the_reference_shows_every_operation(new_browser: Callable[[], BrowserClient]) -> None:
    person = new_browser()
    page = html.unescape(person.sees("/docs"))
    document = person.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        assert f"<code>{path}</code>" in page
        for operation in methods.values():
            assert f'id="{operation["operationId"]}"' in page
            assert f'href="#{operation["operationId"]}"' in page
            assert operation["summary"] in page
            for parameter in operation["parameters"]:
                assert f"<code>{parameter['name']}</code>" in page
    for words in ("X-API-Key", "lastEvaluatedKey", "Idempotency-Key", "Retry-After", "If-Match"):
        assert words in page


def test_an_operation_shows_how_it_is_called_and_what_comes_back(
    new_browser: Callable[[], BrowserClient],
) -> None:
    page = html.unescape(new_browser().sees("/docs"))
    operation = page.split('<article class="operation" id="createWorkOrder"')[1].split("</article>")[0]
    assert 'curl "$BASE_URL/organizations/$ORG_ID/work-orders"' in operation
    assert '-H "X-API-Key: $API_KEY"' in operation
    assert "work-orders:write" in operation
    assert "Air handler 3 is noisy" in operation
    for status in ("201", "401", "403", "422", "429"):
        assert f">{status}</span>" in operation
    for field in ("title", "priority", "assigneeId", "data", "reportedBy"):
        assert f"<code>{field}</code>" in operation


def test_the_pages_are_known_by_their_content(new_browser: Callable[[], BrowserClient]) -> None:
    person = new_browser()
    for path in ("/docs", "/docs/api-keys"):
        tag = person.get(path).headers["etag"]
        again = person.get(path, headers={"if-none-match": tag})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert again.headers.get_list("content-security-policy") == [
            person.get(path).headers["content-security-policy"]
        ]


def test_the_guide_says_what_to_do_and_by_when(new_browser: Callable[[], BrowserClient]) -> None:
    page = new_browser().sees("/docs/api-keys")
    for words in ("30 June 2026", "X-API-Key", "STEWARD_LEGACY_JWT", "until-removal", "Remove token storage"):
        assert words in page


_DOCUMENT = {
    "tags": [{"name": "Open"}, {"name": "Things"}],
    "paths": {
        "/health": {"get": {"tags": ["Open"], "summary": "Health", "security": [], "responses": {"200": {}}}},
        "/things/{thingId}": {
            "put": {
                "tags": ["Things"],
                "summary": "Put a thing",
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"$ref": "#/components/schemas/Thing"},
                            "examples": {"one": {"value": {"name": "it's"}}},
                        }
                    }
                },
                "responses": {"200": {"description": "OK"}, "404": {"$ref": "#/components/responses/Gone"}},
            }
        },
    },
    "webhooks": {
        "thing.made": {
            "post": {
                "summary": "A thing was made",
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
                },
            }
        }
    },
    "components": {
        "responses": {"Gone": {"description": "It is gone."}},
        "schemas": {
            "Thing": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 200},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
                    "colour": {"anyOf": [{"enum": ["red", "blue"]}, {"type": "null"}], "default": "red"},
                },
            }
        },
    },
}


def test_schemas_become_fields_and_a_schema_in_itself_comes_to_an_end() -> None:
    fields = Schemas(_DOCUMENT).fields({"$ref": "#/components/schemas/Thing"})
    name, parts, inner, *_, colour = fields
    assert (name.type, name.required, name.rules) == ("string", True, ["not empty", "at most 200 characters"])
    assert (parts.type, inner.name, inner.depth) == ("list of object", "name", 1)
    assert (colour.type, colour.choices, colour.rules) == ("string or null", ["red", "blue"], ["default red"])
    assert max(field.depth for field in fields) == 5


def test_operations_are_grouped_and_public_ones_come_last() -> None:
    things, health = groups(_DOCUMENT)
    assert (things.name, health.name) == ("Things", "Open")
    (operation,) = things.operations
    assert operation.curl.startswith('curl -X PUT "$BASE_URL/things/$THING_ID"')
    assert """it'"'"'s""" in operation.curl
    assert [(reply.status, reply.description) for reply in operation.refusals] == [("404", "It is gone.")]
    assert "X-API-Key" not in health.operations[0].curl


def test_events_are_shown_with_their_fields() -> None:
    (event,) = events(_DOCUMENT)
    assert (event.type, event.summary, event.fields[0].name) == ("thing.made", "A thing was made", "name")
