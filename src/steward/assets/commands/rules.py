"""New commands, their route to the device, and the result of sending. Pure."""

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
from steward.kit.domain.problems import Conflict, Faults, all_faults
from steward.kit.domain.shared_fields import new_record

_EUI = re.compile(r"[0-9a-fA-F]{16}")
_FIRST_WAIT_SECONDS = 5
# A device that comes back reports soon; a server that is away would be asked in vain.
_LONGEST_WAIT_SECONDS = {Transport.MQTT: 60, Transport.CHIRPSTACK: 300}
# A worker that said nothing for this long about a claimed command is dead.
LEASE_SECONDS = 60


def new_command(new: NewCommand, asset_id: str, target: CommandTarget, user: str | None, now: int) -> Command:
    if target.waiting >= MAX_WAITING:
        raise Conflict(f"{MAX_WAITING} commands wait for this asset already; let some of them end first.")
    via = _transport(new, target)
    with all_faults() as faults:
        _check(new, now, faults)
        if via is Transport.CHIRPSTACK:
            _check_chirpstack(new, target, faults)
    return new_record(
        Command,
        "cmd",
        new,
        now,
        asset_id=asset_id,
        via=via,
        status=CommandStatus.QUEUED,
        attempts=0,
        created_by=user,
        expires_at=now + DEFAULT_LIFE_SECONDS if new.expires_at is None else new.expires_at,
    )


def is_eui(text: str | None) -> bool:
    return text is not None and _EUI.fullmatch(text) is not None


def _transport(new: NewCommand, target: CommandTarget) -> Transport:
    over_chirpstack = target.has_chirpstack and is_eui(target.external_id)
    return new.via or (Transport.CHIRPSTACK if over_chirpstack else Transport.MQTT)


def _check(new: NewCommand, now: int, faults: Faults) -> None:
    if len(msgspec.json.encode(new.payload)) > MAX_PAYLOAD_BYTES:
        faults.add("payload", f"must have at most {MAX_PAYLOAD_BYTES:,} bytes as JSON")
    if new.data is not None and not is_base64(new.data):
        faults.add("data", f"must be base64 of 1 to {MAX_DATA_BYTES} bytes")
    if new.expires_at is not None and not now < new.expires_at <= now + MAX_LIFE_SECONDS:
        faults.add("expiresAt", "must lie within the next 30 days")


def _check_chirpstack(new: NewCommand, target: CommandTarget, faults: Faults) -> None:
    if not target.has_chirpstack:
        faults.add("via", "needs the address of the organization's ChirpStack server in its settings")
    elif not is_eui(target.external_id):
        faults.add("via", "needs an asset whose externalId is the EUI of its device")
    if new.data is None and not new.payload:
        faults.add("payload", "is required for ChirpStack, unless there is data")


def next_attempt(via: Transport, attempts: int, now: int) -> int:
    """Doubles after each attempt, up to a bound."""
    wait = _FIRST_WAIT_SECONDS << min(attempts - 1, 10)
    return now + min(_LONGEST_WAIT_SECONDS[via], wait)


def message_to_device(command: WaitingCommand) -> bytes:
    """The published message. Devices recognize a repeated command by its id."""
    body = {
        "id": command.id,
        "name": command.name,
        "payload": command.payload,
        "expiresAt": command.expires_at,
    }
    return msgspec.json.encode(body | ({} if command.data is None else {"data": command.data}))
