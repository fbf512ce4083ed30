"""Every statement of the program, also those that are only made once everything is loaded.

They are read in a process of their own: the modules of tests define statements, too. `python -m tests.support.statements` prints them.
"""

import importlib
import json
import pkgutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import steward
from steward.kit.db import sql


class Statement(NamedTuple):
    text: str
    # Why it may touch the rows of several tenants.
    across: str | None
    only_distributed: bool


@cache
def all_statements() -> tuple[Statement, ...]:
    printed = subprocess.run(
        [sys.executable, "-m", __name__], cwd=Path(__file__).parents[2], capture_output=True, check=True
    )
    return tuple(Statement(*fields) for fields in json.loads(printed.stdout))


def _defined() -> list[Statement]:
    for module in pkgutil.walk_packages(steward.__path__, "steward."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for statement in sql.LAZY:
        statement()
    return [Statement(text, across, text in sql.ONLY_DISTRIBUTED) for text, across in sql.ALL.items()]


if __name__ == "__main__":
    json.dump(_defined(), sys.stdout)
