"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from typing import Any

from ..group import Group


class Health(Group):
    def live(
        self,
    ) -> dict[str, Any]:
        """This process answers."""
        return self._data("GET", "/health/live")

    def ready(
        self,
    ) -> dict[str, Any]:
        """The service can do its work.

        Not while the database is away, doesn't answer or takes no changes, no worker has given a sign of
        life, the process is about to stop, or deliveries wait that no worker takes.
        """
        return self._data("GET", "/health/ready")

    def get_document(
        self,
    ) -> dict[str, Any]:
        """Read this document."""
        return self._data("GET", "/openapi.json")
