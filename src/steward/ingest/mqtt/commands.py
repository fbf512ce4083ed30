"""Publishes commands while there is a connection to the broker: claimed, sent without a transaction, and then settled."""

import asyncio

from steward.assets.commands import queries
from steward.assets.commands.model import CommandReason, SendingResult, Transport, WaitingCommand
from steward.assets.commands.rules import message_to_device
from steward.ingest.mqtt import packets
from steward.ingest.mqtt.broker import BrokerError, explain
from steward.ingest.mqtt.connection import BrokerConnection
from steward.ingest.mqtt.properties import RECEIVE_MAXIMUM
from steward.ingest.mqtt.topics import command_topics
from steward.kit.db.connection import DATABASE_AWAY
from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Unavailable
from steward.kit.runtime import clock

_PAUSE_SECONDS = 1.0
_MOST_AT_ONCE = 8
_PATIENCE_SECONDS = 10.0


async def publish_commands(db: Database, connection: BrokerConnection) -> None:
    """Until cancelled. The broker says how many messages it takes before it has acknowledged one; a command has two."""
    receive_maximum: int = connection.welcome.properties.get(RECEIVE_MAXIMUM, 2 * _MOST_AT_ONCE)
    most = max(1, min(_MOST_AT_ONCE, receive_maximum // 2))
    while True:
        if await _send_due(db, connection, most) < most:
            await asyncio.sleep(_PAUSE_SECONDS)


async def _send_due(db: Database, connection: BrokerConnection, most: int) -> int:
    try:
        taken = await queries.claim(db, Transport.MQTT, clock.now(), most=most)
        await asyncio.gather(*(_send(db, connection, command) for command in taken))
    except (*DATABASE_AWAY, Unavailable) as error:
        FAULT_LOG.report("commands can't be sent: the database is away", error)
        return 0
    return len(taken)


async def _send(db: Database, connection: BrokerConnection, command: WaitingCommand) -> None:
    attempt = await _published(connection, command)
    await queries.settle(db, command, Transport.MQTT, attempt, clock.now())


async def _published(connection: BrokerConnection, command: WaitingCommand) -> SendingResult:
    topics = command_topics(command.tenant, command.asset_id, command.external_id)
    payload, expiry = message_to_device(command), max(1, command.expires_at - clock.now())
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            reasons = await asyncio.gather(
                *(connection.publish(topic, payload, expiry=expiry) for topic in topics)
            )
    except (BrokerError, TimeoutError) as error:
        return SendingResult(CommandReason.NOT_REACHED, f"The broker: {error or 'no answer'}")
    if any(reason < packets.NO_MATCHING_SUBSCRIBERS for reason in reasons):
        return SendingResult()
    if packets.NO_MATCHING_SUBSCRIBERS in reasons:
        return SendingResult(CommandReason.NO_SUBSCRIBER, "The device has not subscribed to its commands.")
    return SendingResult(CommandReason.NOT_REACHED, f"The broker refuses: {explain(reasons[0])}.")
