"""The Python client for Steward: `Steward`, and `AsyncSteward` with the same operations.

Names are imported when they are asked for, so that `steward_client.webhooks` needs nothing but Python.
"""

import importlib
from typing import TYPE_CHECKING, Any

from ._version import VERSION

if TYPE_CHECKING:
    from msgspec import UNSET as UNSET
    from msgspec import UnsetType as UnsetType

    from ._answers import Page as Page
    from ._answers import to_dict as to_dict
    from ._async.client import AsyncSteward as AsyncSteward
    from ._async.exports import AsyncExport as AsyncExport
    from ._async.feed import AsyncFeed as AsyncFeed
    from ._async.pages import AsyncPages as AsyncPages
    from ._event_objects import event_object as event_object
    from ._sync.client import Steward as Steward
    from ._sync.exports import Export as Export
    from ._sync.feed import Feed as Feed
    from ._sync.pages import Pages as Pages
    from .errors import BadRequest as BadRequest
    from .errors import Conflict as Conflict
    from .errors import ConnectionFailed as ConnectionFailed
    from .errors import Forbidden as Forbidden
    from .errors import Gone as Gone
    from .errors import InvalidAnswer as InvalidAnswer
    from .errors import NotFound as NotFound
    from .errors import NotModified as NotModified
    from .errors import PreconditionFailed as PreconditionFailed
    from .errors import RateLimited as RateLimited
    from .errors import ServiceUnavailable as ServiceUnavailable
    from .errors import StewardError as StewardError
    from .errors import Unauthorized as Unauthorized
    from .errors import ValidationFailed as ValidationFailed

__version__ = VERSION
_ERRORS = (
    "BadRequest",
    "Conflict",
    "ConnectionFailed",
    "Forbidden",
    "Gone",
    "InvalidAnswer",
    "NotFound",
    "NotModified",
    "PreconditionFailed",
    "RateLimited",
    "ServiceUnavailable",
    "StewardError",
    "Unauthorized",
    "ValidationFailed",
)
# Where each name is, and what it is called there.
_PLACES = {
    "AsyncExport": ("._async.exports", "AsyncExport"),
    "AsyncFeed": ("._async.feed", "AsyncFeed"),
    "AsyncPages": ("._async.pages", "AsyncPages"),
    "AsyncSteward": ("._async.client", "AsyncSteward"),
    "Export": ("._sync.exports", "Export"),
    "Feed": ("._sync.feed", "Feed"),
    "Page": ("._answers", "Page"),
    "Pages": ("._sync.pages", "Pages"),
    "Steward": ("._sync.client", "Steward"),
    "UNSET": ("._answers", "UNSET"),
    "UnsetType": ("._answers", "UnsetType"),
    "event_object": ("._event_objects", "event_object"),
    "to_dict": ("._answers", "to_dict"),
    **{name: (".errors", name) for name in _ERRORS},
}

__all__ = [  # noqa: PLE0604  they are names, made from names
    *_PLACES,
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, found = _PLACES[name]
    return getattr(importlib.import_module(module, __name__), found)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
