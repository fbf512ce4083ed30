"""What was stored before the history had a tenant is found again, in partitions of the same names."""

import asyncio

from tests.support.databases import fetch, migrate_until, run_commands

from steward.kit.db.sharding import tenant_number
from steward.wiring.schema import migrate

_HOUR = 500_000
_BEFORE = (
    """INSERT INTO organizations (id, name, plan, created, updated)
       VALUES ('org_a', 'A', 'Enterprise', 1, 1), ('org_b', 'B', 'Enterprise', 1, 1)""",
    """INSERT INTO asset_types (organization_id, id, name, is_iot_device, keep_alive, properties, created, updated)
       SELECT id, 'aty_1', 'Sensor', true, 60, '[]', 1, 1 FROM organizations""",
    """INSERT INTO assets (organization_id, id, name, asset_type_id, status, metadata, created, updated, search_text,
                           search_grams, series)
       SELECT id, 'ast_1', 'Sensor', 'aty_1', 'Online', '{}', 1, 1, '', '{}', CASE id WHEN 'org_a' THEN 1 ELSE 2 END
       FROM organizations""",
    f"CREATE TABLE telemetry_recent_2027011508 PARTITION OF telemetry_recent FOR VALUES FROM ({_HOUR}) TO ({_HOUR + 1})",
    f"CREATE TABLE telemetry_hours_20270114 PARTITION OF telemetry_hours FOR VALUES FROM ({_HOUR - 9}) TO ({_HOUR + 9})",
    # A second twice, one that is late, one without a partition, and one of an asset that is gone.
    f"""INSERT INTO telemetry_recent (series, arrived, at, vals) VALUES
        (1, {_HOUR}, {_HOUR * 3600 + 5}, '{{1,2}}'), (1, {_HOUR}, {_HOUR * 3600 + 5}, '{{NULL,3,4}}'),
        (1, {_HOUR}, {_HOUR * 3600 - 7200}, '{{5}}'), (2, {_HOUR + 5}, {_HOUR * 3600 + 9}, '{{6}}'), (3, {_HOUR}, 1, '{{7}}')""",
    f"""INSERT INTO telemetry_hours (series, hour, times, vals, arrived) VALUES
        (1, {_HOUR - 2}, '{{0,60}}', '{{{{1}},{{2}}}}', NULL), (2, {_HOUR - 500}, '{{3}}', '{{{{4}}}}', {_HOUR}),
        (3, {_HOUR - 2}, '{{0}}', '{{{{9}}}}', NULL)""",
)


def test_history_is_migrated_with_its_tenants(empty_url: str) -> None:
    asyncio.run(migrate_until(empty_url, 50))
    asyncio.run(run_commands(empty_url, *_BEFORE))
    assert "0050_history_by_tenant.sql" in asyncio.run(migrate(empty_url))
    a, b = tenant_number("org_a"), tenant_number("org_b")
    rows = fetch(
        empty_url, "SELECT tableoid::regclass::text, * FROM telemetry_recent ORDER BY series, second"
    )
    assert [tuple(row) for row in rows] == [
        ("telemetry_recent_2027011508", a, 1, _HOUR, -7200, [5]),
        ("telemetry_recent_2027011508", a, 1, _HOUR, 5, [1, 3, 4]),
        ("telemetry_recent_default", b, 2, _HOUR + 5, -5 * 3600 + 9, [6]),
    ]
    rows = fetch(empty_url, "SELECT tableoid::regclass::text, * FROM telemetry_hours ORDER BY series")
    assert [tuple(row) for row in rows] == [
        ("telemetry_hours_20270114", a, 1, _HOUR - 2, None, [0, 60], [[1], [2]]),
        ("telemetry_hours_default", b, 2, _HOUR - 500, _HOUR, [3], [[4]]),
    ]
