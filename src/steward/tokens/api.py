from functools import partial

from msgspec.structs import replace

from steward.kit.http.response import NOT_KEPT, Response, bare, plain
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.tokens import actions
from steward.tokens.actions import LoginContext
from steward.tokens.model import DEPRECATION_HEADERS, Login, TokenRefresh, Tokens
from steward.tokens.signing import Signer

_EXAMPLE = Tokens("eyJhbGciOiJFUzI1NiJ9…", "eyJhbGciOiJFUzI1NiJ9…", "org_00064a1b….Zm9vYmFy")


async def log_in(context: LoginContext, call: Call[Login, NoQuery]) -> Response:
    tokens = await actions.log_in(context, call.db, call.origin.client, call.body, now=call.now)
    return plain(tokens, headers=[NOT_KEPT, *DEPRECATION_HEADERS])


async def refresh(context: LoginContext, call: Call[TokenRefresh, NoQuery]) -> Response:
    tokens = await actions.refresh(context, call.db, call.origin.client, call.body, now=call.now)
    return plain(tokens, headers=[NOT_KEPT, *DEPRECATION_HEADERS])


async def key_set(signer: Signer, _call: Call[NoBody, NoQuery]) -> Response:
    return bare(signer.key_set, headers=[("cache-control", "public, max-age=3600")])


_REFUSALS = {
    401: "The account, password or refresh token is wrong.",
    403: "The plan has no API access, the user is suspended there, or password tokens are switched off.",
    429: "Five attempts from this address failed within 15 minutes, or 30 at this account within an hour.",
}


def routes(context: LoginContext) -> tuple[Route, ...]:
    login = Route(
        method="POST",
        path="/authentications/tokens",
        handler=partial(log_in, context),
        tag="Tokens (deprecated)",
        summary="Log in with a password",
        description="Deprecated: use an API key. Tokens expire after one hour.",
        permission=None,
        body=Login,
        body_example={"account": "ada@example.com", "password": "correct horse battery staple"},
        gives=Tokens,
        shape="plain",
        example=_EXAMPLE,
        refusals=_REFUSALS,
    )
    return (
        login,
        replace(
            login,
            path=f"{login.path}/refresh",
            handler=partial(refresh, context),
            summary="Get new tokens for a refresh token",
            description="A refresh token works once. If one comes back a second time, its whole chain ends.",
            body=TokenRefresh,
            body_example={"refreshToken": "org_00064a1b….Zm9vYmFy"},
        ),
        Route(
            method="GET",
            path="/.well-known/jwks.json",
            handler=partial(key_set, context.signer),
            tag="Tokens (deprecated)",
            summary="The public keys that tokens are signed with",
            permission=None,
            gives=dict,
            shape="bare",
        ),
    )
