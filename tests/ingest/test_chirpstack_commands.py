"""Commands through ChirpStack: what it is asked, what its answers mean, and what its events then say."""

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web
from msgspec import UNSET
from tests.telemetry.telemetry_database import TENANT, TelemetryDatabase
from tests.webhook_delivery.receiver import Received, Receiver, status

from steward.assets.chirpstack import actions as servers
from steward.assets.chirpstack.model import NewChirpStackServer, StoredServer
from steward.assets.chirpstack.rules import changed
from steward.assets.commands import actions, queries
from steward.assets.commands.jobs import delete_old_commands, expire_commands
from steward.assets.commands.model import Command, NewCommand, Transport
from steward.assets.commands.rules import LEASE_SECONDS
from steward.ingest.downlink.sender import ChirpStackSender
from steward.ingest.lorawan.actions import take_receipt
from steward.ingest.lorawan.model import ChirpStackDevice, ChirpStackEvent
from steward.kit.domain.problems import Invalid
from steward.kit.records import records
from steward.kit.records.context import Context
from steward.kit.security.caller import Caller
from steward.kit.security.encryption import Encryption
from steward.webhook_delivery.send import HttpSender

EUI = "A84041B2C3D4E5F6"
QUEUE = f"/api/devices/{EUI.lower()}/queue"
WHO = Caller(tenant=TENANT, plan="Enterprise", permissions=frozenset())
ENCRYPTION = Encryption(bytes(32))


async def anything(_url: str) -> None:
    """Any address will do."""


async def state(database: TelemetryDatabase, command: Command) -> Command:
    return await records.get(database.pool, queries.COMMANDS, TENANT, command.id)


async def heard(database: TelemetryDatabase, kind: str, item: str, *, acknowledged: bool = False) -> bool:
    event = ChirpStackEvent(device_info=ChirpStackDevice(EUI), queue_item_id=item, acknowledged=acknowledged)
    return await take_receipt(Context(database.pool, WHO, 2_000_000_000 * 1000), kind, event)


async def test_a_command_goes_through_chirpstack_and_comes_to_an_end(
    own_database: TelemetryDatabase, now: int
) -> None:
    pool = own_database.pool
    asset_id = await own_database.asset()
    await own_database.db.execute("UPDATE assets SET external_id = $1", EUI)

    async def send(**fields: Any) -> Command:
        new = NewCommand(**{"name": "open", "payload": {"valve": 2}, **fields})
        return await actions.send(Context(pool, WHO, now * 1000).inside(asset_id), new)

    assert (await send()).via is Transport.MQTT
    with pytest.raises(Invalid, match="ChirpStack"):
        await send(via=Transport.CHIRPSTACK)
    numbers = iter(range(100))

    async def enqueue(_received: Received) -> web.StreamResponse:
        return web.json_response({"id": f"item-{next(numbers)}"})

    async with Receiver().listening() as receiver:
        receiver.answers[QUEUE] = enqueue
        new = NewChirpStackServer(url=f"{receiver.url()}", token="secret-token")
        shown = await servers.set_server(
            ENCRYPTION, anything, Context(pool, WHO, now * 1000).on(WHO.tenant), new
        )
        assert shown.token_last_four == "oken"
        stored = await own_database.db.fetchval("SELECT token FROM chirpstack_servers")
        assert b"secret-token" not in stored
        http = HttpSender(allow_local=True)
        sender = ChirpStackSender(pool, http, ENCRYPTION, allow_local=True)

        async def send_due() -> None:
            await sender.send_due()
            await asyncio.gather(*sender._tasks)

        first, raw, plain = await send(), await send(data="AQID", f_port=85), await send(confirmed=False)
        await send_due()
        assert {one.status for one in [await state(own_database, c) for c in (first, raw, plain)]} == {"sent"}
        asked = [json.loads(received.body)["queueItem"] for received in receiver.got]
        assert {received.headers["authorization"] for received in receiver.got} == {"Bearer secret-token"}
        by_kind = {item["fPort"] if "data" in item else item["confirmed"]: item for item in asked}
        assert by_kind[True]["object"] == {"valve": 2}
        assert (by_kind[85]["data"], "object" in by_kind[85]) == ("AQID", False)
        items = {
            row[0]: row[1] for row in await own_database.db.fetch("SELECT id, queue_item_id FROM commands")
        }
        assert await heard(own_database, "txack", items[plain.id])
        assert (await state(own_database, plain)).transmitted_at == 2_000_000_000
        assert await heard(own_database, "ack", items[first.id], acknowledged=True)
        assert await heard(own_database, "ack", items[raw.id])
        assert not await heard(own_database, "ack", "item-of-others", acknowledged=True)
        ended = [await state(own_database, one) for one in (first, raw, plain)]
        assert [(one.status, one.reason) for one in ended] == [
            ("acknowledged", None),
            ("failed", "not_acknowledged"),
            ("sent", None),
        ]

        receiver.answers[QUEUE] = status(503)
        late = await send()
        await send_due()
        found = await state(own_database, late)
        assert (found.status, found.reason, found.message) == (
            "queued",
            "not_reached",
            "ChirpStack answered 503.",
        )
        receiver.answers[QUEUE] = status(404)
        await own_database.db.execute("UPDATE commands SET due = $1 WHERE id = $2", now, late.id)
        await send_due()
        found = await state(own_database, late)
        assert (found.status, found.reason, found.attempts) == ("failed", "refused_by_server", 2)
        await sender.close()
        await http.close()


async def test_a_command_claimed_by_a_dead_worker_is_retried_until_it_expires(
    own_database: TelemetryDatabase, now: int
) -> None:
    pool = own_database.pool
    asset_id = await own_database.asset()
    made = await actions.send(
        Context(pool, WHO, now * 1000).inside(asset_id), NewCommand(name="reboot", expires_at=now + 1000)
    )

    async def claimed(at: int, **more: Any) -> list[tuple[str, int]]:
        taken = await queries.claim(pool, Transport.MQTT, at, most=5, **more)
        return [(one.id, one.attempts) for one in taken]

    assert await claimed(now - 1) == []
    assert await claimed(now, but=[TENANT]) == []
    assert await claimed(now) == [(made.id, 1)]
    assert await claimed(now + LEASE_SECONDS - 1) == []
    assert await claimed(now + LEASE_SECONDS) == [(made.id, 2)]
    await expire_commands(pool, now + 999)
    assert (await state(own_database, made)).status == "queued"
    await expire_commands(pool, now + 1000)
    ended = await state(own_database, made)
    assert (ended.status, ended.reason) == ("failed", "expired")
    assert await claimed(now + 2000) == []
    assert not await queries.answer(pool, TENANT, asset_id, made.id, None, now + 1001)
    await delete_old_commands(pool, now + 1000 + 31 * 86_400)
    assert await own_database.count("commands") == 0


def test_a_token_is_for_the_server_that_it_was_given_for() -> None:
    old = StoredServer("https://one.example.com", b"sealed", "abcd", 1)
    same = NewChirpStackServer(url="https://one.example.com/")
    assert changed(old, same, ENCRYPTION, 2) == old
    assert same.token is UNSET
    with pytest.raises(Invalid, match="token"):
        changed(old, NewChirpStackServer(url="https://two.example.com"), ENCRYPTION, 2)
    assert changed(old, NewChirpStackServer(), ENCRYPTION, 2) is None
