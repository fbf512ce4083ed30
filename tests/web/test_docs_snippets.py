"""The snippets of the reference do what they say, run as a reader would run them."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.waiting import limit

from steward.web.api_reference import groups
from steward.web.operations import Operation
from steward.wiring.routes import api_document

_OPERATIONS = {one.anchor: one for group in groups(api_document()) for one in group.operations}
# curl says nothing of the status by itself.
_SHELL = 'curl() { command curl -s -w " %{http_code}" "$@"; }\n'


def _run(
    operation: Operation, language: str, organization: Organization, **variables: str
) -> tuple[int, str]:
    """The status and the body that a snippet printed."""
    (code,) = [snippet.code for snippet in operation.snippets if snippet.language == language]
    program, command = {
        "curl": ("curl", ["bash", "-c", _SHELL + code]),
        "Python": (sys.executable, [sys.executable, "-c", code]),
        "JavaScript": ("node", ["node", "--input-type=module", "-e", code]),
    }[language]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed: apt-get install curl nodejs")
    environment = {
        "PATH": os.environ["PATH"],
        "STEWARD_URL": organization.base_url,
        "STEWARD_API_KEY": organization.secret,
        "STEWARD_ORG": organization.id,
        **variables,
    }
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=limit(60), check=False
    )
    assert done.returncode == 0, done.stderr
    if language == "curl":
        body, _, status = done.stdout.rpartition(" ")
    else:
        status, _, body = done.stdout.partition(" ")
    return int(status), body


@pytest.mark.parametrize("language", ["curl", "Python", "JavaScript"])
def test_a_work_order_is_made_listed_held_and_deleted(organization: Organization, language: str) -> None:
    status, body = _run(_OPERATIONS["createWorkOrder"], language, organization)
    made = json.loads(body)["data"]
    assert (status, made["title"]) == (201, "Air handler 3 is noisy")
    status, body = _run(_OPERATIONS["listWorkOrders"], language, organization)
    assert (status, [one["id"] for one in json.loads(body)["data"]]) == (200, [made["id"]])
    _run(_OPERATIONS["startWorkOrder"], language, organization, WORK_ORDER_ID=made["id"])
    status, body = _run(_OPERATIONS["putWorkOrderOnHold"], language, organization, WORK_ORDER_ID=made["id"])
    assert (status, json.loads(body)["data"]["status"]) == (200, "OnHold")
    other = organization.created("work-orders", {"title": "Made by mistake"})
    status, body = _run(_OPERATIONS["deleteWorkOrder"], language, organization, WORK_ORDER_ID=other["id"])
    assert (status, json.loads(body)["data"]["deleted"]) == (200, True)


@pytest.mark.parametrize("language", ["curl", "Python", "JavaScript"])
def test_csv_is_sent_line_by_line_and_what_is_public_needs_no_key(
    organization: Organization, language: str
) -> None:
    schedule = organization.created("sor/schedules", {"name": "Plumbing"})
    status, body = _run(
        _OPERATIONS["importScheduleItems"], language, organization, SCHEDULE_ID=schedule["id"]
    )
    assert status == 200, body
    items = data_of(organization.api.get(f"{organization.path}/sor/schedules/{schedule['id']}/items"))
    assert [item["code"] for item in items] == ["PLB-010"]
    status, _ = _run(_OPERATIONS["listEventTypes"], language, organization, STEWARD_API_KEY="")
    assert status == 200


@pytest.mark.parametrize("operation", _OPERATIONS.values(), ids=lambda operation: operation.anchor)
def test_the_python_of_every_operation_compiles(operation: Operation) -> None:
    compile(operation.snippets[1].code, operation.anchor, "exec")
