from collections.abc import Awaitable, Callable

from steward.assets.chirpstack import queries
from steward.assets.chirpstack.model import ChirpStackServer, NewChirpStackServer
from steward.assets.chirpstack.rules import changed, public
from steward.kit.records.context import Target
from steward.kit.security.encryption import Encryption

# 422 for an address that we won't send to.
CheckUrl = Callable[[str], Awaitable[None]]


async def set_server(
    encryption: Encryption, check_url: CheckUrl, ctx: Target, new: NewChirpStackServer
) -> ChirpStackServer:
    if new.url is not None:
        await check_url(new.url)
    async with ctx.transaction() as ctx:
        old = await queries.lock(ctx.tx, ctx.tenant)
        ctx.precondition.require(public(old))
        server = changed(old, new, encryption, ctx.now)
        if server is None:
            await queries.delete(ctx.tx, ctx.tenant)
        elif server != old:
            await queries.put(ctx.tx, ctx.tenant, server)
        return public(server)
