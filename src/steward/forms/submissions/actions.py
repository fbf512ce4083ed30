from steward.forms.queries import FORMS
from steward.forms.rules import require_open
from steward.forms.submissions import queries
from steward.forms.submissions.events import SUBMITTED
from steward.forms.submissions.model import NewSubmission, Submission
from steward.forms.submissions.rules import new_submission
from steward.kit.records import records
from steward.kit.records.context import Context
from steward.users import queries as users


async def create(ctx: Context, new: NewSubmission) -> Submission:
    by = await users.acting_person(ctx, new.submitted_by, "submittedBy")
    async with ctx.transaction() as ctx:
        found = await queries.published_version(ctx.tx, ctx.tenant, ctx.parent)
        if found is None:
            raise FORMS.missing()
        status, version, fields = found
        require_open(status)
        submission = new_submission(ctx.parent, version, fields, new, by, ctx.now)
        return await records.create(ctx, queries.SUBMISSIONS, submission, SUBMITTED)
