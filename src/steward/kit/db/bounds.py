"""How many rows a page of a list, or a search, may read."""

# Rows that a bounded scan reads, and that its continuation reads if no scan was the whole answer.
SCANNED_ROWS = 2000
CONTINUED_ROWS = 8000
# Records that one filter may find as candidates.
CANDIDATES = 1000
# Records that may be sorted without an index.
MAX_SORTED = 10_000


def at_most(most: int, rows: str, *, alias: str = "first_rows", order: str = "") -> str:
    """The first rows of a query in its order. The inner limit is hidden from the planner, which would otherwise read and sort the few rows
    that it expects; the outer one isn't, so that it doesn't plan for very many rows. It knows the order outside only if `order` says it
    again."""
    again = f" ORDER BY {order}" if order else ""
    return f"SELECT * FROM ({rows} LIMIT (SELECT {most})) {alias}{again} LIMIT {most}"  # noqa: S608
