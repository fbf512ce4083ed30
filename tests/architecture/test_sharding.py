"""Only a few modules know whether the database is one server or a Citus cluster."""

import re

from tests.architecture.source import SOURCE

# Beside the operations that `kit/db/sharding.py` offers: making the cluster, and the commands of the operator.
_MAY_ASK = ("kit/db", "migrations", "operations")


def test_only_the_database_layer_asks_for_a_cluster() -> None:
    asking = {
        file.relative_to(SOURCE).as_posix()
        for file in SOURCE.rglob("*.py")
        if re.search(r"\bis_distributed\b", file.read_text(encoding="utf-8"))
    }
    assert [name for name in sorted(asking) if not name.startswith(_MAY_ASK)] == []
