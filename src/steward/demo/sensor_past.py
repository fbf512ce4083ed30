"""Stores the month that the sensors have behind them: their history, the state of their rules, and their alerts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

import msgspec
from msgspec.structs import replace

from steward.alert_rules.alerts.model import Alert
from steward.alert_rules.alerts.queries import ALERTS
from steward.alert_rules.model import AlertRule, AlertWorkOrder
from steward.alert_rules.queries import ALERT_RULES
from steward.alert_rules.rule_index import RuleIndex
from steward.alert_rules.rules import new_alert_rule
from steward.assets.connectivity.model import DeviceConnectivity
from steward.assets.connectivity.rules import evaluate
from steward.assets.model import Asset
from steward.assets.queries import ASSETS
from steward.demo import queries
from steward.demo.alert_history import KEEP_ALIVE, AlertBook, SensorPast, alert_rules, past_readings
from steward.demo.past import HOUR, IdAt, dated
from steward.demo.queries import DeviceState, PastHour
from steward.kit.db.pool import Transaction
from steward.kit.domain.shared_fields import made_from
from steward.kit.records import many_records
from steward.kit.records.context import Context
from steward.kit.security.caller import TenantId
from steward.telemetry.queries import layout_numbers, new_series_numbers, set_series
from steward.telemetry.series import SeriesLayout, layout, row

_encode = msgspec.json.Encoder().encode


class SensorsPast:
    """`sensors` by their number, `types` by the name of the kind."""

    def __init__(
        self,
        sensors: Mapping[int, Asset],
        types: Mapping[str, str],
        tenant: TenantId,
        technicians: Sequence[str],
        id_at: IdAt,
    ) -> None:
        self._sensors, self._types, self._tenant = sensors, types, tenant
        self._id_at = id_at
        self._book = AlertBook(id_at, technicians)
        self._rules: list[AlertRule] = []
        self._pasts: dict[int, SensorPast] = {}
        self._states: list[DeviceState] = []

    def remember(self, founded: int, now: int) -> list[Asset]:
        """The sensors as they are after all that; nothing is stored yet."""
        asset_ids = {number: asset.id for number, asset in self._sensors.items()}
        made = (new_alert_rule(new, founded) for new in alert_rules(asset_ids, self._types))
        self._rules = [dated(rule, "arl", self._id_at, founded) for rule in made]
        index = RuleIndex(self._rules)
        self._pasts = past_readings(now)
        found = []
        for number, asset in self._sensors.items():
            past = self._pasts[number]
            self._book.evaluate(asset, past, index.for_asset(asset.id, asset.asset_type_id))
            found.append(self._after(asset, past, now))
        self._book.acknowledge_open(now)
        return found

    def _after(self, asset: Asset, past: SensorPast, now: int) -> Asset:
        at, values = past.last
        asset = replace(
            asset, status=past.status, last_seen=at, last_telemetry=dict(values), keep_alive=KEEP_ALIVE
        )
        connected, due = evaluate(made_from(DeviceConnectivity, asset, is_iot_device=True), now)
        states = _encode(past.rule_states).decode() if past.rule_states else None
        self._states.append(DeviceState(asset.id, states, past.rules_due, due))
        return replace(asset, connection_status=connected, is_online=connected)

    async def store(self, tx: Transaction, assets: Iterable[Asset]) -> None:
        """`assets` are all that there are, the sensors among them."""
        ctx = Context.of_tenant(tx, self._tenant, 0)
        await many_records.create(ctx, ASSETS, assets)
        await many_records.create(ctx, ALERT_RULES, self._rules)
        await queries.set_device_states(tx, self._tenant, self._states)
        layouts = {number: layout(past.last[1]) for number, past in self._pasts.items()}
        numbers = await layout_numbers(tx, {(self._tenant, one) for one in layouts.values()})
        series = dict(zip(self._pasts, await new_series_numbers(tx, len(self._pasts)), strict=True))
        stored = [
            (self._tenant, self._sensors[number].id, series[number], numbers[self._tenant, layouts[number]])
            for number in self._pasts
        ]
        await set_series(tx, stored)
        hours = [
            hour
            for number, past in self._pasts.items()
            for hour in folded(series[number], layouts[number], past)
        ]
        await queries.insert_hours(tx, self._tenant, hours)

    def wanted_orders(self) -> Iterator[tuple[Alert, Asset, AlertWorkOrder, int]]:
        """Alerts whose rule asks for a work order, with their asset and when they were raised."""
        assets = {asset.id: asset for asset in self._sensors.values()}
        rules = {rule.id: rule for rule in self._rules}
        for alert in self._book.alerts.values():
            rule = rules[alert.rule_id]
            if rule.work_order is not None:
                yield alert, assets[alert.asset_id], rule.work_order, alert.first_seen + rule.for_seconds

    async def store_alerts(self, tx: Transaction, orders: Mapping[str, str], now: int) -> None:
        """`orders` are those that alerts have opened."""
        alerts = (
            replace(alert, work_order_id=orders.get(id)) for id, alert in sorted(self._book.alerts.items())
        )
        await many_records.create(Context.of_tenant(tx, self._tenant, now), ALERTS, alerts)


def folded(series: int, known: SeriesLayout, past: SensorPast) -> Iterator[PastHour]:
    """One row for each hour, as the fold of the worker leaves them."""
    for hour, readings in groupby(past.readings, key=lambda reading: reading[0] // HOUR):
        together = list(readings)
        times = ",".join(str(at % HOUR) for at, _ in together)
        values = ",".join(row(known, values) for _, values in together)
        yield PastHour(series, hour, f"{{{times}}}", f"{{{values}}}")
