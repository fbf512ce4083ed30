"""A rule over the past finds what it would have found when it was the present."""

from tests.alert_rules.simulated_device import rule

from steward.alert_rules.model import AlertRule, WatchedAsset
from steward.alert_rules.replay import PREVIEW_SECONDS, RuleReplay, preview_keys, preview_window

NOW = 10_000_000
START = NOW - PREVIEW_SECONDS


def _firings(
    asked: AlertRule, *readings: tuple[int, float], created: int = 0
) -> list[tuple[int, int | None]]:
    """Seconds since the beginning of the week, of raising and clearing."""
    replay = RuleReplay(asked, WatchedAsset("ast_1", "Rack 1", created, 600, 1, ["T"]), NOW)
    for at, value in readings:
        replay.read(START + at, {"T": value})
    return [
        (found.raised_at - START, None if found.cleared_at is None else found.cleared_at - START)
        for found in replay.finish()
    ]


def test_each_match_of_the_conditions_counts() -> None:
    hot = rule(("T", "gt", 30), now=NOW)
    readings = ((100, 31.0), (200, 20.0), (300, 32.0), (400, 33.0), (500, 30.0), (600, 31.0))
    assert _firings(hot, *readings) == [(100, 200), (300, 500), (600, None)]


def test_short_matches_do_not_count_and_timers_are_exact() -> None:
    hot = rule(("T", "gt", 30), for_seconds=250, clear_for_seconds=100, now=NOW)
    readings = ((100, 31.0), (300, 20.0), (500, 31.0), (700, 31.0), (900, 20.0), (1050, 20.0))
    assert _firings(hot, *readings) == [(750, 1000)]


def test_hysteresis_keeps_an_alert_open() -> None:
    hot = rule(("T", "gt", 30), hysteresis=2.0, now=NOW)
    assert _firings(hot, (100, 31.0), (200, 29.0), (300, 31.0), (400, 27.0)) == [(100, 400)]


def test_downtime_counts_from_the_start_of_the_week_or_the_asset() -> None:
    silent = rule(no_data_seconds=1000, now=NOW)
    assert _firings(silent) == [(1000, None)]
    assert _firings(silent, (900, 1.0), (2500, 1.0)) == [(1900, 2500), (3500, None)]
    assert _firings(silent, created=NOW - 1200) == [(PREVIEW_SECONDS - 200, None)]
    assert _firings(silent, created=NOW - 500) == []


def test_a_rule_reads_only_the_keys_it_needs() -> None:
    assert preview_keys(rule(("T", "gt", 30), ("X", "gt", 1)), ["T", "H"]) == {"T"}
    assert preview_keys(rule(("T", "gt", 30), no_data_seconds=60), ["T", "H"]) == {"T", "H"}


def test_the_number_of_points_is_bounded() -> None:
    for keys in (1, 2, 7, 200):
        window = preview_window(NOW, keys)
        assert (window.end - window.start) / window.bucket_seconds * keys <= 20_170
