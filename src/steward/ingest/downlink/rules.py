"""What ChirpStack is asked, and what its answer means. Pure."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from steward.assets.commands.model import CommandReason, SendingResult, WaitingCommand
from steward.kit.security.url_guard import validate_url
from steward.webhook_delivery.model import AttemptResult
from steward.webhook_delivery.prepare import SignedRequest

# It would say the same again: the device isn't there, or the command is none that it takes.
_FINAL_STATUSES = frozenset({400, 404, 405, 409, 413, 422})
_MAX_MESSAGE_LENGTH = 300


class _Answer(msgspec.Struct, frozen=True):
    """The identifier of what is queued, or what is wrong."""

    id: str | None = None
    message: str | None = None


def request(url: str, token: str, command: WaitingCommand, *, allow_local: bool) -> SignedRequest:
    """Raises BlockedAddressError for a place that we don't go to."""
    eui = (command.external_id or "").lower()
    target = validate_url(f"{url}/api/devices/{eui}/queue", allow_local=allow_local)
    item: dict[str, Any] = {
        "devEui": eui,
        "confirmed": command.confirmed,
        "fPort": command.f_port,
        "expiresAt": datetime.fromtimestamp(command.expires_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    # Bytes as they are, or what the codec of the device profile makes bytes of.
    item |= {"object": command.payload} if command.data is None else {"data": command.data}
    headers = {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {token}",
        "Grpc-Metadata-Authorization": f"Bearer {token}",
        "User-Agent": "Steward-Commands/1",
    }
    return SignedRequest(target, headers, msgspec.json.encode({"queueItem": item}))


def judged(result: AttemptResult) -> SendingResult:
    if result.error is None:
        return SendingResult(queue_item_id=_read(result.response).id)
    if result.status_code is None:
        return not_reached(f"ChirpStack can't be reached: {result.error}.")
    said = _read(result.response).message
    message = f"ChirpStack answered {result.status_code}" + (f": {said}" if said else ".")
    if result.status_code in _FINAL_STATUSES:
        return refused(message)
    return not_reached(message)


def refused(message: str) -> SendingResult:
    return SendingResult(CommandReason.REFUSED_BY_SERVER, message[:_MAX_MESSAGE_LENGTH], final=True)


def not_reached(message: str) -> SendingResult:
    return SendingResult(CommandReason.NOT_REACHED, message[:_MAX_MESSAGE_LENGTH])


def _read(response: bytes | None) -> _Answer:
    """What a server says may be anything."""
    try:
        return msgspec.json.decode(response or b"{}", type=_Answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Answer()
