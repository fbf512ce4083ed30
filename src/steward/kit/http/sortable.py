"""Adds a list's sorts to its query, so that the document shows them too."""

from steward.kit.db.listing import Listing
from steward.kit.domain.list_query import PageQuery, SortedPageQuery, sorted_by


def sortable(query: type[PageQuery], listing: Listing) -> type[PageQuery]:
    if not listing.sorts or not issubclass(query, SortedPageQuery):
        return query
    noun = "".join(word.capitalize() for word in listing.name.split("_"))
    return sorted_by(query, noun, tuple(listing.sorts), tuple(listing.former_sorts.items()))  # type: ignore[no-any-return]
