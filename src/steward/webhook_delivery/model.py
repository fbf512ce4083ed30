"""What passes from stage to stage."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

import msgspec

# A webhook, by its organization and its own identifier.
WebhookKey = tuple[str, str]

# First attempts, and those after a failure: the status of a delivery that waits.
Lane = Literal["pending", "retrying"]
LANES: tuple[Lane, ...] = ("pending", "retrying")

# Requests under way for one webhook at most, over all workers; fewer while its receiver fails, so that many dead
# receivers together don't take the places of the living.
MAX_IN_FLIGHT = 8
MAX_WHILE_FAILING = 2

TIMEOUT_SECONDS = 30.0
# A claim ends with its worker's sign of life. This is the net below, for claims that their worker doesn't know of: longer
# than a request may take, by what waiting for its turn and settling may take at worst.
LEASE_MS = 60_000

# A webhook is disabled after so long without a success, and so many failures.
DISABLE_AFTER_MS = 5 * 86_400_000
DISABLE_AFTER_FAILURES = 20

# Told by the webhooks' test endpoint: it says nothing of the receiver's health.
TEST_EVENT = "webhook.test"


class DeliveryConfig(msgspec.Struct, frozen=True):
    """What a deployment may choose."""

    retry_schedule: Sequence[float]
    allow_local: bool = False
    grace_seconds: float = 25.0


class ErrorClass(StrEnum):
    """Why an attempt was no success."""

    DNS = "dns_error"
    BLOCKED = "blocked_address"
    REFUSED = "connection_refused"
    RESET = "connection_reset"
    UNREACHABLE = "unreachable"
    TLS = "tls_error"
    TIMEOUT = "timeout"
    PROTOCOL = "protocol_error"
    TOO_SLOW = "response_too_slow"
    STATUS = "http_status"
    SECRET = "secret_unreadable"  # noqa: S105 (the name of a failure)


class WebhookTarget(msgspec.Struct, frozen=True):
    """What sending needs of a webhook, as it is at the moment of the claim."""

    key: WebhookKey
    url: str
    secrets: bytes
    failing: bool


class Claim(msgspec.Struct, frozen=True):
    """Whose a delivery is: no worker makes two claims with the same end, so both together name one claim."""

    process: str
    lease_until: int


class ClaimedDelivery(msgspec.Struct, frozen=True):
    """A delivery that this worker holds by a claim. `body` is None when its event is kept no more, `trace` where the event was
    in none, `actor` for events from before that was kept."""

    webhook: WebhookTarget
    id: str
    event_id: str
    attempts: int
    claim: Claim
    body: bytes | None
    is_test: bool
    trace: str | None = None
    actor: str | None = None


class AttemptResult(msgspec.Struct, frozen=True):
    """What came of one attempt; times in milliseconds."""

    started: int
    duration: int
    status_code: int | None = None
    error: ErrorClass | None = None
    retry_after: str | None = None
    response: bytes | None = None


class Outcome(msgspec.Struct, frozen=True):
    """What is to be written: the delivery's next state, and the attempt unless none was made."""

    delivery: ClaimedDelivery
    result: AttemptResult | None
    status: str
    reason: str | None = None
    due: int | None = None
    finished: int | None = None
    # The receiver said that it is gone for good.
    gone: bool = False

    @property
    def succeeded(self) -> bool:
        return self.status == "succeeded"
