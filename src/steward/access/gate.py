"""authentication (format, known, revoked, expired) → address → plan → organization → permission → rate limit,
in this order.
"""

from steward.access.credential_cache import CredentialCache
from steward.access.model import Credential
from steward.api_keys.model import PREFIX
from steward.api_keys.rules import is_well_formed, secret_hash
from steward.api_keys.usage import UsageCounter
from steward.kit.coordination.rate_limiter import Limit, Limiter, refusal
from steward.kit.domain.problems import Forbidden, Problem, Unauthenticated
from steward.kit.http.app import AccessCheck
from steward.kit.http.request import Request
from steward.kit.http.route import Route
from steward.kit.runtime import clock
from steward.kit.runtime.metrics import REFUSED_CREDENTIALS
from steward.kit.security.caller import Caller
from steward.kit.security.client_address import address_key, is_within
from steward.limits import rules as limits
from steward.limits.model import FAILED_CREDENTIALS, PLAN_LIMITS
from steward.organizations.model import PLAN_REQUIRED
from steward.settings import Settings
from steward.tokens.model import DEPRECATION_HEADERS, REMOVED
from steward.tokens.rules import SUSPENDED, is_accepted
from steward.tokens.signing import Signer

_NO_CREDENTIALS = "Unauthenticated: send an API key in the X-API-Key header."
_BEARER = "bearer "
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="steward"'}


class _BadCredential(Unauthenticated):
    """A credential was sent and refused, which counts against the address."""

    def __init__(self, message: str) -> None:
        super().__init__(message, headers=_CHALLENGE)


class Gate(AccessCheck):
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
        credential = self._cached_key(request)
        if credential is None:
            try:
                credential = await self._authenticate(request, request.now_ms // 1000)
            except _BadCredential as refused:
                raise await self._counted(request, refused) from None
        # The caller is known from here on, so that the log line and usage count of a refusal name it.
        caller = request.caller = credential.caller
        limit, subject = self._per_credential, caller.subject
        if reason := _refusal(credential, request, route, organization):
            request.extra_headers += limits.headers(limit, self._limiter.known(limit, subject))
            raise Forbidden(reason)
        # Nearly always an allowance is leased already, so there is nothing to wait for.
        if allowance := self._limiter.take_held(limit, subject):
            request.extra_headers += limits.headers(limit, allowance)
        else:
            await self._take_allowance(request, limit, subject)
        if self._plan_limits and (plan_limit := self._plan_limits.get(credential.plan)):
            await self._take_allowance(request, plan_limit, caller.tenant)
        return caller

    async def readmit(self, request: Request, route: Route, organization: str) -> Caller:
        """401 or 403 if the request, after its wait, would no longer be admitted; it isn't counted again."""
        credential = await self._authenticate(request, clock.now())
        if reason := _refusal(credential, request, route, organization):
            raise Forbidden(reason)
        return credential.caller

    def on_request(self, request: Request) -> None:
        """Adds the deprecation headers for callers with a bearer value, token or key."""
        authorization = request.headers.get("authorization")
        if authorization is None or "x-api-key" in request.headers:
            return
        if authorization[: len(_BEARER)].lower() == _BEARER:
            request.extra_headers += DEPRECATION_HEADERS

    def on_response(self, request: Request, status: int) -> None:
        if request.caller is not None:
            self._usage.count(request.caller, request, successful=status < 400, now=request.now_ms // 1000)

    def _cached_key(self, request: Request) -> Credential | None:
        """A key that was used before, without waiting; `_authenticate` handles every other case."""
        key = request.headers.get("x-api-key")
        credential = None if key is None else self._credentials.cached_key(secret_hash(key))
        if credential is None or not credential.usable or credential.is_over(request.now_ms // 1000):
            return None
        return credential

    async def _authenticate(self, request: Request, now: int) -> Credential:
        key = request.header("x-api-key")
        if key is None:
            authorization = request.header("authorization")
            if authorization is None:
                raise Unauthenticated(_NO_CREDENTIALS, headers=_CHALLENGE)
            if not authorization.lower().startswith(_BEARER):
                raise _BadCredential("Unauthenticated: the Authorization header is not Bearer.")
            key = authorization[len(_BEARER) :].strip()
            if not key.startswith(PREFIX[:4]):
                return await self._by_token(key, now)
        return await self._by_key(key, now)

    async def _by_key(self, key: str, now: int) -> Credential:
        if not is_well_formed(key):
            raise _BadCredential("Invalid API key format")
        credential = await self._credentials.find_key(secret_hash(key))
        if credential is None:
            raise _BadCredential("Invalid API key")
        if not credential.usable:
            raise _BadCredential("API key has been revoked")
        if credential.is_over(now):
            raise _BadCredential(credential.over)
        return credential

    async def _by_token(self, token: str, now: int) -> Credential:
        if not is_accepted(self._legacy_jwt, now):
            raise _BadCredential(REMOVED)
        try:
            claims = self._signer.check(token, now)
        except Unauthenticated as problem:
            raise _BadCredential(problem.message) from None
        credential = await self._credentials.find_user(claims.organization_id, claims.sub)
        if credential is None or not credential.usable:
            raise _BadCredential(SUSPENDED)
        if credential.generation != claims.generation:
            raise _BadCredential("The password was changed since; log in again.")
        return credential

    async def _counted(self, request: Request, refused: Problem) -> Problem:
        """401 for the first few from an address, then 429; a valid key from there still works."""
        REFUSED_CREDENTIALS.inc()
        allowance = await self._limiter.take(FAILED_CREDENTIALS, address_key(request.client))
        return refused if allowance.allowed else refusal(FAILED_CREDENTIALS, allowance)

    async def _take_allowance(self, request: Request, limit: Limit, subject: str) -> None:
        allowance = await self._limiter.take(limit, subject)
        request.extra_headers += limits.headers(limit, allowance)
        if not allowance.allowed:
            raise refusal(limit, allowance)


def _refusal(credential: Credential, request: Request, route: Route, organization: str) -> str | None:
    """address → plan → organization → permission"""
    if credential.networks and not is_within(request.client, credential.networks):
        return f"Forbidden: this API key may not be used from {request.client}."
    if not credential.plan.includes_api:
        return PLAN_REQUIRED
    if organization != credential.caller.tenant:
        return "Forbidden: you don't belong to this organization."
    return route.refusal(credential.caller)
