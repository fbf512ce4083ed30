from steward.kit.db.query import Database, Transaction, query, sql
from steward.kit.security.caller import TenantId
from steward.users.accounts.model import MAX_GIVEN, MAX_TRIED, Account, UserAccount

_GET = sql(
    """SELECT a.id, a.email, a.password_hash, a.generation, a.own_password, a.renamed,
              m.made_account
       FROM memberships m JOIN accounts a ON a.id = m.account_id
       WHERE m.organization_id = $1 AND m.user_id = $2"""
)
_BY_EMAIL = """SELECT a.id, a.email, a.password_hash, a.generation, a.own_password, a.renamed FROM accounts a{}
               WHERE lower(a.email) = lower($1) ORDER BY a.created, a.id LIMIT $2"""
_FIND_BY_EMAIL = sql(_BY_EMAIL.format(""))
_FIND_BY_EMAIL_WITHIN = sql(
    _BY_EMAIL.format(" JOIN memberships m ON m.account_id = a.id AND m.organization_id = $3")
)
_REHASH = sql("UPDATE accounts SET password_hash = $3, renamed = false WHERE id = $1 AND password_hash = $2")
_IS_USED = sql(
    "SELECT EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = $1)",
    across="an account goes with its last membership, wherever that was",
)
_DELETE = sql("DELETE FROM accounts WHERE id = $1")
_END_LOGINS = [
    sql(
        f"""DELETE FROM {table} t USING memberships m
            WHERE m.account_id = $1 AND t.organization_id = m.organization_id AND t.user_id = m.user_id""",
        across="a password opens every organization of its account",
    )
    for table in ("refresh_tokens", "web_sessions")
]


@query(
    """INSERT INTO accounts (id, email, password_hash, generation, own_password, renamed, created, updated)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $7)"""
)
async def insert(db: Database, account: Account, now: int) -> None: ...


async def get(db: Database, tenant: TenantId, user_id: str) -> UserAccount | None:
    row = await db.fetchrow(_GET, tenant, user_id)
    return None if row is None else UserAccount(Account(*row[:6]), row[6])


@query("SELECT id, email, password_hash, generation, own_password, renamed FROM accounts WHERE id = $1")
async def get_by_id(db: Database, account_id: str) -> Account | None: ...


async def lock(tx: Transaction, tenant: TenantId, user_id: str) -> UserAccount | None:
    """Locks the account until the end of the transaction, against new passwords and memberships."""
    found = await get(tx, tenant, user_id)
    if found is not None:
        await lock_by_id(tx, found.account.id)
        found = await get(tx, tenant, user_id)
    return found


@query("SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE")
async def lock_by_id(tx: Transaction, account_id: str) -> None:
    """Like `lock`, with the account alone."""


async def find_by_email(db: Database, email: str, organization_id: str | None = None) -> list[Account]:
    """The accounts with this e-mail address, oldest first; only those of one organization if it is named."""
    if organization_id is None:
        rows = await db.fetch(_FIND_BY_EMAIL, email, MAX_TRIED)
    else:
        rows = await db.fetch(_FIND_BY_EMAIL_WITHIN, email, MAX_TRIED, organization_id)
    return [Account(*row) for row in rows]


@query(
    """SELECT password_hash FROM accounts
       WHERE lower(email) = lower($1) AND password_hash <> '!' AND NOT renamed ORDER BY created, id LIMIT 1"""
)
async def find_hash_for_salt(db: Database, email: str) -> str | None:
    """A hash whose salt a new password for this address shares, so that logging in takes one hash for all."""


@query(
    "SELECT organization_id FROM memberships WHERE account_id = $1 ORDER BY organization_id",
    across="an account may open several organizations; all of them must invalidate its sessions",
)
async def organizations(db: Database, account_id: str) -> list[str]: ...


@query("UPDATE accounts SET email = $2, updated = $3, renamed = true WHERE id = $1")
async def set_email(db: Database, account_id: str, email: str, now: int) -> None:
    """Until its password is hashed again, the account keeps the salt of its old address."""


# Passwords that somebody else chose are remembered.
@query(
    f"""UPDATE accounts SET password_hash = $2, updated = $3, own_password = $4, generation = generation + 1,
                            renamed = false,
                            given_hashes = CASE WHEN own_password OR password_hash = '!' THEN given_hashes
                                                ELSE (given_hashes || password_hash)[greatest(cardinality(given_hashes) + 2 - {MAX_GIVEN}, 1):]
                                           END
        WHERE id = $1 RETURNING generation"""
)
async def set_password(db: Database, account_id: str, password_hash: str, now: int, *, own: bool) -> int:
    """Returns the generation that begins with it."""


@query("SELECT unnest(given_hashes) FROM accounts WHERE id = $1")
async def given_hashes(db: Database, account_id: str) -> list[str]:
    """The last passwords that somebody else chose for the account, besides the present one."""


@query("UPDATE accounts SET generation = generation + 1 WHERE id = $1 RETURNING generation")
async def begin_generation(db: Database, account_id: str) -> int:
    """Ends sessions and tokens of the generation before; the password stays."""


@query(
    """SELECT count(*) FROM web_sessions s
       JOIN memberships m ON m.organization_id = s.organization_id AND m.user_id = s.user_id
       WHERE m.account_id = $1 AND s.expires > $2""",
    across="an account may be logged in to several organizations",
)
async def count_sessions(db: Database, account_id: str, now: int) -> int:
    """Browsers where the account is logged in, in any organization."""


async def end_logins(db: Database, account_id: str) -> None:
    for statement in _END_LOGINS:
        await db.execute(statement, account_id)


async def rehash(db: Database, account: Account, password_hash: str) -> None:
    """The same password with another salt: nothing ends."""
    await db.execute(_REHASH, account.id, account.password_hash, password_hash)


async def delete_unused(tx: Transaction, account_id: str) -> None:
    """For a locked account, so that no membership can be added meanwhile."""
    if not await tx.fetchval(_IS_USED, account_id):
        await tx.execute(_DELETE, account_id)
