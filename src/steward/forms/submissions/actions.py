from steward.forms.queries import FORMS
from steward.forms.rules import require_open
from steward.forms.submissions import queries
from steward.forms.submissions.events import SUBMITTED
from steward.forms.submissions.model import NewSubmission, Submission
from steward.forms.submissions.rules import new_submission
from steward.kit.db.pool import Database
from steward.kit.records import records
from steward.kit.security.caller import Caller
from steward.users import queries as users


async def create(db: Database, who: Caller, form_id: str, new: NewSubmission, *, now: int) -> Submission:
    by = await users.acting_person(db, who, new.submitted_by, "submittedBy")
    async with db.transaction() as tx:
        found = await queries.published_version(tx, who.tenant, form_id)
        if found is None:
            raise FORMS.missing()
        status, version, fields = found
        require_open(status)
        submission = new_submission(form_id, version, fields, new, by, now)
        return await records.create(
            tx, queries.SUBMISSIONS, who.tenant, submission, events=[SUBMITTED], now=now
        )
