"""The form of a webhook: the address, the events, and the filter."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta
from msgspec.structs import replace

from steward.events.model import EventTypeDescription
from steward.events.rules import by_group, catalogue
from steward.kit.db.lookup import Lookup
from steward.kit.domain.fields import Body, Identifier, Priority
from steward.kit.domain.problems import ErrorDetail, Invalid
from steward.kit.domain.shared_fields import made_from
from steward.kit.events.patterns import EVERYTHING
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.security.encryption import Encryption
from steward.kit.security.permissions import Permission
from steward.kit.security.url_guard import check_url
from steward.kit.web.page import PageRequest, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.webhooks import actions, queries, rules
from steward.webhooks.actions import CheckUrl
from steward.webhooks.events import TEST
from steward.webhooks.model import Description, NewWebhook, Url, Webhook, WebhookChanges, WebhookWithSecret
from steward.webhooks.pages import LIST, PICKED, criteria_of, names_of, plan_required, show_secret
from steward.webhooks.subscription import Criteria, Filtering, FilterMode, Pattern

_CRITERIA = "filtering.criteria."
R = TypeVar("R", bound=msgspec.Struct)
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

    def made_into(self, kind: type[R]) -> R:
        self._require_choice()
        return made_from(kind, self, filtering=self._filtering())

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


class WebhookFormPage(msgspec.Struct, frozen=True, kw_only=True):
    # None for a new one.
    webhook: Webhook | None
    groups: dict[str, list[EventTypeDescription]]
    events: list[str]
    # Patterns without a checkbox in the form, such as a group within a group.
    others: list[str]
    mode: str
    descends: bool
    chosen: dict[str, list[str]]
    names: dict[str, str]
    plan_required: str | None
    picked: tuple[tuple[str, str, Lookup], ...] = PICKED
    priorities: tuple[Priority, ...] = tuple(Priority)


async def show_edit(request: PageRequest[Any, Any], status: int = 200) -> View:
    return await show_form(request, status, rules.public(await request.get(queries.WEBHOOKS, "webhookId")))


async def show_form(request: PageRequest[Any, Any], status: int, webhook: Webhook | None = None) -> View:
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
    filtering = webhook.filtering if webhook else None
    page = WebhookFormPage(
        webhook=webhook,
        groups=groups,
        events=events,
        others=[pattern for pattern in events if pattern and pattern not in known],
        mode=form.value("mode", filtering.mode if filtering else ""),
        descends=filtering.include_descendants if filtering else True,
        chosen={name: [value for value in given if value] for name, given in chosen.items()},
        names=await names_of(request, chosen),
        plan_required=plan_required(request),
    )
    return View("webhooks/form.html", page, status)


async def _create(
    encryption: Encryption, check: CheckUrl, ctx: Context, form: WebhookForm
) -> WebhookWithSecret:
    rules.require_plan(ctx.who.plan)
    new = form.made_into(NewWebhook)
    with _at_its_field():
        return await actions.create(encryption, check, ctx, new)


async def _change(check: CheckUrl, ctx: Target, form: WebhookForm) -> None:
    rules.require_plan(ctx.who.plan)
    changes = form.made_into(WebhookChanges)
    stored = await records.get(ctx.db, queries.WEBHOOKS, ctx.tenant, ctx.id)
    if sorted(form.events) == sorted(stored.events):
        # The form sends them with every change; leaving them alone doesn't make somebody their maker.
        changes = replace(changes, events=UNSET)
    with _at_its_field():
        await actions.change(check, ctx, changes)


RECORD = RecordPages.of(LIST, "webhookId", show_edit, show_form)


def pages(encryption: Encryption, *, allow_local: bool) -> tuple[WebPage, ...]:
    check = partial(check_url, allow_local)
    return (
        RECORD.new(),
        RECORD.create(
            partial(_create, encryption, check), form=WebhookForm, to=partial(show_secret, status=201)
        ),
        WebPage("GET", f"{RECORD.one}/edit", show_edit, Permission.WEBHOOKS_WRITE),
        RECORD.change(partial(_change, check), form=WebhookForm),
    )
