"""`steward mcp` over standard input and output, with the official SDK's client at the other end."""

import asyncio
import json
import signal
import subprocess
from typing import Any

import pytest
from click.testing import CliRunner
from mcp.shared.exceptions import MCPError
from tests.mcp.assistants import COMMAND, answer, over_stdio, refusal, resource, settings, texts
from tests.support.waiting import limit

from steward_client.mcp.command import mcp

pytestmark = pytest.mark.long


async def test_an_assistant_searches_and_reads(organization, tmp_path) -> None:
    order = organization.work_orders.create("Grinding noise in the lift", priority="High")
    organization.work_orders.create("Tap drips")
    visitor = organization.visitors.create(name="Grace Grinding")
    async with over_stdio(organization, tmp_path) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"search", "list_work_orders", "read_work_order"} <= set(tools)
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
        with pytest.raises(MCPError, match="create_work_order isn't offered here"):
            await client.call_tool("create_work_order", {"title": "Leak"})
        with pytest.raises(MCPError, match="There is no tool fly"):
            await client.call_tool("fly", {})

        found = (await answer(client, "search", q="grinding"))["found"]
        assert set(found) == {"work_orders", "visitors"}
        assert found["work_orders"]["readWith"] == "read_work_order(workOrderId)"
        assert [record["id"] for record in found["work_orders"]["records"]] == [order["id"]]
        assert [record["name"] for record in found["visitors"]["records"]] == [visitor["name"]]
        record = await answer(client, "read_work_order", workOrderId=order["id"])
        assert (record["title"], record["priority"]) == (order["title"], "High")
        assert "assigneeId" not in record

        filters = {"limit": 1, "status": ["Open", "OnHold"]}
        page = await client.call_tool("list_work_orders", filters)
        first, sentence = texts(page.content)
        cursor = sentence.split('lastEvaluatedKey="')[1].split('"')[0]
        second = await answer(client, "list_work_orders", **filters, lastEvaluatedKey=cursor)
        titles = [page["data"][0]["title"] for page in (json.loads(first), second)]
        assert titles == ["Tap drips", order["title"]]


async def test_every_list_can_be_called_as_it_is_described(organization, tmp_path) -> None:
    async with over_stdio(organization, tmp_path, "--tools", "all") as client:
        tools = (await client.list_tools()).tools
        lists = [tool for tool in tools if not tool.input_schema["required"]]
        for tool in lists:
            given = {"limit": 1} if "limit" in tool.input_schema["properties"] else {}
            result = await client.call_tool(tool.name, given)
            assert not result.is_error, (tool.name, texts(result.content))
    assert len(lists) > 20


async def test_resources_and_prompts(organization, tmp_path) -> None:
    organization.work_orders.create()
    organization.visitors.create_in_status("CheckedIn")
    async with over_stdio(organization, tmp_path) as client:
        listed = {each.name: each.uri for each in (await client.list_resources()).resources}
        summary, states = [await resource(client, listed[name]) for name in ("organization", "states")]
        assert summary["organization"]["id"] == organization.id
        assert summary["figures"] == {
            "overdueWorkOrders": 0,
            "openWorkOrders": 1,
            "activeAlerts": 0,
            "visitorsInTheBuilding": 1,
        }
        assert "InProgress" in states["words"]["WorkOrderStatus"]
        assert "start_work_order" in states["moves"]["work_orders"]
        with pytest.raises(MCPError, match="There is no resource steward://moon"):
            await client.read_resource("steward://moon")

        prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert "triage_overdue_work_orders" in prompts
        written = await client.get_prompt("triage_overdue_work_orders")
        assert (
            "list_work_orders with overdue=true"
            in texts([message.content for message in written.messages])[0]
        )
        with pytest.raises(MCPError, match="There is no prompt sing"):
            await client.get_prompt("sing")


async def test_with_the_flag_an_assistant_acts(organization, tmp_path) -> None:
    async with over_stdio(organization, tmp_path, "--allow-writes", "--tools", "work-orders") as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"search", "create_work_order", "start_work_order"} <= tools
        assert "list_assets" not in tools
        order = await answer(client, "create_work_order", title="Leak", priority="High")
        started = await answer(client, "start_work_order", workOrderId=order["id"])
        assert started["status"] == "InProgress"
        assert "409" in await refusal(client, "start_work_order", workOrderId=order["id"])
        wrong = await refusal(client, "create_work_order", title="", priority="Sometime")
        assert "422 ValidationError" in wrong
        assert "\n- title: " in wrong
        assert "\n- priority: " in wrong
        assert "\nRequest id: req_" in wrong
        assert await refusal(client, "create_work_order", titel="Leak") == (
            "There is no argument titel. There are: assetId, assigneeId, checklist, description, externalId, "
            "locationId, metadata, priority, reportedBy, title."
        )
        assert await refusal(client, "start_work_order") == "Missing: workOrderId."
        assert "can't be one" in await refusal(client, "read_work_order", workOrderId="..")
    assert organization.work_orders.read(order["id"])["status"] == "InProgress"


async def test_a_key_is_limited_to_its_permissions(organization, tmp_path) -> None:
    organization.work_orders.create("Grinding noise")
    key = await asyncio.to_thread(organization.new_key, "work-orders:read")
    async with over_stdio(organization, tmp_path, "--allow-writes", key=key["secret"]) as client:
        refused = await refusal(client, "create_work_order", title="Leak")
        assert "403 Forbidden" in refused
        assert "work-orders:write" in refused
        assert "Request id: req_" in refused
        found = await answer(client, "search", q="grinding")
        assert set(found["found"]) == {"work_orders"}
        assert "users:read" in found["notSearched"]["users"]
        assert "403" in await refusal(client, "search", q="grinding", kinds=["users", "visitors"])
        assert await resource(client, "steward://organization") == {
            "organization": {"id": organization.id},
            "figures": {"overdueWorkOrders": 0, "openWorkOrders": 1},
        }


def test_standard_output_is_the_protocol_and_nothing_else(organization, tmp_path) -> None:
    """Line by line, in the words of the handshake that most clients still speak."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    }
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    process = subprocess.Popen(
        COMMAND,
        env=settings(organization, tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    answers = []
    for message in messages:
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        if "id" in message:
            answers.append(json.loads(process.stdout.readline()))
    rest, said = process.communicate(timeout=limit(60))
    assert (process.returncode, rest, said) == (0, b"", b"")
    assert [reply["id"] for reply in answers] == [1, 2]
    assert answers[0]["result"]["protocolVersion"] == "2025-06-18"
    assert len(answers[1]["result"]["tools"]) > 20


def test_ctrl_c_ends_it_while_no_events_arrive(organization, tmp_path) -> None:
    with subprocess.Popen(
        COMMAND,
        env=settings(organization, tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(limit(60)) == -signal.SIGINT


@pytest.mark.parametrize(
    ("options", "variables", "said"),
    [
        ((), {"STEWARD_API_KEY": None}, "you are not logged in"),
        ((), {"STEWARD_URL": "ftp://example.com"}, "is no address of the form"),
        ((), {"STEWARD_URL": "{url}/app"}, "/app isn't a Steward service that answers"),
        (("--tools", "work"), {}, "There are no tools named 'work'. There are: alert_rules"),
        (("--profile", "nowhere"), {}, "there is no profile nowhere"),
        (("--http", "--host", "192.0.2.1"), {}, "can't listen on 192.0.2.1 port 8765"),
    ],
)
def test_a_start_that_fails_says_why(shared_organization, tmp_path, options, variables, said) -> None:
    url = shared_organization.base_url
    given = {name: value and value.format(url=url) for name, value in variables.items()}
    env = {**settings(shared_organization, tmp_path), "STEWARD_PROFILE": None, **given}
    result = CliRunner(env=env).invoke(mcp, options)
    assert (result.exit_code != 0, result.stdout) == (True, "")
    assert said in result.stderr
    assert isinstance(result.exception, SystemExit)
