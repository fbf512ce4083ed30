import gzip
import html
import re
from collections import Counter
from collections.abc import Callable
from urllib.parse import urljoin

import pytest
from tests.support.browser import BrowserClient
from tests.support.pages import compact

from steward.web.api_reference import OTHER, SECTIONS, events, groups
from steward.web.docs_search import entries, search
from steward.web.schemas import Schemas

# What a first visit may cost, in bytes on the wire.
_FIRST_LOAD = 150_000
_IMPORT = re.compile(r'from "(\./[\w.]+)"')


def _group_pages(person: BrowserClient) -> list[str]:
    found = re.findall(r'href="(/docs/api/[\w-]+)"', person.sees("/docs"))
    return list(dict.fromkeys(found))


def test_every_operation_is_on_exactly_one_page(new_browser: Callable[[], BrowserClient]) -> None:
    person = new_browser()
    start = html.unescape(person.sees("/docs"))
    whole = {path: html.unescape(person.sees(path)) for path in _group_pages(person)}
    document = person.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            name = operation["operationId"]
            article = f'<article class="operation" id="{name}"'
            (page,) = [page for page, text in whole.items() if article in text]
            # An old link to the one page that there was finds the operation, and where it is now.
            assert f'<li id="{name}"><a href="{page}#{name}">' in start
            told = whole[page].split(article)[1].split("</article>")[0]
            assert f'data-method="{method.upper()}" data-path="{path}"' in told
            assert operation["summary"] in told
            for parameter in operation["parameters"]:
                assert f"<code>{parameter['name']}</code>" in told
    for words in ("X-API-Key", "lastEvaluatedKey", "Idempotency-Key", "Retry-After", "If-Match"):
        assert words in start


def test_every_event_type_is_shown_with_its_payload(new_browser: Callable[[], BrowserClient]) -> None:
    person = new_browser()
    page, start = html.unescape(person.sees("/docs/event-types")), person.sees("/docs")
    for type_ in person.get("/openapi.json").json()["webhooks"]:
        anchor = f"event-{type_.replace('.', '-').replace('_', '-')}"
        article = page.split(f'<article class="operation" id="{anchor}"')[1].split("</article>")[0]
        assert f'"type": "{type_}"' in article
        assert f'id="{anchor}"' in start


def test_every_link_within_the_docs_leads_somewhere(new_browser: Callable[[], BrowserClient]) -> None:
    person = new_browser()
    names = ["/docs", "/docs/event-types", "/docs/schemas", "/docs/api-keys", "/docs/search?q=work"]
    whole = {path: person.sees(path) for path in [*names, *_group_pages(person)]}
    anchors = {path: Counter(re.findall(r'\bid="([^"]+)"', text)) for path, text in whole.items()}
    assert {path: [name for name, n in ids.items() if n > 1] for path, ids in anchors.items()} == {
        path: [] for path in whole
    }
    for path, text in whole.items():
        for link in set(re.findall(r'<a [^>]*href="([^"]+)"', text)):
            page, _, anchor = urljoin(path, html.unescape(link)).partition("#")
            if page.startswith("/docs"):
                assert page in whole, (path, link)
                assert not anchor or anchor in anchors[page], (path, link)


def test_every_page_is_small_at_the_first_visit(new_browser: Callable[[], BrowserClient]) -> None:
    person = new_browser()
    for path in ["/docs", "/docs/event-types", "/docs/schemas", *_group_pages(person)]:
        page = person.get(path)
        waiting = re.findall(r'(?:src|<link [^>]*href)="(/static/[^"]+)"', page.text)
        loaded = {path: page.content}
        while waiting:
            url = waiting.pop()
            if url not in loaded:
                loaded[url] = person.get(url).raise_for_status().content
                if ".js" in url:
                    waiting += [urljoin(url, name) for name in _IMPORT.findall(loaded[url].decode())]
        assert sum("/js/" in url for url in loaded) >= 6
        assert sum(len(gzip.compress(body)) for body in loaded.values()) < _FIRST_LOAD, path


def test_the_tags_are_in_the_order_of_the_domain(new_browser: Callable[[], BrowserClient]) -> None:
    found = groups(new_browser().get("/openapi.json").json())
    assert [group.name for group in found] == [tag for tags in SECTIONS.values() for tag in tags]
    assert OTHER not in {group.section for group in found}, "give the new tag a place in SECTIONS"


def test_an_operation_shows_how_it_is_called_and_what_comes_back(
    new_browser: Callable[[], BrowserClient],
) -> None:
    page = html.unescape(new_browser().sees("/docs/api/work-orders"))
    operation = page.split('<article class="operation" id="createWorkOrder"')[1].split("</article>")[0]
    assert 'curl "$STEWARD_URL/organizations/$STEWARD_ORG/work-orders"' in operation
    assert '-H "X-API-Key: $STEWARD_API_KEY"' in operation
    assert "work-orders:write" in operation
    assert "Air handler 3 is noisy" in operation
    for status in ("201", "401", "403", "422", "429"):
        assert f">{status}</span>" in operation
    for field in ("title", "priority", "assigneeId", "data", "reportedBy"):
        assert f"<code>{field}</code>" in operation


@pytest.mark.parametrize(
    ("query", "link"),
    [
        ("createWorkOrder", "/docs/api/work-orders#createWorkOrder"),
        ("create a work order", "/docs/api/work-orders#createWorkOrder"),
        ("order create", "/docs/api/work-orders#createWorkOrder"),
        ("POST /organizations/{orgId}/work-orders", "/docs/api/work-orders#createWorkOrder"),
        ("/sor/quotations/{quotationId}/approve", "/docs/api/quotations#approveQuotation"),
        ("workorder.created", "/docs/event-types#event-workorder-created"),
        ("NewWorkOrder", "/docs/schemas#NewWorkOrder"),
        ("pagination", "/docs#pagination"),
    ],
)
def test_the_search_ranks_the_best_match_first(
    new_browser: Callable[[], BrowserClient], query: str, link: str
) -> None:
    answer = new_browser().get("/docs/search", params={"q": query})
    assert answer.status_code == 200
    assert re.findall(r'<li><a href="([^"]+)"><span class="method', compact(answer.text))[0] == link


def test_the_search_finds_parameters_and_fields(new_browser: Callable[[], BrowserClient]) -> None:
    found = new_browser().get("/docs/search", params={"q": "updatedAfter"}).text
    assert "/docs/api/work-orders#listWorkOrders" in found


def test_a_search_without_results_shows_the_query_as_text(new_browser: Callable[[], BrowserClient]) -> None:
    person = new_browser()
    nothing = person.get("/docs/search", params={"q": "<script>x</script>"})
    assert "0 results" in nothing.text
    assert "<script>x" not in nothing.text
    assert "Words of an operation" in person.sees("/docs/search")
    assert person.get("/docs/search", params={"q": "x" * 201}).status_code == 422


def test_the_pages_are_known_by_their_content(new_browser: Callable[[], BrowserClient]) -> None:
    person = new_browser()
    for path in ("/docs", "/docs/api-keys", "/docs/api/work-orders", "/docs/event-types", "/docs/schemas"):
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
    curl = operation.snippets[0].code
    assert curl.startswith('curl -X PUT "$STEWARD_URL/things/$THING_ID"')
    assert """it'"'"'s""" in curl
    assert [(reply.status, reply.description) for reply in operation.refusals] == [("404", "It is gone.")]
    assert all("X-API-Key" not in snippet.code for snippet in health.operations[0].snippets)


def test_events_are_shown_with_their_fields() -> None:
    (event,) = events(_DOCUMENT)
    assert (event.type, event.summary, event.fields[0].name) == ("thing.made", "A thing was made", "name")


def test_a_search_needs_every_word_and_ranks_names_first() -> None:
    index = entries(groups(_DOCUMENT), events(_DOCUMENT), [], [("start", "First call")])
    assert [entry.title for entry in search(index, "thing")] == ["Put a thing", "thing.made"]
    assert [entry.title for entry in search(index, "PUT things")] == ["Put a thing"]
    assert [entry.title for entry in search(index, "  ")] == []
    assert [entry.title for entry in search(index, "thing nowhere")] == []
