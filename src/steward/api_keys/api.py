from functools import partial

from msgspec.structs import asdict

from steward.api_keys import actions, queries, rules
from steward.api_keys.model import (
    EXAMPLE,
    ApiKey,
    ApiKeyChanges,
    ApiKeyDetails,
    ApiKeyRotation,
    ApiKeyUsage,
    CreatedApiKey,
    NewApiKey,
)
from steward.api_keys.usage import UsageCounter
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.coordination.rate_limiter import Limiter
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.security.permissions import Permission

_KEYS = Resource(
    noun="API key",
    path="/organizations/{orgId}/api-keys",
    id_name="keyId",
    gives=ApiKey,
    example=EXAMPLE,
    listing=queries.LISTING,
    read_permission=Permission.API_KEYS_READ,
    write_permission=Permission.API_KEYS_CREATE,
    versioned_part=rules.versioned_part,
)
_WITH_SECRET = CreatedApiKey(**asdict(EXAMPLE), secret="svc_live_" + "Ab3d" * 8)
_OTHERS = "You need all permissions of a key to change it"


async def read(usage: UsageCounter, call: Call[NoBody, NoQuery]) -> Response:
    # Calls that this process has counted and not yet written are part of the answer.
    await usage.write()
    key = await queries.details(call.db, call.caller.tenant, call.params["keyId"])
    if key is None:
        raise rules.no_such_key()
    return one(key, version=rules.versioned_part(key))


def routes(bus: Invalidator, limiter: Limiter, usage: UsageCounter) -> tuple[Route, ...]:
    return (
        _KEYS.list(),
        *_KEYS.exports(),
        _KEYS.create(
            partial(actions.create, bus, limiter),
            NewApiKey,
            description="The secret is shown in this answer and never again. A new key works at once. "
            "At most 10 keys are created per hour and organization. A key that ends or is bound to addresses makes keys "
            "within the same bounds.",
            stored_in="api_keys",
            body_example={"name": "ERP integration", "permissions": ["work-orders:read"]},
            gives=CreatedApiKey,
            example=_WITH_SECRET,
            refusals={409: "The plan holds no more active keys."},
        ),
        _KEYS.read(
            summary="Read an API key with its usage",
            handler=partial(read, usage),
            gives=ApiKeyDetails,
            example=ApiKeyDetails(
                **asdict(EXAMPLE),
                last_used_ip="192.0.2.7",
                last_user_agent="erp/4.2",
                usage=ApiKeyUsage(1200, 1188, 12, 0.99),
            ),
        ),
        _KEYS.change(
            partial(actions.change, bus),
            ApiKeyChanges,
            description="Renames it, narrows its permissions, or sets when it ends and from where it works; at once on every "
            f"process. {_OTHERS}, and nobody widens its permissions.",
            stored_in="api_keys",
            body_example={"name": "ERP integration", "allowedAddresses": ["192.0.2.0/24"]},
            refusals={409: "The key is revoked, or the plan holds no more active keys."},
        ),
        _KEYS.move_with(
            "rotate",
            partial(actions.rotate, bus),
            ApiKeyRotation,
            summary="Rotate the secret of an API key",
            client_name="rotateApiKey",
            description="The new secret is shown in this answer and never again. The old one works for `graceSeconds` more; 0 "
            f"ends it at once, and one that is still in its grace from an earlier rotation too. {_OTHERS}, and to be its creator "
            "or have `users:act-as`: it acts in the creator's name.",
            body_example={"graceSeconds": 86400},
            gives=CreatedApiKey,
            example=_WITH_SECRET,
            refusals={409: "The key is revoked or has expired, or an older secret is still in its grace."},
        ),
        _KEYS.delete(
            partial(actions.revoke, bus),
            summary="Revoke an API key",
            description="Permanent, and at once on every process. Revoking twice is fine.",
            permission=Permission.API_KEYS_REVOKE,
        ),
    )
