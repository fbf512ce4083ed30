"""What a new command is, which way it goes, and what follows from how sending it went. Pure."""

import re

import msgspec

from steward.assets.commands.model import (
    DEFAULT_LIFE_SECONDS,
    MAX_DATA_BYTES,
    MAX_LIFE_SECONDS,
    MAX_PAYLOAD_BYTES,
    MAX_WAITING,
    Command,
    CommandStatus,
    CommandTarget,
    NewCommand,
    Transport,
    WaitingCommand,
    is_base64,
)
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Conflict, Invalid

_EUI = re.compile(r"[0-9a-fA-F]{16}")
_FIRST_WAIT_SECONDS = 5
# A device that comes back is soon heard of; a server that is away would be asked in vain.
_LONGEST_WAIT_SECONDS = {Transport.MQTT: 60, Transport.CHIRPSTACK: 300}
# A worker that has said nothing for so long about a command that it took is gone.
LEASE_SECONDS = 60


def new_command(new: NewCommand, asset_id: str, target: CommandTarget, user: str | None, now: int) -> Command:
    if target.waiting >= MAX_WAITING:
        raise Conflict(f"{MAX_WAITING} commands wait for this asset already; let some of them end first.")
    return Command(
        id=new_id("cmd"),
        asset_id=asset_id,
        name=new.name,
        payload=_payload(new),
        via=_transport(new, target),
        confirmed=new.confirmed,
        f_port=new.f_port,
        data=new.data,
        status=CommandStatus.QUEUED,
        reason=None,
        message=None,
        attempts=0,
        created_by=user,
        created=now,
        expires_at=_end(new, now),
        sent_at=None,
        transmitted_at=None,
        acknowledged_at=None,
        updated=now,
    )


def is_eui(text: str | None) -> bool:
    return text is not None and _EUI.fullmatch(text) is not None


def _payload(new: NewCommand) -> dict[str, object]:
    if len(msgspec.json.encode(new.payload)) > MAX_PAYLOAD_BYTES:
        raise Invalid("payload", f"must have at most {MAX_PAYLOAD_BYTES:,} bytes as JSON")
    return new.payload


def _transport(new: NewCommand, target: CommandTarget) -> Transport:
    over_chirpstack = target.has_chirpstack and is_eui(target.external_id)
    via = new.via or (Transport.CHIRPSTACK if over_chirpstack else Transport.MQTT)
    if new.data is not None and not is_base64(new.data):
        raise Invalid("data", f"must be base64 of 1 to {MAX_DATA_BYTES} bytes")
    if via is Transport.MQTT:
        return via
    if not target.has_chirpstack:
        raise Invalid("via", "needs the address of the organization's ChirpStack server in its settings")
    if not is_eui(target.external_id):
        raise Invalid("via", "needs an asset whose externalId is the EUI of its device")
    if new.data is None and not new.payload:
        raise Invalid("payload", "is required for ChirpStack, unless there is data")
    return via


def _end(new: NewCommand, now: int) -> int:
    if new.expires_at is None:
        return now + DEFAULT_LIFE_SECONDS
    if not now < new.expires_at <= now + MAX_LIFE_SECONDS:
        raise Invalid("expiresAt", "must lie within the next 30 days")
    return new.expires_at


def next_attempt(via: Transport, attempts: int, now: int) -> int:
    """Twice as long after each, up to a bound."""
    wait = _FIRST_WAIT_SECONDS << min(attempts - 1, 10)
    return now + min(_LONGEST_WAIT_SECONDS[via], wait)


def message_to_device(command: WaitingCommand) -> bytes:
    """As it is published. By its id a device knows one that comes twice."""
    body = {
        "id": command.id,
        "name": command.name,
        "payload": command.payload,
        "expiresAt": command.expires_at,
    }
    return msgspec.json.encode(body | ({} if command.data is None else {"data": command.data}))
