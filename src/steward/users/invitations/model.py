"""Invitations: the only way for one login to open several organizations. Only its holder can accept."""

from typing import Annotated

import msgspec
from msgspec import Meta

from steward.kit.coordination.rate_limiter import Limit
from steward.kit.domain.fields import Body, Email, Name, Record, Seconds
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
    """An invitation as the invited person sees it."""

    invitation: Invitation
    organization_id: str
    organization: str


class AcceptedInvitation(msgspec.Struct, frozen=True):
    """A new membership, and the generation of its account."""

    organization_id: str
    user_id: str
    generation: int
