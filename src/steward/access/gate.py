"""authentication (format, known, revoked) → plan → organization → permission → rate limit, in this order."""

from steward.access.credential_cache import Credential, CredentialCache
from steward.api_keys.model import PREFIX
from steward.api_keys.rules import is_well_formed, secret_hash
from steward.api_keys.usage import UsageCounter
from steward.kit.domain.problems import Forbidden, Problem, Unauthenticated
from steward.kit.http.request import Request
from steward.kit.http.route import Route
from steward.kit.runtime.metrics import AUTHENTICATION_FAILURES
from steward.kit.security.caller import Caller
from steward.kit.security.client_address import counted_as
from steward.kit.security.rate_limiter import Limit, Limiter
from steward.limits import rules as limits
from steward.limits.model import FAILED_CREDENTIALS, PLAN_LIMITS
from steward.organizations.model import PLAN_REQUIRED
from steward.settings import Settings
from steward.tokens.model import DEPRECATION_HEADERS, REMOVED
from steward.tokens.rules import SUSPENDED, is_accepted
from steward.tokens.signing import Signer

_NO_CREDENTIALS = "Unauthenticated: send an API key in the X-API-Key header."
_BEARER = "bearer "


class Gate:
    def __init__(
        self,
        settings: Settings,
        credentials: CredentialCache,
        limiter: Limiter,
        signer: Signer,
        usage: UsageCounter,
    ) -> None:
        self._credentials = credentials
        self._limiter = limiter
        self._signer = signer
        self._usage = usage
        self._legacy_jwt = settings.legacy_jwt
        self._per_credential = limits.per_credential(settings.key_requests_per_minute)
        self._plan_limits = PLAN_LIMITS if settings.plan_rate_limits else {}

    async def admit(self, request: Request, route: Route, organization: str) -> Caller:
        known = self._recall(request) or await self._authenticate(request)
        # From here on the caller is known, so that the log line and the usage count of a refusal name it.
        caller = request.caller = known.caller
        limit, subject = self._per_credential, caller.subject
        if refusal := _refusal(known, route, organization):
            request.extra_headers += limits.headers(limit, self._limiter.known(limit, subject))
            raise Forbidden(refusal)
        # Nearly always there is an allowance at hand, and nothing to wait for.
        if verdict := self._limiter.take_held(limit, subject):
            request.extra_headers += limits.headers(limit, verdict)
        else:
            await self._count(request, limit, subject)
        if self._plan_limits and (plan_limit := self._plan_limits.get(known.plan)):
            await self._count(request, plan_limit, caller.tenant)
        return caller

    def greet(self, request: Request) -> None:
        """Tells whoever comes with a password token that these are going away."""
        if "authorization" in request.headers and "x-api-key" not in request.headers:
            kind, _, value = (request.header("authorization") or "").partition(" ")
            if kind.lower() == "bearer" and not value.startswith(PREFIX[:4]):
                request.extra_headers += DEPRECATION_HEADERS

    def answered(self, request: Request, status: int) -> None:
        if request.caller is not None:
            self._usage.count(request.caller, request, successful=status < 400, now=request.now_ms // 1000)

    def _recall(self, request: Request) -> Credential | None:
        """A key that was used before, without a wait; whatever else there is to say is said by `_authenticate`."""
        key = request.headers.get("x-api-key")
        known = None if key is None else self._credentials.recall(secret_hash(key))
        return known if known is not None and known.usable else None

    async def _authenticate(self, request: Request) -> Credential:
        key = request.header("x-api-key")
        if key is None:
            authorization = request.header("authorization")
            if authorization is None:
                raise Unauthenticated(_NO_CREDENTIALS, headers=_CHALLENGE)
            if not authorization.lower().startswith(_BEARER):
                raise await self._failed(request, "Unauthenticated: the Authorization header is not Bearer.")
            key = authorization[len(_BEARER) :].strip()
            if not key.startswith(PREFIX[:4]):
                return await self._bearer(request, key)
        return await self._api_key(request, key)

    async def _api_key(self, request: Request, key: str) -> Credential:
        if not is_well_formed(key):
            raise await self._failed(request, "Invalid API key format")
        known = await self._credentials.find_key(secret_hash(key))
        if known is None:
            raise await self._failed(request, "Invalid API key")
        if not known.usable:
            raise await self._failed(request, "API key has been revoked")
        return known

    async def _bearer(self, request: Request, token: str) -> Credential:
        now = request.now_ms // 1000
        if not is_accepted(self._legacy_jwt, now):
            raise await self._failed(request, REMOVED)
        try:
            claims = self._signer.check(token, now)
        except Unauthenticated as problem:
            raise await self._failed(request, problem.message) from None
        known = await self._credentials.find_user(claims.organization_id, claims.sub)
        if known is None or not known.usable:
            raise await self._failed(request, SUSPENDED)
        if known.generation != claims.generation:
            raise await self._failed(request, "The password was changed since; log in again.")
        return known

    async def _failed(self, request: Request, message: str) -> Problem:
        """401 for the first few from an address, then 429; a valid key from there keeps working all the same."""
        AUTHENTICATION_FAILURES.labels("credential").inc()
        verdict = await self._limiter.take(FAILED_CREDENTIALS, counted_as(request.client))
        if not verdict.allowed:
            return limits.exceeded(FAILED_CREDENTIALS, verdict)
        return Unauthenticated(message, headers=_CHALLENGE)

    async def _count(self, request: Request, limit: Limit, subject: str) -> None:
        verdict = await self._limiter.take(limit, subject)
        request.extra_headers += limits.headers(limit, verdict)
        if not verdict.allowed:
            raise limits.exceeded(limit, verdict)


def _refusal(known: Credential, route: Route, organization: str) -> str | None:
    """plan → organization → permission"""
    if not known.plan.includes_api:
        return PLAN_REQUIRED
    if organization != known.caller.tenant:
        return "Forbidden: you don't belong to this organization."
    if route.permission not in known.caller.permissions:
        return f"Forbidden: this needs the permission {route.permission}."
    return None


_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="steward"'}
