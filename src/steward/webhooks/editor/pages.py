"""The form of a webhook: the address, the events, and the filter."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any

from msgspec import UNSET, Meta
from msgspec.structs import replace

from steward.events.rules import by_group, catalogue
from steward.kit.domain.fields import Body, Identifier, Priority
from steward.kit.domain.problems import ErrorDetail, Invalid
from steward.kit.domain.shared_fields import made_from
from steward.kit.events.patterns import EVERYTHING
from steward.kit.records import records
from steward.kit.records.context import Target
from steward.kit.security.encryption import Encryption
from steward.kit.security.permissions import Permission
from steward.kit.security.url_guard import check_url
from steward.kit.web.page import Outcome, PageRequest, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.kit.web.submit import submit
from steward.webhooks import actions, queries, rules
from steward.webhooks.actions import CheckUrl
from steward.webhooks.events import TEST
from steward.webhooks.model import Description, NewWebhook, Url, Webhook, WebhookChanges, WebhookWithSecret
from steward.webhooks.pages import PATH, PICKED, criteria_of, names_of, plan_required, show_secret
from steward.webhooks.subscription import Criteria, Filtering, FilterMode, Pattern

_CRITERIA = "filtering.criteria."
_Chosen = Annotated[list[Identifier], Meta(max_length=100)]


class WebhookForm(Body, frozen=True):
    """A webhook as the form sends it: the filter's fields are flat."""

    url: Url
    events: Annotated[list[Pattern], Meta(max_length=100)] = []
    description: Description | None = None
    mode: FilterMode | None = None
    include_descendants: bool = True
    location_id: _Chosen = []
    asset_id: _Chosen = []
    asset_type_id: _Chosen = []
    resource_id: _Chosen = []
    priority: Annotated[list[Priority], Meta(max_length=100)] = []

    def new_webhook(self) -> NewWebhook:
        self._require_choice()
        return made_from(NewWebhook, self, filtering=self._filtering())

    def changes(self) -> WebhookChanges:
        self._require_choice()
        return made_from(WebhookChanges, self, filtering=self._filtering())

    def _criteria(self) -> dict[str, Any]:
        return {name: value for name in Criteria.__struct_fields__ if (value := getattr(self, name))}

    def _filtering(self) -> Filtering | None:
        """Choices below a filter that is switched off don't count."""
        if self.mode is None:
            return None
        return Filtering(
            mode=self.mode,
            criteria=Criteria(**self._criteria()),
            include_descendants=self.include_descendants,
        )

    def _require_choice(self) -> None:
        wrong = []
        if not self.events:
            wrong.append(ErrorDetail("events", "choose at least one event type"))
        if self.mode is not None and not self._criteria():
            wrong.append(ErrorDetail("mode", "choose below what the filter is about, or send all"))
        if wrong:
            raise Invalid.of(wrong)


@contextmanager
def _at_its_field() -> Iterator[None]:
    """Faults of a filter appear at the field where it was chosen."""
    try:
        yield
    except Invalid as problem:
        details = (
            ErrorDetail(detail.field.removeprefix(_CRITERIA).partition("[")[0], detail.message)
            if detail.field.startswith(_CRITERIA)
            else detail
            for detail in problem.details
        )
        raise Invalid.of(details) from None


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    return await _form(request, status, None)


async def show_edit(request: PageRequest[Any, Any], status: int) -> View:
    stored = await records.get(
        request.db, queries.WEBHOOKS, request.caller.tenant, request.params["webhookId"]
    )
    return await _form(request, status, rules.public(stored))


async def _form(request: PageRequest[Any, Any], status: int, webhook: Webhook | None) -> View:
    form = request.form
    stored = criteria_of(webhook)
    # The sent values replace the stored ones, also if none are left.
    chosen = {
        name: form.values(name) if form.sent else stored.get(name, [])
        for name in (*(name for name, _, _ in PICKED), "priority")
    }
    groups = by_group(kind for kind in catalogue() if kind.type != TEST.name and request.may(kind.permission))
    events = form.values("events") if form.sent else webhook.events if webhook else []
    known = {EVERYTHING, *groups, *(kind.type for kinds in groups.values() for kind in kinds)}
    values = {
        "webhook": webhook,
        "form": form,
        "groups": groups,
        "events": events,
        # Patterns without a checkbox in the form, such as a group within a group.
        "others": [pattern for pattern in events if pattern and pattern not in known],
        "mode": form.value("mode", webhook.filtering.mode if webhook and webhook.filtering else ""),
        "descends": webhook.filtering.include_descendants if webhook and webhook.filtering else True,
        "picked": PICKED,
        "chosen": {name: [value for value in given if value] for name, given in chosen.items()},
        "names": await names_of(request, chosen),
        "priorities": list(Priority),
        "plan_required": plan_required(request),
    }
    return View("webhooks/form.html", values, status)


async def create(encryption: Encryption, check: CheckUrl, request: PageRequest[WebhookForm, Any]) -> Outcome:
    async def act(form: WebhookForm) -> WebhookWithSecret:
        rules.require_plan(request.caller.plan)
        new = form.new_webhook()
        with _at_its_field():
            return await actions.create(encryption, check, request.context, new)

    return await submit(
        request,
        act,
        to=partial(show_secret, new=True),
        again=partial(show_new, request),
        name="new",
    )


async def _change(check: CheckUrl, ctx: Target, form: WebhookForm) -> None:
    rules.require_plan(ctx.who.plan)
    changes = form.changes()
    stored = await records.get(ctx.db, queries.WEBHOOKS, ctx.tenant, ctx.id)
    if sorted(form.events) == sorted(stored.events):
        # The form sends them with every change; leaving them alone doesn't make somebody their maker.
        changes = replace(changes, events=UNSET)
    with _at_its_field():
        await actions.change(check, ctx, changes)


async def _edit(request: PageRequest[Any, Any]) -> View:
    return await show_edit(request, 200)


RECORD = RecordPages(
    path=PATH,
    id_name="webhookId",
    read_permission=Permission.WEBHOOKS_READ,
    write_permission=Permission.WEBHOOKS_WRITE,
    show=show_edit,
    show_new=show_new,
)


def pages(encryption: Encryption, *, allow_local: bool) -> tuple[WebPage, ...]:
    check = partial(check_url, allow_local)
    return (
        RECORD.new(),
        WebPage(
            "POST", PATH, partial(create, encryption, check), Permission.WEBHOOKS_WRITE, form=WebhookForm
        ),
        WebPage("GET", f"{RECORD.one}/edit", _edit, Permission.WEBHOOKS_WRITE),
        RECORD.change(partial(_change, check), form=WebhookForm),
    )
