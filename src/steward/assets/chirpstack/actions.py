from collections.abc import Awaitable, Callable

from steward.assets.chirpstack import queries
from steward.assets.chirpstack.model import ChirpStackServer, NewChirpStackServer
from steward.assets.chirpstack.rules import changed, public
from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller
from steward.kit.security.encryption import Encryption

# 422 for an address that we won't send to.
CheckUrl = Callable[[str], Awaitable[None]]


async def set_server(
    encryption: Encryption,
    check_url: CheckUrl,
    db: Database,
    who: Caller,
    new: NewChirpStackServer,
    *,
    precondition: Precondition,
    now: int,
) -> ChirpStackServer:
    if new.url is not None:
        await check_url(new.url)
    async with db.transaction() as tx:
        old = await queries.lock(tx, who.tenant)
        precondition.require(public(old))
        server = changed(old, new, encryption, now)
        if server is None:
            await queries.delete(tx, who.tenant)
        elif server != old:
            await queries.put(tx, who.tenant, server)
        return public(server)
