from functools import partial

from msgspec.structs import asdict

from steward.api_keys import actions, queries, rules
from steward.api_keys.model import EXAMPLE, ApiKey, ApiKeyDetails, ApiKeyUsage, CreatedApiKey, NewApiKey
from steward.api_keys.usage import UsageCounter
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.runtime.cache_invalidation import Invalidator
from steward.kit.security.permissions import Permission
from steward.kit.security.rate_limiter import Limiter

_EXAMPLE_SECRET = "svc_live_" + "Ab3d" * 8


async def read(usage: UsageCounter, call: Call[NoBody, NoQuery]) -> Response:
    # What this process has counted and not yet written belongs to the answer.
    await usage.write()
    key = await queries.details(call.db, call.caller.tenant, call.params["keyId"])
    if key is None:
        raise rules.no_such_key()
    return one(key, version=rules.versioned_part(key))


_KEYS = Resource(
    tag="API keys",
    path="/organizations/{orgId}/api-keys",
    id_name="keyId",
    gives=ApiKey,
    example=EXAMPLE,
    listing=queries.LISTING,
    read_permission=Permission.API_KEYS_READ,
    write_permission=Permission.API_KEYS_CREATE,
)


def routes(bus: Invalidator, limiter: Limiter, usage: UsageCounter) -> tuple[Route, ...]:
    return (
        _KEYS.list("listApiKeys", "List API keys"),
        *_KEYS.exports("exportApiKeys", "API keys"),
        _KEYS.create(
            partial(actions.create, bus, limiter),
            "createApiKey",
            "Create an API key",
            description="The secret is shown in this answer and never again. A new key works at once. "
            "At most 10 keys are created per hour and organization.",
            body=NewApiKey,
            body_example={"name": "ERP integration", "permissions": ["work-orders:read"]},
            gives=CreatedApiKey,
            example=CreatedApiKey(**asdict(EXAMPLE), secret=_EXAMPLE_SECRET),
            refusals={409: "The plan holds no more active keys."},
        ),
        _KEYS.read(
            "readApiKeyWithItsUsage",
            "Read an API key with its usage",
            handler=partial(read, usage),
            gives=ApiKeyDetails,
            example=ApiKeyDetails(
                **asdict(EXAMPLE),
                last_used_ip="192.0.2.7",
                last_user_agent="erp/4.2",
                usage=ApiKeyUsage(1200, 1188, 12, 0.99),
            ),
        ),
        _KEYS.delete(
            partial(actions.revoke, bus),
            "revokeApiKey",
            "Revoke an API key",
            description="Permanent, and at once on every process. Revoking twice is fine.",
            permission=Permission.API_KEYS_REVOKE,
        ),
    )
