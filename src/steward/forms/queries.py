import msgspec

from steward.forms.model import Form, FormField, FormVersion
from steward.kit.db.lookup import Lookup
from steward.kit.db.pagination import SEARCH, Listing, Sort, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import Row, sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission

FORMS = Table("forms", Form, "form", searched=("name",))
LISTING = Listing(
    "forms",
    json_columns(Form),
    filters={"status": "status = {}", "updated_after": "updated >= {}", "q": SEARCH},
    sorts={"name": Sort("lower(name)", "text"), "updated": Sort("updated")},
)
LOOKUP = Lookup(
    "form", "forms", label="name", detail="status", path="/app/forms", permission=Permission.FORMS_READ
)

_INSERT_VERSION = sql(
    """INSERT INTO form_versions (organization_id, form_id, version, fields, published_by, published_at)
       VALUES ($1, $2, $3, $4, $5, $6)"""
)
_SELECT_VERSION = """SELECT form_id, version, fields, published_by, published_at FROM form_versions
                     WHERE organization_id = $1 AND form_id = $2"""
_VERSION = sql(f"{_SELECT_VERSION} AND version = $3")
_VERSIONS = sql(f"{_SELECT_VERSION} ORDER BY version DESC LIMIT $3")


async def versions(db: Database, tenant: TenantId, form_id: str, limit: int) -> list[FormVersion]:
    """The newest first."""
    return [_version(row) for row in await db.fetch(_VERSIONS, tenant, form_id, limit)]


async def insert_version(db: Database, tenant: TenantId, version: FormVersion) -> None:
    await db.execute(_INSERT_VERSION, tenant, *msgspec.structs.astuple(version))


async def get_version(db: Database, tenant: TenantId, form_id: str, version: int) -> FormVersion | None:
    row = await db.fetchrow(_VERSION, tenant, form_id, version)
    return None if row is None else _version(row)


def _version(row: Row) -> FormVersion:
    fields = msgspec.convert(row["fields"], list[FormField])
    return FormVersion(row["form_id"], row["version"], fields, row["published_by"], row["published_at"])
