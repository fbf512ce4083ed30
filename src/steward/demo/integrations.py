"""Who may come in besides: the people of the campus, keys, a webhook that is paused, and an invitation that waits."""

from msgspec.structs import replace

from steward.api_keys import queries as api_keys
from steward.api_keys.model import NewApiKey
from steward.api_keys.rules import new_api_key, revoked
from steward.assets.commands.model import CommandStatus, CommandTarget, NewCommand
from steward.assets.commands.queries import COMMANDS
from steward.assets.commands.rules import new_command
from steward.bookings.feeds import queries as feeds
from steward.demo import queries
from steward.demo.past import DAY
from steward.demo.people import FORMER, INVITED, USERS
from steward.kit.db.pool import Transaction
from steward.kit.records import records
from steward.kit.records.context import Context
from steward.kit.security import link_token
from steward.kit.security.caller import Caller
from steward.kit.security.encryption import Encryption
from steward.kit.security.permissions import Permission
from steward.users import queries as user_queries
from steward.users.accounts import queries as accounts
from steward.users.accounts.rules import new_account
from steward.users.invitations import queries as invitations
from steward.users.invitations.model import NewInvitation
from steward.users.invitations.rules import new_invitation
from steward.users.model import UserStatus
from steward.users.rules import new_user
from steward.webhooks.model import NewWebhook, WebhookStatus
from steward.webhooks.queries import WEBHOOKS
from steward.webhooks.replays.model import NewReplay, ReplaySelection
from steward.webhooks.replays.queries import REPLAYS
from steward.webhooks.replays.rules import cancelled, new_replay
from steward.webhooks.rules import new_webhook
from steward.webhooks.signing import Secret, new_secret, seal_secrets

_READ = [permission for permission in Permission if permission.endswith(":read")]
_KEYS: tuple[tuple[str, list[Permission]], ...] = (
    ("Sensor gateway", [Permission.ASSETS_READ, Permission.IOT_READ, Permission.IOT_WRITE]),
    ("Monthly report", _READ),
    ("Old access control", [Permission.VISITORS_READ]),
)


async def add_people(tx: Transaction, who: Caller, password_hash: str, founded: int) -> None:
    """All with the administrator's password, so that visitors of the demo can log in as each of them."""
    roles = await queries.roles(tx, who.tenant)
    for person in USERS:
        account = new_account(person.email, password_hash, own_password=False)
        user = new_user(email=person.email, name=person.name, role_ids=[roles[person.role]], now=founded)
        if person is FORMER:
            user = replace(user, status=UserStatus.SUSPENDED)
        await accounts.insert(tx, account, founded)
        await user_queries.insert(tx, who.tenant, user, account.id, made_account=True)


async def add_integrations(tx: Transaction, who: Caller, encryption: Encryption, now: int) -> None:
    for name, permissions in _KEYS:
        key, digest = new_api_key(
            NewApiKey(name=name, permissions=permissions), who.user or "", now - 90 * DAY
        )
        await api_keys.insert(tx, who.tenant, key, digest)
        if name == "Old access control":
            await api_keys.set_status(tx, who.tenant, revoked(key))
    secret = new_secret()
    new = NewWebhook(
        url="https://hooks.example.com/steward",
        events=["workorder.*", "asset.status.changed"],
        description="The ERP system; paused while it is being moved.",
    )
    sealed = seal_secrets(encryption, [Secret(secret)])
    stored = new_webhook(new, who.permissions, secret, sealed, (now - 60 * DAY) * 1000)
    ctx = Context(tx, who, now * 1000)
    await records.create(ctx, WEBHOOKS, replace(stored, status=WebhookStatus.PAUSED))
    again = NewReplay(since=now - 9 * DAY, until=now - 8 * DAY, only=ReplaySelection.FAILED)
    replay = cancelled(new_replay(stored, again, None, now - 7 * DAY))
    await records.create(ctx, REPLAYS, replay)
    roles = await queries.roles(tx, who.tenant)
    invited = NewInvitation(email=INVITED.email, name=INVITED.name, role_ids=[roles[INVITED.role]])
    # The token is not kept: to use a link, make a new invitation.
    unknown = link_token.digest(link_token.new(who.tenant))
    await invitations.insert(tx, who.tenant, new_invitation(invited, who.user or "", now), unknown)


async def add_calendar_and_command(ctx: Context, room_id: str, device_id: str) -> None:
    """A calendar link whose address is not kept, and a device's command with its result."""
    link = link_token.digest(link_token.new(ctx.tenant))
    await feeds.put_link(ctx.tx, ctx.tenant, room_id, link, ctx.now - 30 * DAY)
    sent = ctx.now - 3 * DAY
    nothing_else = CommandTarget(external_id=None, has_chirpstack=False, waiting=0)
    interval = NewCommand(name="set-interval", payload={"seconds": 600})
    command = replace(
        new_command(interval, device_id, nothing_else, ctx.who.user, sent),
        status=CommandStatus.ACKNOWLEDGED,
        attempts=1,
        sent_at=sent + 1,
        acknowledged_at=sent + 4,
        updated=sent + 4,
    )
    await records.create(ctx, COMMANDS, command)
