from steward.forms.model import READS, Form, FormStatus, FormVersion
from steward.kit.db.listing import SEARCH, Filter, Listing, Sort, folded
from steward.kit.db.lookup import Lookup
from steward.kit.db.query import Database, query
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId

FORMS = Table("forms", Form, "form", searched=("name",))
_FILTERS: dict[str, str | Filter] = {
    "status": "status = {}",
    "updated_after": "updated >= {}",
    "q": SEARCH,
}
_SORTS = {"name": Sort(folded("name"), "text"), "updated": Sort("updated")}
LISTING = Listing(FORMS, filters=_FILTERS, sorts=_SORTS)

# Forms for people who fill them in: with the questions of the published version instead of the draft.
_PUBLISHED_FIELDS = """(SELECT v.fields FROM form_versions v
                        WHERE v.organization_id = $1 AND v.form_id = forms.id AND v.version = forms.version)"""
PUBLISHED = Table(
    "forms",
    Form,
    "form",
    read_as={"fields": _PUBLISHED_FIELDS},
    open_where=("status", FormStatus.PUBLISHED),
)
PUBLISHED_LISTING = Listing(PUBLISHED, filters=_FILTERS, sorts=_SORTS)
LOOKUP = Lookup(
    "form",
    "forms",
    label="name",
    detail="status",
    path="/app/forms",
    permission=READS,
    owned=PUBLISHED,
)

_SELECT_VERSION = """SELECT form_id, version, fields, published_by, published_at FROM form_versions
                     WHERE organization_id = $1 AND form_id = $2"""


@query(f"{_SELECT_VERSION} ORDER BY version DESC LIMIT $3")
async def versions(db: Database, tenant: TenantId, form_id: str, limit: int) -> list[FormVersion]:
    """The newest first."""


@query(
    """INSERT INTO form_versions (organization_id, form_id, version, fields, published_by, published_at)
       VALUES ($1, $2, $3, $4, $5, $6)"""
)
async def insert_version(db: Database, tenant: TenantId, version: FormVersion) -> None: ...


@query(f"{_SELECT_VERSION} AND version = $3")
async def get_version(db: Database, tenant: TenantId, form_id: str, version: int) -> FormVersion | None: ...
