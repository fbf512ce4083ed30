"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from typing import Any

from .._answers import Model
from .alert_rules import AlertWorkOrder, Condition, ConditionMatch
from .alerts import AlertStatus
from .api_keys import KeyStatus
from .asset_types import TelemetryProperty
from .assets import AssetStatus
from .bookable_resources import ResourceType
from .bookings import BookingStatus
from .decks import Card
from .forms import FormField, FormStatus
from .locations import LocationType
from .organizations import Plan
from .quotations import LineItem, QuotationStatus
from .schedules_of_rates import ScheduleStatus
from .shared import ConditionOperator, Permission, Priority, Severity
from .users import UserStatus
from .visitors import VisitorStatus
from .webhooks import Filtering, WebhookStatus
from .work_orders import AlwaysOpen, Comment, SlaTarget, WeeklyHours, WorkOrderStatus


class AlertAcknowledgedObject(Model, kw_only=True):
    id: str
    rule_id: str
    """The rule may be gone by now."""
    severity: Severity
    status: AlertStatus
    property: str | None
    """The key of the value that raised it; null, with the next three, where no data came."""
    operator: ConditionOperator | None
    value: bool | int | float | None
    """What it was when the alert was raised."""
    threshold: bool | int | float | None
    """What it was held against."""
    asset_id: str
    location_id: str | None
    work_order_id: str | None
    """The work order that it has opened."""
    count: int
    """How many readings have shown it."""
    first_seen: int
    """When what the rule asks for was first so."""
    last_seen: int
    """When it was last seen to be so."""
    acknowledged_by: str | None
    acknowledged_at: int | None
    """Unix seconds."""
    cleared_at: int | None
    """Unix seconds."""


class AlertClearedObject(Model, kw_only=True):
    id: str
    rule_id: str
    """The rule may be gone by now."""
    severity: Severity
    status: AlertStatus
    property: str | None
    """The key of the value that raised it; null, with the next three, where no data came."""
    operator: ConditionOperator | None
    value: bool | int | float | None
    """What it was when the alert was raised."""
    threshold: bool | int | float | None
    """What it was held against."""
    asset_id: str
    location_id: str | None
    work_order_id: str | None
    """The work order that it has opened."""
    count: int
    """How many readings have shown it."""
    first_seen: int
    """When what the rule asks for was first so."""
    last_seen: int
    """When it was last seen to be so."""
    acknowledged_by: str | None
    acknowledged_at: int | None
    """Unix seconds."""
    cleared_at: int | None
    """Unix seconds."""


class AlertRaisedObject(Model, kw_only=True):
    id: str
    rule_id: str
    """The rule may be gone by now."""
    severity: Severity
    status: AlertStatus
    property: str | None
    """The key of the value that raised it; null, with the next three, where no data came."""
    operator: ConditionOperator | None
    value: bool | int | float | None
    """What it was when the alert was raised."""
    threshold: bool | int | float | None
    """What it was held against."""
    asset_id: str
    location_id: str | None
    work_order_id: str | None
    """The work order that it has opened."""
    count: int
    """How many readings have shown it."""
    first_seen: int
    """When what the rule asks for was first so."""
    last_seen: int
    """When it was last seen to be so."""
    acknowledged_by: str | None
    acknowledged_at: int | None
    """Unix seconds."""
    cleared_at: int | None
    """Unix seconds."""


class AlertUpdatedObject(Model, kw_only=True):
    id: str
    rule_id: str
    """The rule may be gone by now."""
    severity: Severity
    status: AlertStatus
    property: str | None
    """The key of the value that raised it; null, with the next three, where no data came."""
    operator: ConditionOperator | None
    value: bool | int | float | None
    """What it was when the alert was raised."""
    threshold: bool | int | float | None
    """What it was held against."""
    asset_id: str
    location_id: str | None
    work_order_id: str | None
    """The work order that it has opened."""
    count: int
    """How many readings have shown it."""
    first_seen: int
    """When what the rule asks for was first so."""
    last_seen: int
    """When it was last seen to be so."""
    acknowledged_by: str | None
    acknowledged_at: int | None
    """Unix seconds."""
    cleared_at: int | None
    """Unix seconds."""


class AlertruleCreatedObject(Model, kw_only=True):
    id: str
    name: str
    asset_type_id: str | None
    asset_id: str | None
    severity: Severity
    match: ConditionMatch
    conditions: list[Condition]
    for_seconds: int
    clear_for_seconds: int
    hysteresis: float
    no_data_seconds: int | None
    enabled: bool
    work_order: AlertWorkOrder | None
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class AlertruleDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class AlertruleUpdatedObject(Model, kw_only=True):
    id: str
    name: str
    asset_type_id: str | None
    asset_id: str | None
    severity: Severity
    match: ConditionMatch
    conditions: list[Condition]
    for_seconds: int
    clear_for_seconds: int
    hysteresis: float
    no_data_seconds: int | None
    enabled: bool
    work_order: AlertWorkOrder | None
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class ApikeyCreatedObject(Model, kw_only=True):
    key_id: str
    name: str
    permissions: list[Permission] | None
    key_prefix: str
    status: KeyStatus
    created: int
    """Unix seconds."""
    created_by: str
    expires_at: int | None
    """From then on the key is refused with 401. Null: it works until it is revoked."""
    allowed_addresses: list[str]
    """IPv4 and IPv6 addresses and networks from which the key works; from elsewhere it is refused with 403.
    Empty: from anywhere.
    """


class ApikeyRevokedObject(Model, kw_only=True):
    key_id: str
    name: str
    permissions: list[Permission] | None
    key_prefix: str
    status: KeyStatus
    created: int
    """Unix seconds."""
    created_by: str
    expires_at: int | None
    """From then on the key is refused with 401. Null: it works until it is revoked."""
    allowed_addresses: list[str]
    """IPv4 and IPv6 addresses and networks from which the key works; from elsewhere it is refused with 403.
    Empty: from anywhere.
    """


class ApikeyRotatedObject(Model, kw_only=True):
    key_id: str
    name: str
    permissions: list[Permission] | None
    key_prefix: str
    status: KeyStatus
    created: int
    """Unix seconds."""
    created_by: str
    expires_at: int | None
    """From then on the key is refused with 401. Null: it works until it is revoked."""
    allowed_addresses: list[str]
    """IPv4 and IPv6 addresses and networks from which the key works; from elsewhere it is refused with 403.
    Empty: from anywhere.
    """
    old_secret_expires_at: int | None
    """Until when the secret before the last rotation works; null when there was none."""


class ApikeyUpdatedObject(Model, kw_only=True):
    key_id: str
    name: str
    permissions: list[Permission] | None
    key_prefix: str
    status: KeyStatus
    created: int
    """Unix seconds."""
    created_by: str
    expires_at: int | None
    """From then on the key is refused with 401. Null: it works until it is revoked."""
    allowed_addresses: list[str]
    """IPv4 and IPv6 addresses and networks from which the key works; from elsewhere it is refused with 403.
    Empty: from anywhere.
    """


class AssetCreatedObject(Model, kw_only=True):
    id: str
    name: str
    asset_type_id: str
    location_id: str | None
    status: AssetStatus
    """Set by alert rules; `Online` until the first of them."""
    metadata: dict[str, Any]
    """Free-form: manufacturer, model, serialNumber …"""
    created: int
    """Unix seconds."""
    updated: int
    """Time of the last change, not counting readings."""


class AssetDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class AssetStatusChangedObject(Model, kw_only=True):
    id: str
    name: str
    organization_id: str
    asset_type_id: str
    location_id: str | None
    status: AssetStatus
    """Set by alert rules; `Online` until the first of them."""
    connection_status: bool | None
    """Whether readings keep coming; null before the first check."""
    is_online: bool | None
    """The same as connectionStatus; use that."""


class AssetTelemetryUpdatedObject(Model, kw_only=True):
    id: str
    name: str
    asset_type_id: str
    location_id: str | None
    status: AssetStatus
    """Set by alert rules; `Online` until the first of them."""
    connection_status: bool | None
    """Whether readings keep coming; null before the first check."""
    is_online: bool | None
    """The same as connectionStatus; use that."""
    last_telemetry: dict[str, Any] | None
    """Null before the first reading."""
    last_seen: int | None
    """Time of the last reading."""


class AssetUpdatedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    asset_type_id: str
    location_id: str | None
    external_id: str | None
    """What other systems call it."""
    keep_alive: int | None
    """The asset's own, or else its type's, in seconds."""
    status: AssetStatus
    """Set by alert rules; `Online` until the first of them."""
    metadata: dict[str, Any]
    """Free-form: manufacturer, model, serialNumber …"""
    archived_at: int | None
    """When it was archived; null while it is in sight. Set by archive and restore."""
    created: int
    """Unix seconds."""
    updated: int
    """Time of the last change, not counting readings."""


class AssettypeCreatedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    is_iot_device: bool
    keep_alive: int
    """Seconds without a reading after which a device counts as offline."""
    properties: list[TelemetryProperty]
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class AssettypeDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class AssettypeUpdatedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    is_iot_device: bool
    keep_alive: int
    """Seconds without a reading after which a device counts as offline."""
    properties: list[TelemetryProperty]
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class BookingCancelledObject(Model, kw_only=True):
    id: str
    resource_id: str
    status: BookingStatus
    cancelled_by: str | None
    cancelled_at: int | None
    """Unix seconds."""
    created: int
    """Unix seconds."""


class BookingCheckedInObject(Model, kw_only=True):
    id: str
    resource_id: str
    status: BookingStatus
    checked_in_at: int | None
    """Unix seconds."""
    created: int
    """Unix seconds."""


class BookingCreatedObject(Model, kw_only=True):
    id: str
    resource_id: str
    resource_name: str
    location_id: str | None
    booked_by: str | None
    start_time: int
    """Unix seconds."""
    end_time: int
    """Unix seconds; the resource is free again from here."""
    status: BookingStatus
    created: int
    """Unix seconds."""


class BookingNoShowObject(Model, kw_only=True):
    id: str
    resource_id: str
    resource_name: str
    location_id: str | None
    booked_by: str | None
    start_time: int
    """Unix seconds."""
    end_time: int
    """Unix seconds; the resource is free again from here."""
    status: BookingStatus
    created: int
    """Unix seconds."""


class BookingUpdatedObject(Model, kw_only=True):
    id: str
    resource_id: str
    resource_name: str
    location_id: str | None
    booked_by: str | None
    start_time: int
    """Unix seconds."""
    end_time: int
    """Unix seconds; the resource is free again from here."""
    status: BookingStatus
    created: int
    """Unix seconds."""


class DeckCreatedObject(Model, kw_only=True):
    id: str
    title: str
    description: str | None
    location_id: str | None
    refresh_seconds: int
    cards: list[Card]
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class DeckDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class DeckUpdatedObject(Model, kw_only=True):
    id: str
    title: str
    description: str | None
    location_id: str | None
    refresh_seconds: int
    cards: list[Card]
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class FormArchivedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    status: FormStatus
    version: int
    """The latest published version; 0 before the first."""
    fields: list[FormField]
    """The draft of the next version."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class FormCreatedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    status: FormStatus
    version: int
    """The latest published version; 0 before the first."""
    fields: list[FormField]
    """The draft of the next version."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class FormDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class FormPublishedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    status: FormStatus
    version: int
    """The latest published version; 0 before the first."""
    fields: list[FormField]
    """The draft of the next version."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class FormSubmittedObject(Model, kw_only=True):
    id: str
    form_id: str
    version: int
    """The version that was answered."""
    answers: dict[str, Any]
    location_id: str | None
    submitted_by: str | None
    created: int
    """Unix seconds."""


class FormUpdatedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    status: FormStatus
    version: int
    """The latest published version; 0 before the first."""
    fields: list[FormField]
    """The draft of the next version."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class InvitationCreatedObject(Model, kw_only=True):
    id: str
    email: str
    name: str
    role_ids: list[str]
    invited_by: str
    created: int
    """Unix seconds."""
    expires_at: int
    """Unix seconds."""


class InvitationDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class LocationCreatedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    parent_id: str | None
    type: LocationType
    code: str | None
    address: dict[str, Any] | None
    timezone: str | None
    latitude: float | None
    longitude: float | None
    external_id: str | None
    metadata: dict[str, Any]
    archived_at: int | None
    """When it was archived; null while it is in sight. Set by archive and restore."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class LocationDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class LocationUpdatedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    parent_id: str | None
    type: LocationType
    code: str | None
    address: dict[str, Any] | None
    timezone: str | None
    latitude: float | None
    longitude: float | None
    external_id: str | None
    metadata: dict[str, Any]
    archived_at: int | None
    """When it was archived; null while it is in sight. Set by archive and restore."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class OrganizationUpdatedObject(Model, kw_only=True):
    id: str
    name: str
    plan: Plan
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""
    telemetry_events: bool
    """Whether every reading is written as an event, `asset.telemetry.updated`, also while no webhook wants
    these. Off at first, since they are many.
    """


class ResourceCreatedObject(Model, kw_only=True):
    id: str
    name: str
    type: ResourceType
    location_id: str | None
    capacity: int | None
    features: list[str]
    buffer_minutes: int
    check_in_required: bool
    release_after_minutes: int
    active: bool
    """Only an active resource takes bookings."""
    external_id: str | None
    metadata: dict[str, Any]
    archived_at: int | None
    """When it was archived; null while it is in sight. Set by archive and restore."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class ResourceDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class ResourceUpdatedObject(Model, kw_only=True):
    id: str
    name: str
    type: ResourceType
    location_id: str | None
    capacity: int | None
    features: list[str]
    buffer_minutes: int
    check_in_required: bool
    release_after_minutes: int
    active: bool
    """Only an active resource takes bookings."""
    external_id: str | None
    metadata: dict[str, Any]
    archived_at: int | None
    """When it was archived; null while it is in sight. Set by archive and restore."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class RoleCreatedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    permissions: list[Permission]
    system: bool
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class RoleDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class RoleUpdatedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    permissions: list[Permission]
    system: bool
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class SlapolicyUpdatedObject(Model, kw_only=True):
    targets: dict[str, SlaTarget]
    calendar: AlwaysOpen | WeeklyHours
    updated: int | None
    """Unix seconds."""


class SorItemCreatedObject(Model, kw_only=True):
    id: str
    schedule_id: str
    code: str
    description: str
    unit: str
    rate_cents: int
    """Cents for one unit."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class SorItemDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class SorItemUpdatedObject(Model, kw_only=True):
    id: str
    schedule_id: str
    code: str
    description: str
    unit: str
    rate_cents: int
    """Cents for one unit."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class SorQuotationApprovedObject(Model, kw_only=True):
    id: str
    schedule_id: str
    work_order_id: str | None
    status: QuotationStatus
    total_amount_cents: int
    """The sum of the lines' amounts."""
    approved_by: str | None
    approved_at: int | None
    """Unix seconds."""
    created: int
    """Unix seconds."""


class SorQuotationCreatedObject(Model, kw_only=True):
    id: str
    schedule_id: str
    work_order_id: str | None
    status: QuotationStatus
    total_amount_cents: int
    """The sum of the lines' amounts."""
    line_item_count: int
    line_items: list[LineItem]
    submitted_by: str | None
    submitted_at: int | None
    """Unix seconds."""
    approved_by: str | None
    approved_at: int | None
    """Unix seconds."""
    rejected_by: str | None
    """Who last sent it back to Draft."""
    rejected_at: int | None
    """Unix seconds."""
    rejected_reason: str | None
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class SorQuotationDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class SorQuotationRejectedObject(Model, kw_only=True):
    id: str
    schedule_id: str
    work_order_id: str | None
    status: QuotationStatus
    total_amount_cents: int
    """The sum of the lines' amounts."""
    rejected_by: str | None
    """Who last sent it back to Draft."""
    rejected_at: int | None
    """Unix seconds."""
    rejected_reason: str | None
    created: int
    """Unix seconds."""


class SorQuotationSubmittedObject(Model, kw_only=True):
    id: str
    schedule_id: str
    work_order_id: str | None
    status: QuotationStatus
    total_amount_cents: int
    """The sum of the lines' amounts."""
    line_item_count: int
    submitted_by: str | None
    submitted_at: int | None
    """Unix seconds."""
    created: int
    """Unix seconds."""


class SorQuotationUpdatedObject(Model, kw_only=True):
    id: str
    schedule_id: str
    work_order_id: str | None
    status: QuotationStatus
    total_amount_cents: int
    """The sum of the lines' amounts."""
    line_item_count: int
    line_items: list[LineItem]
    submitted_by: str | None
    submitted_at: int | None
    """Unix seconds."""
    approved_by: str | None
    approved_at: int | None
    """Unix seconds."""
    rejected_by: str | None
    """Who last sent it back to Draft."""
    rejected_at: int | None
    """Unix seconds."""
    rejected_reason: str | None
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class SorScheduleCreatedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    status: ScheduleStatus
    effective_from: int | None
    """The first second in which it holds."""
    effective_to: int | None
    """The first second in which it no longer holds."""
    item_count: int
    version: int
    """1, 2, 3 … of schedules that took each other's place."""
    supersedes: str | None
    """The version before."""
    superseded_by: str | None
    """The version that was published in its place."""
    published_by: str | None
    published_at: int | None
    """Unix seconds."""
    withdrawn_by: str | None
    withdrawn_at: int | None
    """Unix seconds."""
    withdrawn_reason: str | None
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class SorScheduleDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class SorSchedulePublishedObject(Model, kw_only=True):
    id: str
    name: str
    status: ScheduleStatus
    effective_from: int | None
    """The first second in which it holds."""
    effective_to: int | None
    """The first second in which it no longer holds."""
    item_count: int
    published_by: str | None
    published_at: int | None
    """Unix seconds."""
    created: int
    """Unix seconds."""


class SorScheduleSupersededObject(Model, kw_only=True):
    id: str
    name: str
    status: ScheduleStatus
    version: int
    """1, 2, 3 … of schedules that took each other's place."""
    superseded_by: str | None
    """The version that was published in its place."""
    effective_from: int | None
    """The first second in which it holds."""
    effective_to: int | None
    """The first second in which it no longer holds."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class SorScheduleUpdatedObject(Model, kw_only=True):
    id: str
    name: str
    description: str | None
    status: ScheduleStatus
    effective_from: int | None
    """The first second in which it holds."""
    effective_to: int | None
    """The first second in which it no longer holds."""
    item_count: int
    version: int
    """1, 2, 3 … of schedules that took each other's place."""
    supersedes: str | None
    """The version before."""
    superseded_by: str | None
    """The version that was published in its place."""
    published_by: str | None
    published_at: int | None
    """Unix seconds."""
    withdrawn_by: str | None
    withdrawn_at: int | None
    """Unix seconds."""
    withdrawn_reason: str | None
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class SorScheduleWithdrawnObject(Model, kw_only=True):
    id: str
    name: str
    status: ScheduleStatus
    version: int
    """1, 2, 3 … of schedules that took each other's place."""
    effective_from: int | None
    """The first second in which it holds."""
    effective_to: int | None
    """The first second in which it no longer holds."""
    withdrawn_by: str | None
    withdrawn_at: int | None
    """Unix seconds."""
    withdrawn_reason: str | None
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class UserCreatedObject(Model, kw_only=True):
    id: str
    email: str
    name: str
    status: UserStatus
    role_ids: list[str]
    external_id: str | None
    metadata: dict[str, Any]
    archived_at: int | None
    """When it was archived; null while it is in sight. Set by archive and restore."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class UserErasedObject(Model, kw_only=True):
    id: str
    erased_at: int
    """Unix seconds."""


class UserRemovedObject(Model, kw_only=True):
    id: str
    deleted: bool


class UserUpdatedObject(Model, kw_only=True):
    id: str
    email: str
    name: str
    status: UserStatus
    role_ids: list[str]
    external_id: str | None
    metadata: dict[str, Any]
    archived_at: int | None
    """When it was archived; null while it is in sight. Set by archive and restore."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class VisitorCancelledObject(Model, kw_only=True):
    id: str
    name: str | None
    """Null once it is erased, as is all else that is personal."""
    status: VisitorStatus
    created: int
    """Unix seconds."""


class VisitorCheckedInObject(Model, kw_only=True):
    id: str
    name: str | None
    """Null once it is erased, as is all else that is personal."""
    status: VisitorStatus
    checked_in_at: int | None
    """Unix seconds."""
    created: int
    """Unix seconds."""


class VisitorCheckedOutObject(Model, kw_only=True):
    id: str
    name: str | None
    """Null once it is erased, as is all else that is personal."""
    status: VisitorStatus
    checked_out_at: int | None
    """Unix seconds."""
    created: int
    """Unix seconds."""


class VisitorErasedObject(Model, kw_only=True):
    id: str
    location_id: str | None
    status: VisitorStatus
    erased_at: int | None
    """When the personal data was erased."""
    created: int
    """Unix seconds."""


class VisitorRegisteredObject(Model, kw_only=True):
    id: str
    name: str | None
    """Null once it is erased, as is all else that is personal."""
    email: str | None
    company: str | None
    host_id: str | None
    location_id: str | None
    expected_arrival: int | None
    """Unix seconds."""
    status: VisitorStatus
    created: int
    """Unix seconds."""


class VisitorUpdatedObject(Model, kw_only=True):
    id: str
    name: str | None
    """Null once it is erased, as is all else that is personal."""
    email: str | None
    company: str | None
    host_id: str | None
    location_id: str | None
    expected_arrival: int | None
    """Unix seconds."""
    external_id: str | None
    """Erased with the name, as is metadata."""
    metadata: dict[str, Any]
    status: VisitorStatus
    created: int
    """Unix seconds."""


class WebhookCreatedObject(Model, kw_only=True):
    webhook_id: str
    url: str
    events: list[str]
    description: str | None
    filtering: Filtering | None
    status: WebhookStatus
    """`paused` by you, `disabled` by us; events meanwhile are skipped."""
    created_at: int
    """Unix milliseconds."""
    updated_at: int
    """Unix milliseconds."""
    disabled_reason: str | None
    secret_last_four: str
    """The end of the newest signing secret."""
    types: list[str]
    """What is sent: the event types that `events` stands for, as far as the person who made the webhook, or
    changed its `events` last, could read them.
    """


class WebhookDeletedObject(Model, kw_only=True):
    webhook_id: str
    deleted: bool


class WebhookDisabledObject(Model, kw_only=True):
    webhook_id: str
    url: str
    description: str | None
    status: str
    disabled_reason: str | None


class WebhookRotatedObject(Model, kw_only=True):
    webhook_id: str
    url: str
    events: list[str]
    description: str | None
    filtering: Filtering | None
    status: WebhookStatus
    """`paused` by you, `disabled` by us; events meanwhile are skipped."""
    created_at: int
    """Unix milliseconds."""
    updated_at: int
    """Unix milliseconds."""
    disabled_reason: str | None
    secret_last_four: str
    """The end of the newest signing secret."""
    types: list[str]
    """What is sent: the event types that `events` stands for, as far as the person who made the webhook, or
    changed its `events` last, could read them.
    """


class WebhookTestObject(Model, kw_only=True):
    message: str


class WebhookUpdatedObject(Model, kw_only=True):
    webhook_id: str
    url: str
    events: list[str]
    description: str | None
    filtering: Filtering | None
    status: WebhookStatus
    """`paused` by you, `disabled` by us; events meanwhile are skipped."""
    created_at: int
    """Unix milliseconds."""
    updated_at: int
    """Unix milliseconds."""
    disabled_reason: str | None
    secret_last_four: str
    """The end of the newest signing secret."""
    types: list[str]
    """What is sent: the event types that `events` stands for, as far as the person who made the webhook, or
    changed its `events` last, could read them.
    """


class WorkorderCommentedObject(Model, kw_only=True):
    id: str
    number: int
    title: str
    status: WorkOrderStatus
    priority: Priority
    location_id: str | None
    asset_id: str | None
    assignee_id: str | None
    comment: Comment
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class WorkorderCompletedObject(Model, kw_only=True):
    id: str
    title: str
    status: WorkOrderStatus
    priority: Priority
    completed_at: int | None
    """Unix seconds."""
    completed_by: str | None
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class WorkorderCreatedObject(Model, kw_only=True):
    id: str
    title: str
    description: str | None
    status: WorkOrderStatus
    priority: Priority
    location_id: str | None
    assignee_id: str | None
    reported_by: str | None
    sla_response_deadline: int | None
    """Unix seconds."""
    sla_resolution_deadline: int | None
    """Unix seconds."""
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class WorkorderDeletedObject(Model, kw_only=True):
    id: str
    deleted: bool


class WorkorderSlaBreachedObject(Model, kw_only=True):
    id: str
    title: str
    status: WorkOrderStatus
    priority: Priority
    location_id: str | None
    assignee_id: str | None
    sla_response_deadline: int | None
    """Unix seconds."""
    sla_resolution_deadline: int | None
    """Unix seconds."""
    deadline: str
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class WorkorderStatusChangedObject(Model, kw_only=True):
    id: str
    title: str
    status: WorkOrderStatus
    priority: Priority
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class WorkorderUpdatedObject(Model, kw_only=True):
    id: str
    title: str
    status: WorkOrderStatus
    priority: Priority
    location_id: str | None
    assignee_id: str | None
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


# What `data.object` of an event of this type is.
OBJECTS: dict[str, type[Model]] = {
    "alert.acknowledged": AlertAcknowledgedObject,
    "alert.cleared": AlertClearedObject,
    "alert.raised": AlertRaisedObject,
    "alert.updated": AlertUpdatedObject,
    "alertrule.created": AlertruleCreatedObject,
    "alertrule.deleted": AlertruleDeletedObject,
    "alertrule.updated": AlertruleUpdatedObject,
    "apikey.created": ApikeyCreatedObject,
    "apikey.revoked": ApikeyRevokedObject,
    "apikey.rotated": ApikeyRotatedObject,
    "apikey.updated": ApikeyUpdatedObject,
    "asset.created": AssetCreatedObject,
    "asset.deleted": AssetDeletedObject,
    "asset.status.changed": AssetStatusChangedObject,
    "asset.telemetry.updated": AssetTelemetryUpdatedObject,
    "asset.updated": AssetUpdatedObject,
    "assettype.created": AssettypeCreatedObject,
    "assettype.deleted": AssettypeDeletedObject,
    "assettype.updated": AssettypeUpdatedObject,
    "booking.cancelled": BookingCancelledObject,
    "booking.checked_in": BookingCheckedInObject,
    "booking.created": BookingCreatedObject,
    "booking.no_show": BookingNoShowObject,
    "booking.updated": BookingUpdatedObject,
    "deck.created": DeckCreatedObject,
    "deck.deleted": DeckDeletedObject,
    "deck.updated": DeckUpdatedObject,
    "form.archived": FormArchivedObject,
    "form.created": FormCreatedObject,
    "form.deleted": FormDeletedObject,
    "form.published": FormPublishedObject,
    "form.submitted": FormSubmittedObject,
    "form.updated": FormUpdatedObject,
    "invitation.created": InvitationCreatedObject,
    "invitation.deleted": InvitationDeletedObject,
    "location.created": LocationCreatedObject,
    "location.deleted": LocationDeletedObject,
    "location.updated": LocationUpdatedObject,
    "organization.updated": OrganizationUpdatedObject,
    "resource.created": ResourceCreatedObject,
    "resource.deleted": ResourceDeletedObject,
    "resource.updated": ResourceUpdatedObject,
    "role.created": RoleCreatedObject,
    "role.deleted": RoleDeletedObject,
    "role.updated": RoleUpdatedObject,
    "slapolicy.updated": SlapolicyUpdatedObject,
    "sor.item.created": SorItemCreatedObject,
    "sor.item.deleted": SorItemDeletedObject,
    "sor.item.updated": SorItemUpdatedObject,
    "sor.quotation.approved": SorQuotationApprovedObject,
    "sor.quotation.created": SorQuotationCreatedObject,
    "sor.quotation.deleted": SorQuotationDeletedObject,
    "sor.quotation.rejected": SorQuotationRejectedObject,
    "sor.quotation.submitted": SorQuotationSubmittedObject,
    "sor.quotation.updated": SorQuotationUpdatedObject,
    "sor.schedule.created": SorScheduleCreatedObject,
    "sor.schedule.deleted": SorScheduleDeletedObject,
    "sor.schedule.published": SorSchedulePublishedObject,
    "sor.schedule.superseded": SorScheduleSupersededObject,
    "sor.schedule.updated": SorScheduleUpdatedObject,
    "sor.schedule.withdrawn": SorScheduleWithdrawnObject,
    "user.created": UserCreatedObject,
    "user.erased": UserErasedObject,
    "user.removed": UserRemovedObject,
    "user.updated": UserUpdatedObject,
    "visitor.cancelled": VisitorCancelledObject,
    "visitor.checked_in": VisitorCheckedInObject,
    "visitor.checked_out": VisitorCheckedOutObject,
    "visitor.erased": VisitorErasedObject,
    "visitor.registered": VisitorRegisteredObject,
    "visitor.updated": VisitorUpdatedObject,
    "webhook.created": WebhookCreatedObject,
    "webhook.deleted": WebhookDeletedObject,
    "webhook.disabled": WebhookDisabledObject,
    "webhook.rotated": WebhookRotatedObject,
    "webhook.test": WebhookTestObject,
    "webhook.updated": WebhookUpdatedObject,
    "workorder.commented": WorkorderCommentedObject,
    "workorder.completed": WorkorderCompletedObject,
    "workorder.created": WorkorderCreatedObject,
    "workorder.deleted": WorkorderDeletedObject,
    "workorder.sla.breached": WorkorderSlaBreachedObject,
    "workorder.status.changed": WorkorderStatusChangedObject,
    "workorder.updated": WorkorderUpdatedObject,
}
