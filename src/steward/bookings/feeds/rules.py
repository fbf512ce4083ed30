import hashlib
import secrets

from steward.bookings.rules import DAY_SECONDS
from steward.bookings.slots import Slot

PAST_SECONDS = 30 * DAY_SECONDS
FUTURE_SECONDS = 365 * DAY_SECONDS


def feed_window(now: int) -> Slot:
    """What a calendar shows: from 30 days back to a year ahead."""
    return Slot(now - PAST_SECONDS, now + FUTURE_SECONDS)


def new_token(organization_id: str) -> str:
    """Carries its organization, so that it is found without asking every tenant."""
    return f"{organization_id}.{secrets.token_urlsafe(32)}"


def organization_of(token: str) -> str:
    return token.partition(".")[0]


def token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
