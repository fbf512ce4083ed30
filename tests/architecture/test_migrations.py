"""A database that has run a migration never runs it again: what has to be otherwise is another migration."""

import hashlib

from steward.migrations.migrate import migration_files

# Each file with the beginning of its digest, written down when it is committed.
COMMITTED = {
    "0001_identity.sql": "52d47043ab800dd0",
    "0002_manners.sql": "33ebcd5c6683d6cc",
    "0003_work_orders.sql": "a79fb69d307a0196",
    "0004_events.sql": "3e62349fcf45582d",
    "0005_locations.sql": "22e2c143484b8a49",
    "0006_assets.sql": "d806d241ea97eaaf",
    "0007_forms_decks.sql": "59b6d0dd5fa79497",
    "0008_work_orders_and_sla.sql": "10c037b602874f82",
    "0009_bookings.sql": "c3fcf1a47c563630",
    "0010_visitors.sql": "9a5093985b55adfe",
    "0011_sor.sql": "3899cf0c9c7ffaca",
    "0012_work_order_assets.sql": "88a582454e674c08",
    "0013_delivery.sql": "f0dc85a772d39d7f",
    "0014_delivery_claims.sql": "cfbbd101fad6fec9",
    "0015_telemetry.sql": "8de69792ec219fe5",
    "0016_alert_rules.sql": "ceca4fd7bc5e03f6",
    "0017_connectivity.sql": "3d08864fc4e42968",
    "0018_late_answers.sql": "bdf760c658c250c8",
    "0019_shared_layouts.sql": "e569690b7d345ef1",
    "0020_accounts.sql": "5cba1009b78be9b8",
    "0021_claims_of_workers.sql": "9a3fc3eb23127986",
    "0022_plain_names.sql": "9d953df1b239c0ca",
    "0023_password_resets.sql": "401fcad60c3faec4",
    "0024_sorted_lists.sql": "45aa7c37ee41e702",
    "0025_booking_screens.sql": "d715ce28612c9df5",
    "0026_deck_screens.sql": "f4de04607c3436e5",
    "0027_assets_by_name.sql": "5b9c5a218ba8b5ad",
    "0028_visits_and_places.sql": "3572d80b87e5af3c",
    "0029_api_key_usage_days.sql": "24f6400bbb200e0c",
    "0030_open_alerts.sql": "619c20b2d3c0d24d",
    "0031_page_costs.sql": "885d95d884a9b617",
    "0032_change_feed.sql": "2435dcd3ba32fed0",
    "0033_comment_counts.sql": "1296b57bffbc7b0c",
    "0034_alert_causes.sql": "5d7bec4a79129014",
    "0035_webhook_filters.sql": "95b56722e0074876",
    "0036_external_ids.sql": "65d7b3e497cb806f",
    "0037_more_sorted_lists.sql": "9a4b152b9e24acad",
    "0038_search_forms.sql": "4ab5be859fc23be8",
    "0039_resource_features.sql": "df4dbfe5dc0af5d2",
    "0040_recurring_bookings.sql": "68f668ac7b81681b",
    "0041_visitor_contacts.sql": "25fe419c707a72e1",
    "0042_arrival_of_readings.sql": "0e45468f703d20f5",
    "0043_commands.sql": "59fc2f47ba8c86ff",
    "0044_narrow_permissions.sql": "f17d0bf3fab23954",
    "0045_own_work_orders.sql": "9695bca2a5b9c48a",
    "0046_schedule_versions.sql": "3457d6bfdd8d8313",
    "0047_archive.sql": "2a85e22fd46f61ad",
    "0048_found_by_time.sql": "d341d0e198edf3df",
    "0049_shared_allowances.sql": "f712af02b840ea5a",
    "0050_history_by_tenant.sql": "5469fbacd7665242",
    "0051_event_traces.sql": "686b3a5c0edf9bdb",
    "0052_api_key_bounds.sql": "8a1284587af87563",
    "0053_forms_submit.sql": "0d16e17de0510513",
    "0054_comment_visibility.sql": "001f44e3e5889d30",
    "0055_erased_answers.sql": "6aaba79b5a1524f2",
    "0056_erased_users.sql": "c18879e15c60962a",
    "0057_process_places.sql": "2856bff7a247fb8d",
    "0058_folded_names.sql": "e6f1f628877207d6",
    "0059_webhook_makers.sql": "4f76b45a91c95148",
    "0060_telemetry_events.sql": "a3163f70356ea9a5",
    "0061_event_actors.sql": "206028d48395afb8",
    "0062_given_passwords.sql": "a96d55f70e601e81",
}


def test_a_committed_migration_never_changes() -> None:
    assert {
        name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in migration_files().values()
    } == COMMITTED
