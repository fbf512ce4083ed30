"""Where devices publish and what they subscribe to.

Readings come on `steward/{orgId}/{assetId}/telemetry`, commands go to `…/commands`, and what devices say to them comes on
`…/commands/ack`. The asset's externalId may stand in the place of its identifier.
"""

from typing import NamedTuple

from steward.ingest.model import MAX_NAME_LENGTH
from steward.kit.security.caller import TenantId

# Workers share one subscription: the broker hands each message to one of them.
SUBSCRIPTION = "$share/steward/steward/+/+/telemetry"
ANSWERS = "$share/steward/steward/+/+/commands/ack"

_ENDINGS = (["telemetry"], ["commands", "ack"])
# Have a meaning of their own in topics.
_SPECIAL = frozenset("/+#\0")
_MAX_IDENTIFIER_LENGTH = 40
# Our identifiers start like this, external ones never do: so no lookup is needed to tell them apart.
_ASSET_PREFIX = "ast_"


class Source(NamedTuple):
    """Whose asset a message speaks of, and how it is called there."""

    tenant: TenantId
    name: str


def is_external(name: str) -> bool:
    """Whether it is what other systems call an asset."""
    return not name.startswith(_ASSET_PREFIX)


def source_of(topic: str) -> Source | None:
    """The broker has decided who may publish under an organization's topic; here its word is taken for it."""
    levels = topic.split("/")
    if levels[0] != "steward" or levels[3:] not in _ENDINGS:
        return None
    organization, name = levels[1], levels[2]
    if not _is_text(organization, _MAX_IDENTIFIER_LENGTH) or not _is_text(name, MAX_NAME_LENGTH):
        return None
    return Source(TenantId(organization), name)


def is_answer(topic: str) -> bool:
    """Whether it is what a device says to a command, where it is an asset's at all."""
    return topic.endswith("/ack")


def command_topics(tenant: TenantId, asset_id: str, external_id: str | None) -> list[str]:
    """A device knows itself by one of both names."""
    names = [asset_id]
    if external_id is not None and is_external(external_id) and not _SPECIAL & set(external_id):
        names.append(external_id)
    return [f"steward/{tenant}/{name}/commands" for name in names]


def _is_text(level: str, longest: int) -> bool:
    return 0 < len(level) <= longest and "\0" not in level
