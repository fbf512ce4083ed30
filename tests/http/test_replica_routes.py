"""Which requests a replica may answer: long reads, and nothing that changes anything."""

from tests.support.registered_pages import registered_pages, unreachable_parts

from steward.wiring.routes import all_routes

_HISTORY = {"readHistoryOfAsset", "listReadingsOfAsset"}
# The bookings of one resource: a stream by its form, and short.
_SHORT = {"readCalendar"}


def test_every_export_and_all_history_may_come_from_a_replica() -> None:
    routes = all_routes(unreachable_parts())
    streams = {route.operation_id for route in routes if route.shape == "stream"}
    assert {route.operation_id for route in routes if route.from_replica} == streams - _SHORT | _HISTORY


def test_reports_charts_and_files_may_use_a_replica() -> None:
    pages = [page for page in registered_pages() if page.from_replica]
    assert {page.method for page in pages} == {"GET"}
    files = {page.name for page in registered_pages() if page.path.endswith(".csv") and page.method == "GET"}
    assert files <= {page.name for page in pages}
    assert {"GET /app/reports/{reportId}", "GET /app/assets/{assetId}/chart.json"} <= {p.name for p in pages}
