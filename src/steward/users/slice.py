from steward.kit.db.table_kinds import TableKind
from steward.kit.web.slice import Parts, Searched, Site, Slice, jobs_of
from steward.users import queries
from steward.users.erasure.jobs import erase_late_answers
from steward.users.invitations import queries as invitation_queries
from steward.users.invitations.actions import InvitationContext
from steward.users.model import CONSTRAINTS
from steward.users.password_resets import queries as password_resets
from steward.users.password_resets.actions import ResetMail


def invitation_context(parts: Parts) -> InvitationContext:
    return InvitationContext(parts.limiter, parts.mailer, parts.settings.public_url)


def reset_mail(parts: Parts) -> ResetMail:
    return ResetMail(parts.limiter, parts.background, parts.mailer, parts.settings.public_url)


def site(parts: Parts) -> Site:
    from steward.users import api
    from steward.users.invitations import api as invitations

    return Site(
        routes=(*api.routes(parts.bus), *invitations.routes(parts.once(invitation_context))),
    )


SLICE = Slice(
    name="users",
    tables=("invitation_roles", "invitations", "late_answers", "membership_roles", "memberships"),
    # They are looked for before any tenant is known.
    other_tables={"accounts": TableKind.REFERENCE, "password_resets": TableKind.REFERENCE},
    constraints=CONSTRAINTS,
    site=site,
    searched=(Searched("People", queries.LOOKUP),),
    jobs=jobs_of(("erase_late_user_answers", 30, erase_late_answers)),
    expired=(invitation_queries.delete_expired, password_resets.delete_expired),
)
