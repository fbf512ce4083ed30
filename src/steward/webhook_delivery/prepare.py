"""What is sent: the frozen bytes of the event, and headers that sign them at this moment. Pure."""

from collections.abc import Callable

import msgspec

from steward.kit.security.encryption import WrongKeyError
from steward.kit.security.url_guard import BlockedAddressError, CheckedUrl, validate_url
from steward.webhook_delivery.model import ClaimedDelivery, ErrorClass
from steward.webhooks.signing import Secret, live_secrets, plain_headers, sign

OpenSecrets = Callable[[bytes], tuple[Secret, ...]]


class SignedRequest(msgspec.Struct, frozen=True):
    target: CheckedUrl
    headers: dict[str, str]
    body: bytes


def prepare(
    delivery: ClaimedDelivery, body: bytes, open_secrets: OpenSecrets, *, now_ms: int, allow_local: bool
) -> SignedRequest | ErrorClass:
    """The request, or why there can be none."""
    try:
        target = validate_url(delivery.webhook.url, allow_local=allow_local)
        secrets = live_secrets(open_secrets(delivery.webhook.secrets), now_ms)
    except BlockedAddressError:
        return ErrorClass.BLOCKED
    except WrongKeyError:
        return ErrorClass.SECRET
    signed = sign(secrets, delivery.event_id, body, now_ms // 1000)
    return SignedRequest(target, {**plain_headers(delivery.event_id, delivery.actor), **signed}, body)
