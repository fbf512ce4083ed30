"""Generators make clients of our document without a complaint, and the one for Python speaks to the service."""

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from scripts.node import ROOT, installed_node
from tests.support.organizations import Organization

from steward.wiring.routes import api_document

pytestmark = pytest.mark.long

PACKAGE = "steward_generated"
# No generator of ours has a reader for it: the operation is there, and hands over the bytes.
_RAW = "Unsupported content_type application/x-ndjson"


def operations() -> dict[str, dict[str, Any]]:
    return {
        operation["operationId"]: {"path": path, "method": method, **operation}
        for path, methods in api_document()["paths"].items()
        for method, operation in methods.items()
    }


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("document") / "openapi.json"
    file.write_bytes(msgspec.json.encode(api_document()))
    return file


@pytest.fixture(scope="module")
def client(document: Path) -> Iterator[Path]:
    """The folder of the package that openapi-python-client makes."""
    settings = document.with_name("settings.yml")
    settings.write_text(f"package_name_override: {PACKAGE}\npost_hooks: []\n", encoding="utf-8")
    target = document.with_name("client")
    made = _run(
        "openapi-python-client",
        *("generate", "--path", document, "--output-path", target, "--config", settings, "--meta", "none"),
    )
    complaints = re.findall(r"^(?:Cannot|Unable|ERROR|Unsupported).*", made, re.MULTILINE)
    # Beside the media type of any file, a CSV file has its own.
    assert [line for line in complaints if _RAW not in line and "text/csv" not in line] == []
    package = document.with_name(PACKAGE)
    target.rename(package)
    sys.path.insert(0, str(package.parent))
    yield package
    sys.path.remove(str(package.parent))


def _run(program: str | Path, *arguments: object) -> str:
    command = Path(sys.executable).with_name(program) if isinstance(program, str) else program
    ended = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def _modules(package: Path) -> dict[str, Path]:
    """By the operation's name, without the underscores that a module of Python has."""
    return {
        file.stem.replace("_", "").lower(): file
        for file in package.glob("api/*/*.py")
        if file.stem != "__init__"
    }


def _operation(package: Path, operation_id: str) -> ModuleType:
    file = _modules(package)[operation_id.lower()]
    return importlib.import_module(f"{PACKAGE}.api.{file.parent.name}.{file.stem}")


@pytest.fixture
def caller(client: Path, organization: Organization) -> Iterator[Any]:
    package = importlib.import_module(client.name)
    with package.AuthenticatedClient(
        base_url=str(organization.api.base_url),
        token=organization.api.headers["X-API-Key"],
        prefix="",
        auth_header_name="X-API-Key",
    ) as caller:
        yield caller


def test_every_operation_is_in_the_client(client: Path) -> None:
    assert _modules(client).keys() == {name.lower() for name in operations()}


def test_every_list_is_read_by_the_client(client: Path, caller: Any, organization: Organization) -> None:
    lists = [
        name
        for name, operation in operations().items()
        if operation["method"] == "get"
        and re.findall(r"{(\w+)}", operation["path"]) == ["orgId"]
        and "lastEvaluatedKey" in {parameter["name"] for parameter in operation["parameters"]}
        and not any(
            parameter["in"] == "query" and parameter["required"] for parameter in operation["parameters"]
        )
    ]
    assert len(lists) > 15
    for name in lists:
        answer = _operation(client, name).sync_detailed(organization.id, client=caller)
        assert (name, int(answer.status_code), type(answer.parsed).__name__[-4:]) == (name, 200, "Page")


def test_records_are_made_changed_and_refused(client: Path, caller: Any, organization: Organization) -> None:
    models = importlib.import_module(f"{PACKAGE}.models")
    create = _operation(client, "createWorkOrder")
    order = create.sync(
        organization.id,
        client=caller,
        body=models.NewWorkOrder(title="Leak in 2.14", priority=models.Priority.HIGH),
    )
    assert (order.data.title, order.data.priority) == ("Leak in 2.14", models.Priority.HIGH)
    started = _operation(client, "startWorkOrder").sync(organization.id, order.data.id, client=caller)
    assert started.data.status is models.WorkOrderStatus.INPROGRESS
    refused = create.sync(organization.id, client=caller, body=models.NewWorkOrder(title=""))
    assert refused.error is models.ErrorCode.VALIDATIONERROR
    assert [detail.field for detail in refused.details] == ["title"]


def test_a_file_is_imported_and_exported(client: Path, caller: Any, organization: Organization) -> None:
    types = importlib.import_module(f"{PACKAGE}.types")
    kind = organization.asset_types.create(name="Pump")["id"]
    file = f"name,assetTypeId\nPump one,{kind}\nPump two,{kind}\n".encode()
    report = _operation(client, "importAssets").sync(
        organization.id, client=caller, body=types.File(payload=file, mime_type="application/octet-stream")
    )
    assert report.data.created == 2
    exported = _operation(client, "exportAssetsAsCsv").sync_detailed(organization.id, client=caller)
    assert b"Pump one" in exported.content


def test_models_are_made_without_numbers_in_their_names(document: Path) -> None:
    """A number behind a name means two schemas of that name, or of one that has none."""
    target = document.with_name("models.py")
    _run(
        "datamodel-codegen",
        *("--input", document, "--input-file-type", "openapi", "--output", target),
        *("--output-model-type", "pydantic_v2.BaseModel", "--formatters", "builtin"),
    )
    classes = re.findall(r"^class (\w+)", target.read_text(encoding="utf-8"), re.MULTILINE)
    assert {"WorkOrder", "WorkOrderPage", "ErrorCode", "Priority"} <= set(classes)
    assert [name for name in classes if re.search(r"[A-Za-z]\d$", name) and name != "DeletionV2"] == []


def test_types_are_made_for_typescript(document: Path) -> None:
    node = installed_node()
    assert node is not None, "make setup brings Node"
    target = document.with_name("types.ts")
    _run(Path(node), ROOT / "node_modules/openapi-typescript/bin/cli.js", document, "-o", target)
    text = target.read_text(encoding="utf-8")
    assert [name for name in operations() if f"    {name}: {{" not in text] == []
