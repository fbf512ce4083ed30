import msgspec

from steward.forms.model import FormField, FormStatus
from steward.forms.submissions.model import Submission
from steward.kit.db.listing import Filter, Listing
from steward.kit.db.query import Database, sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId

SUBMISSIONS = Table("form_submissions", Submission, "submission", parent="form_id", owner="submitted_by")
LISTING = Listing(
    SUBMISSIONS,
    filters={"version": Filter("version = {}", type="integer"), "submitted_by": "submitted_by = {}"},
)

# A shared lock: people submit concurrently, but archiving the form waits for them, and they for it.
_PUBLISHED_VERSION = sql(
    """SELECT f.status, f.version, v.fields FROM forms f
       LEFT JOIN form_versions v
           ON v.organization_id = f.organization_id AND v.form_id = f.id AND v.version = f.version
       WHERE f.organization_id = $1 AND f.id = $2 FOR SHARE OF f"""
)


async def published_version(
    db: Database, tenant: TenantId, form_id: str
) -> tuple[FormStatus, int, list[FormField]] | None:
    """The form's status, its published version and its questions; locked until the transaction ends."""
    row = await db.fetchrow(_PUBLISHED_VERSION, tenant, form_id)
    if row is None:
        return None
    return FormStatus(row["status"]), row["version"], msgspec.convert(row["fields"] or [], list[FormField])
