"""Every statement of the program, also those that are only made once everything is loaded."""

import importlib
import pkgutil
from functools import cache

import steward
from steward.kit.db import sql


@cache
def all_statements() -> dict[sql.Sql, str | None]:
    """With the reason why one may touch the rows of several tenants."""
    for module in pkgutil.walk_packages(steward.__path__, "steward."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for statement in sql.LAZY:
        statement()
    return dict(sql.ALL)
