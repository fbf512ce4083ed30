"""Where a reader of the feed is: behind a page of the service's, or behind an event within one.

The service has cursors between pages only. Within a page ours names the cursor before it and the event that was handed out
last: `<cursor>~<event id>`. An empty one stands for the beginning.
"""

_SEPARATOR = "~"


def join(cursor: str | None, event_id: str) -> str:
    return f"{cursor or ''}{_SEPARATOR}{event_id}"


def split(cursor: str | None) -> tuple[str | None, str | None]:
    """The service's cursor, and the event behind which to go on from there."""
    if not cursor or _SEPARATOR not in cursor:
        return cursor or None, None
    behind, _, event_id = cursor.rpartition(_SEPARATOR)
    return behind or None, event_id
