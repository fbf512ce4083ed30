"""Where devices publish: `steward/{orgId}/{assetId}/telemetry`."""

import msgspec

from steward.kit.security.caller import TenantId

# Workers share one subscription: the broker hands each message to one of them.
SUBSCRIPTION = "$share/steward/steward/+/+/telemetry"

_MAX_IDENTIFIER_LENGTH = 40


class Source(msgspec.Struct, frozen=True):
    """Whose asset a message speaks of."""

    tenant: TenantId
    asset_id: str


def source_of(topic: str) -> Source | None:
    """The broker has decided who may publish under an organization's topic; here its word is taken for it."""
    levels = topic.split("/")
    if len(levels) != 4 or levels[0] != "steward" or levels[3] != "telemetry":
        return None
    organization, asset_id = levels[1], levels[2]
    if not _is_identifier(organization) or not _is_identifier(asset_id):
        return None
    return Source(TenantId(organization), asset_id)


def _is_identifier(level: str) -> bool:
    return 0 < len(level) <= _MAX_IDENTIFIER_LENGTH and "\0" not in level
