"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from typing import Any

from ..group import AsyncGroup


class AsyncHealth(AsyncGroup):
    async def live(
        self,
    ) -> dict[str, Any]:
        """This process answers."""
        return await self._data("GET", "/health/live")

    async def ready(
        self,
    ) -> dict[str, Any]:
        """The service can do its work.

        Not while the database is away, doesn't answer or takes no changes, no worker has given a sign of
        life, the process is about to stop, or deliveries wait that no worker takes.
        """
        return await self._data("GET", "/health/ready")

    async def get_document(
        self,
    ) -> dict[str, Any]:
        """Read this document."""
        return await self._data("GET", "/openapi.json")
