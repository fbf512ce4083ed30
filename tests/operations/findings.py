"""What `steward doctor` says, by the names of its checks."""

import json
from typing import Any

from tests.operations.command import steward


def findings(url: str, **settings: str) -> tuple[int, dict[str, dict[str, Any]]]:
    """With the code that it ended with."""
    result = steward("doctor", "--json", "--database-url", url, **settings)
    return result.exit_code, {finding["name"]: finding for finding in json.loads(result.stdout)}
