"""Routes that keep a kind of record in step with other systems: by external id, and in batches."""

from typing import Any

from steward.kit.http.batch import Batch
from steward.kit.http.external_ids import ByExternalId
from steward.kit.http.operations import Operations
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route


def synced(resource: Resource, *routes: Route, **replacing: Any) -> tuple[Route, ...]:
    """The given routes and those that follow from them; `replacing` goes to `ByExternalId`."""
    operations = Operations.of(resource, routes)
    by_external_id = ByExternalId(operations, **replacing)
    return (*routes, *by_external_id.routes(), Batch(operations, by_external_id).route())
