"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import Export
from ..group import Group
from ..pages import Pages


class Decks(Group):
    def list(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        updated_after: int | None = None,
        q: str | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.DecksSortLike | Sequence[models.DecksSortLike] | None = None,
        organization: str | None = None,
    ) -> Pages[models.Deck]:
        """List decks.

        Can be sorted by `title`, `updated`, `created`. Needs the permission `decks:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the title.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Deck,
            "GET",
            "/organizations/{orgId}/decks",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "updatedAfter": updated_after,
                "q": q,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
                "sort": sort,
            },
        )

    def create(
        self,
        *,
        title: str,
        description: str | UnsetType | None = UNSET,
        location_id: str | UnsetType | None = UNSET,
        refresh_seconds: int | UnsetType = UNSET,
        cards: Sequence[models.NewCard | Mapping[str, Any]] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Deck:
        """Create a deck.

        A dashboard: cards on a grid of twelve columns. Needs the permission `decks:write`.

        Args:
            refresh_seconds: How often what it shows is read again.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.Deck,
            "POST",
            "/organizations/{orgId}/decks",
            organization=organization,
            body={
                "title": title,
                "description": description,
                "locationId": location_id,
                "refreshSeconds": refresh_seconds,
                "cards": cards,
            },
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        updated_after: int | None = None,
        q: str | None = None,
        sort: models.DecksSortLike | Sequence[models.DecksSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[dict[str, Any]]:
        """Export decks as CSV.

        Needs the permission `decks:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the title.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/decks.csv",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "updatedAfter": updated_after,
                "q": q,
                "sort": sort,
            },
        )

    def export_ndjson(
        self,
        *,
        location_id: str | Sequence[str] | None = None,
        include_descendants: bool | None = None,
        updated_after: int | None = None,
        q: str | None = None,
        sort: models.DecksSortLike | Sequence[models.DecksSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[models.Deck]:
        """Export decks as NDJSON.

        Needs the permission `decks:read`.

        Args:
            location_id: Only what is directly in this location, or with `includeDescendants` below it.
            include_descendants: Lets `locationId` stand for everything that lies in the location, too.
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the title.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.Deck,
            "GET",
            "/organizations/{orgId}/decks.ndjson",
            organization=organization,
            query={
                "locationId": location_id,
                "includeDescendants": include_descendants,
                "updatedAfter": updated_after,
                "q": q,
                "sort": sort,
            },
        )

    def delete(
        self,
        deck_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete a deck.

        Needs the permission `decks:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        self._nothing(
            "DELETE",
            "/organizations/{orgId}/decks/{deckId}",
            organization=organization,
            values={"deckId": deck_id},
            headers={"If-Match": if_match},
        )

    def get(
        self,
        deck_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Deck:
        """Read a deck.

        Needs the permission `decks:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.Deck,
            "GET",
            "/organizations/{orgId}/decks/{deckId}",
            organization=organization,
            values={"deckId": deck_id},
            headers={"If-None-Match": if_none_match},
        )

    def update(
        self,
        deck_id: str,
        *,
        title: str | UnsetType = UNSET,
        description: str | UnsetType | None = UNSET,
        location_id: str | UnsetType | None = UNSET,
        refresh_seconds: int | UnsetType = UNSET,
        cards: Sequence[models.NewCard | Mapping[str, Any]] | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Deck:
        """Change a deck.

        `cards` are all cards of the deck; send those with their identifiers that stay. Needs the
        permission `decks:write`.

        Args:
            refresh_seconds: How often what it shows is read again.
            cards: All cards: one that is left out goes.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Deck,
            "PATCH",
            "/organizations/{orgId}/decks/{deckId}",
            organization=organization,
            values={"deckId": deck_id},
            body={
                "title": title,
                "description": description,
                "locationId": location_id,
                "refreshSeconds": refresh_seconds,
                "cards": cards,
            },
            headers={"If-Match": if_match},
        )
