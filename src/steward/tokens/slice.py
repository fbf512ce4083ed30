from steward.kit.db.table_kinds import TableKind
from steward.kit.web.slice import Parts, Site, Slice
from steward.tokens import queries
from steward.tokens.actions import LoginContext
from steward.tokens.login_limits import LoginLimits
from steward.tokens.signing import Signer


def login_context(parts: Parts) -> LoginContext:
    limits = LoginLimits(parts.limiter)
    return LoginContext(parts.pool, Signer(parts.signing_key), limits, parts.settings.legacy_jwt)


def site(parts: Parts) -> Site:
    from steward.tokens import api

    return Site(routes=api.routes(parts.once(login_context)))


SLICE = Slice(
    name="tokens",
    tables=("refresh_tokens",),
    other_tables={"service_secrets": TableKind.LOCAL},
    site=site,
    expired=(queries.delete_expired,),
)
