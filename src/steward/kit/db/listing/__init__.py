"""Lists, one way from a query to a page:

`listing` reads filters and order from the query → `plan` chooses the index scans → `conditions` and `statements` write their SQL →
`execute` runs them → `listing` makes the page and its cursor. `filters` and `sorts` are what a slice declares. `docs/concepts/lists.md`
shows the SQL of one list.
"""

from steward.kit.db.listing.filters import SEARCH, Bound, Filter, Switch
from steward.kit.db.listing.listing import LISTINGS, MAX_PAGE_LENGTH, Listing, Page, json_columns
from steward.kit.db.listing.sorts import Order, Sort, folded

__all__ = [
    "LISTINGS",
    "MAX_PAGE_LENGTH",
    "SEARCH",
    "Bound",
    "Filter",
    "Listing",
    "Order",
    "Page",
    "Sort",
    "Switch",
    "folded",
    "json_columns",
]
