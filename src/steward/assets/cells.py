"""Cells that only lists of assets have."""

from typing import Any

from markupsafe import Markup

from steward.kit.web.cells import ListedColumn

_CONNECTED = Markup('<span class="badge is-connected">Connected</span>')
_OFFLINE = Markup('<span class="badge is-offline">Offline</span>')


def connection(_column: ListedColumn, _record: Any, value: bool | None) -> str:
    return "" if value is None else _CONNECTED if value else _OFFLINE
