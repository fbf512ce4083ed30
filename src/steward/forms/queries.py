import msgspec

from steward.forms.model import Form, FormField, FormVersion
from steward.kit.db.pagination import SEARCH, Listing, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId

FORMS = Table("forms", Form, "form", searched=("name",))
LISTING = Listing(
    "forms",
    json_columns(Form),
    filters={"status": "status = {}", "updated_after": "updated > {}", "q": SEARCH},
)

_INSERT_VERSION = sql(
    """INSERT INTO form_versions (organization_id, form_id, version, fields, published_by, published_at)
       VALUES ($1, $2, $3, $4, $5, $6)"""
)
_VERSION = sql(
    """SELECT form_id, version, fields, published_by, published_at FROM form_versions
       WHERE organization_id = $1 AND form_id = $2 AND version = $3"""
)


async def insert_version(db: Database, tenant: TenantId, version: FormVersion) -> None:
    await db.execute(_INSERT_VERSION, tenant, *msgspec.structs.astuple(version))


async def get_version(db: Database, tenant: TenantId, form_id: str, version: int) -> FormVersion | None:
    row = await db.fetchrow(_VERSION, tenant, form_id, version)
    if row is None:
        return None
    fields = msgspec.convert(row["fields"], list[FormField])
    return FormVersion(row["form_id"], row["version"], fields, row["published_by"], row["published_at"])
