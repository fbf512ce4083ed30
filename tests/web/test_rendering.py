from datetime import UTC, datetime

import pytest

from steward.kit.web.badges import spaced
from steward.kit.web.moments import relative
from steward.web.rendering import prose


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 h ago"),
        (86400, "1 day ago"),
        (3 * 86400, "3 days ago"),
        (7 * 86400, "25 Dec 2025"),
    ],
)
def test_times_are_shown_in_relative_words(passed: int, said: str) -> None:
    now = 1767225600
    assert relative(now - passed, now, datetime.fromtimestamp(now - passed, UTC)) == said


def test_prose_is_escaped_before_it_is_marked_up() -> None:
    assert prose("Use `<b>` **now**.\n\nThen <i>rest</i>.") == (
        "<p>Use <code>&lt;b&gt;</code> <strong>now</strong>.</p><p>Then &lt;i&gt;rest&lt;/i&gt;.</p>"
    )


def test_names_of_states_get_spaces() -> None:
    assert [spaced(name) for name in ("Open", "InProgress", "active")] == ["Open", "In progress", "Active"]
