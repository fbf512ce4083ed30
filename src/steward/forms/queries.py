import msgspec

from steward.forms.definition import FormField
from steward.forms.model import Form, FormStatus, FormVersion, Submission
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
SUBMISSIONS = Table("form_submissions", Submission, "submission", parent="form_id")
SUBMISSION_LISTING = Listing(
    "form_submissions",
    json_columns(Submission),
    parent="form_id",
    filters={"version": "version = {}", "submitted_by": "submitted_by = {}"},
)

_INSERT_VERSION = sql(
    """INSERT INTO form_versions (organization_id, form_id, version, fields, published_by, published_at)
       VALUES ($1, $2, $3, $4, $5, $6)"""
)
_VERSION = sql(
    """SELECT form_id, version, fields, published_by, published_at FROM form_versions
       WHERE organization_id = $1 AND form_id = $2 AND version = $3"""
)
# The lock is shared: people submit side by side, but whoever archives the form waits for them, and they for that.
_IN_FORCE = sql(
    """SELECT f.status, f.version, v.fields FROM forms f
       LEFT JOIN form_versions v
           ON v.organization_id = f.organization_id AND v.form_id = f.id AND v.version = f.version
       WHERE f.organization_id = $1 AND f.id = $2 FOR SHARE OF f"""
)


async def insert_version(db: Database, tenant: TenantId, version: FormVersion) -> None:
    await db.execute(_INSERT_VERSION, tenant, *msgspec.structs.astuple(version))


async def get_version(db: Database, tenant: TenantId, form_id: str, version: int) -> FormVersion | None:
    row = await db.fetchrow(_VERSION, tenant, form_id, version)
    if row is None:
        return None
    fields = msgspec.convert(row["fields"], list[FormField])
    return FormVersion(row["form_id"], row["version"], fields, row["published_by"], row["published_at"])


async def in_force(
    db: Database, tenant: TenantId, form_id: str
) -> tuple[FormStatus, int, list[FormField]] | None:
    """The form's status, its published version and what that asks; held until the transaction ends."""
    row = await db.fetchrow(_IN_FORCE, tenant, form_id)
    if row is None:
        return None
    return FormStatus(row["status"]), row["version"], msgspec.convert(row["fields"] or [], list[FormField])
