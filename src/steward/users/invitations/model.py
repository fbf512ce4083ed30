"""Invitations: the only way in which one login comes to open several organizations. Its holder accepts, nobody else."""

import hashlib
import secrets
from typing import Annotated

import msgspec
from msgspec import Meta

from steward.kit.domain.fields import Body, Email, Name, Record, Seconds
from steward.kit.domain.problems import NotFound
from steward.kit.security.rate_limiter import Limit
from steward.users.model import RoleIds

EXPIRE_SECONDS = 7 * 24 * 3600
PAGE = "/app/invitations"

INVITATION_LIMIT = Limit("invitations", 100, 3600, "invitations of the organization")


class Invitation(Record, frozen=True):
    id: str
    email: str
    name: str
    role_ids: list[str]
    invited_by: str
    created: Seconds
    expires_at: Seconds


class CreatedInvitation(Invitation, frozen=True):
    link: Annotated[str, Meta(description="Works once. Shown here and never again.")]
    mailed: Annotated[bool, Meta(description="Whether the link was also sent to the e-mail address.")]


class NewInvitation(Body, frozen=True):
    email: Email
    name: Name
    role_ids: RoleIds = []


class Offer(msgspec.Struct, frozen=True):
    """An invitation as the invited sees it."""

    invitation: Invitation
    organization_id: str
    organization: str


def new_token(organization_id: str) -> str:
    """Carries its organization, so that it is found without asking every tenant."""
    return f"{organization_id}.{secrets.token_urlsafe(32)}"


def token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def over() -> NotFound:
    return NotFound("This invitation was used or withdrawn, or it has expired. Ask for a new one.")
