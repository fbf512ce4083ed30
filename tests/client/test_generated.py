"""What is written from openapi.json is what the generator would write today, and nothing of the document is missing."""

import json
import re
from collections import Counter
from typing import Any

import pytest
from scripts.client.document import Document
from scripts.client.names import NAMED, ROOTS, group_module, method_name
from scripts.client.output import PACKAGE, ROOT, generated

from steward_client import AsyncSteward, Steward

FILES = generated()
DOCUMENT = Document(ROOT / "openapi.json")


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_a_generated_file_is_current(file) -> None:
    assert file.read_text(encoding="utf-8") == FILES[file], "run `python -m scripts.client`"


def test_nothing_is_left_of_what_was_generated_once() -> None:
    folders = [PACKAGE / "models", PACKAGE / "_sync", PACKAGE / "_async" / "operations"]
    assert {file for folder in folders for file in folder.rglob("*.py")} <= set(FILES)


def test_generating_twice_gives_the_same_files() -> None:
    assert generated() == FILES


@pytest.mark.parametrize("client", [Steward("http://x"), AsyncSteward("http://x")], ids=["sync", "async"])
def test_every_operation_is_there_exactly_once(client: Any) -> None:
    document = json.loads((ROOT / "openapi.json").read_text(encoding="utf-8"))
    wanted = {
        operation["operationId"]: (group_module(operation["tags"][0]), method, path)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    names = {one.id: (group_module(one.tag), one.name) for one in DOCUMENT.operations}
    assert names.keys() == wanted.keys()
    assert [name for name, times in Counter(names.values()).items() if times > 1] == []
    for group, name in names.values():
        assert callable(getattr(getattr(client, group), name))
    written = "".join(text for file, text in FILES.items() if file.parent == PACKAGE / "_sync" / "operations")
    sent = Counter(re.findall(r'"(GET|POST|PUT|PATCH|DELETE)",\s+"([^"]+)"', written))
    assert sent == Counter((method.upper(), path) for _, method, path in wanted.values())


def test_no_group_has_an_operation_that_the_document_lacks() -> None:
    client = Steward("http://x")
    for tag in DOCUMENT.tags:
        group = getattr(client, group_module(tag))
        public = {name for name in dir(group) if not name.startswith("_")}
        by_hand = {"follow"} if tag == "Events" else set()
        assert public == {one.name for one in DOCUMENT.operations if one.tag == tag} | by_hand


def test_the_table_of_exceptions_has_no_stale_rows() -> None:
    assert set(NAMED) <= {one.id for one in DOCUMENT.operations}
    assert set(ROOTS) <= set(DOCUMENT.tags)


def test_an_operation_without_a_name_is_refused() -> None:
    with pytest.raises(LookupError, match="paintAsset"):
        method_name("paintAsset", "Assets", "PUT", "/organizations/{orgId}/assets/{assetId}/paint")
