"""Hands commands to ChirpStack: claimed by one short statement, sent without a transaction, settled by another.

A worker that is killed in between has said nothing of them; when their lease ends, another sends them again.
"""

import asyncio
from collections import Counter

from steward.assets.chirpstack import queries as servers
from steward.assets.chirpstack.rules import open_token
from steward.assets.commands import queries
from steward.assets.commands.model import SendingResult, Transport, WaitingCommand
from steward.assets.commands.rules import is_eui
from steward.ingest.downlink.rules import judged, not_reached, refused, request
from steward.kit.db.connection import DATABASE_AWAY
from steward.kit.db.faults import FAULT_LOG
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Unavailable
from steward.kit.runtime import clock
from steward.kit.security.encryption import Encryption, WrongKeyError
from steward.kit.security.url_guard import BlockedAddressError
from steward.webhook_delivery.send import HttpSender

# Requests in flight: of all, and of one organization, so that one hanging server doesn't block the commands of others.
_MAX_IN_FLIGHT = 32
_MAX_OF_ONE = 4


class ChirpStackSender:
    def __init__(
        self, db: Database, sender: HttpSender, encryption: Encryption, *, allow_local: bool
    ) -> None:
        self._db = db
        self._sender = sender
        self._encryption = encryption
        self._allow_local = allow_local
        self._tasks: set[asyncio.Task[None]] = set()
        self._in_flight: Counter[str] = Counter()

    async def send_due(self) -> None:
        """Begins with those that are due, a few of each organization; they end by themselves."""
        while (room := _MAX_IN_FLIGHT - len(self._tasks)) > 0:
            taken = await queries.claim(
                self._db,
                Transport.CHIRPSTACK,
                clock.now(),
                most=min(_MAX_OF_ONE, room),
                but=list(self._in_flight),
            )
            if not taken:
                return
            for command in taken:
                self._in_flight[command.tenant] += 1
                task = asyncio.create_task(self._send(command), name="send a command")
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Leaves requests in flight to the worker that finds their lease ended."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _send(self, command: WaitingCommand) -> None:
        try:
            attempt = await self._attempt(command)
            await queries.settle(self._db, command, Transport.CHIRPSTACK, attempt, clock.now())
        except (*DATABASE_AWAY, Unavailable) as error:
            FAULT_LOG.report("a command can't be settled", error, command=command.id)
        finally:
            self._in_flight -= Counter({command.tenant: 1})

    async def _attempt(self, command: WaitingCommand) -> SendingResult:
        server = await servers.find(self._db, command.tenant)
        if server is None:
            return refused("The organization has no ChirpStack server any more.")
        if not is_eui(command.external_id):
            return refused("The asset's externalId is no EUI any more.")
        try:
            token = open_token(self._encryption, server.token)
            prepared = request(server.url, token, command, allow_local=self._allow_local)
        except BlockedAddressError as blocked:
            return not_reached(str(blocked))
        except WrongKeyError:
            return not_reached("The token of ChirpStack can't be read: it was stored with another key.")
        return judged(await self._sender.send(prepared))
