"""What the server ran, as its own log tells, between two marks."""

import itertools
import re
from collections.abc import Callable

from tests.faults.deployment import Deployment
from tests.support.databases import fetch

_marks = itertools.count(1)
# A statement's further lines begin with a tab.
_LINE = re.compile(r"\[(\d+)\] steward LOG:  (?:statement|execute [^:]*): (.*(?:\n\t.*)*)")
# What happens each second or two, whether or not somebody calls; what the driver asks about types on a new connection and
# what we set on it, which may be made at any time; and our marks.
_BESIDE = re.compile(
    r"INSERT INTO processes|pg_notify|api_key_usage|UPDATE rate_windows|^SELECT 1$|LISTEN"
    r"|pg_catalog\.pg_type|typeinfo_tree|pg_dist_partition|set_config\("
    r"|^SELECT '"
)


class Statement(tuple[int, str]):
    """The backend that ran it, and its text."""

    __slots__ = ()

    @property
    def text(self) -> str:
        return self[1]


def statements_of(deployment: Deployment, act: Callable[[], object]) -> list[Statement]:
    """What API processes ran for `act`, the work that they do beside requests left out."""
    mark = f"mark {next(_marks)}"
    fetch(deployment.database_url, f"SELECT '{mark} begins'")
    act()
    fetch(deployment.database_url, f"SELECT '{mark} ends'")
    log = deployment.server_log()
    between = log[log.rindex(f"{mark} begins") : log.rindex(f"{mark} ends")]
    found = [Statement((int(pid), " ".join(text.split()))) for pid, text in _LINE.findall(between)]
    return [statement for statement in found if not _BESIDE.search(statement.text)]


def transactions(statements: list[Statement]) -> int:
    """BEGIN … COMMIT is one; a statement outside of it is one by itself."""
    count, within = 0, set()
    for pid, text in statements:
        if text.startswith("BEGIN"):
            count += 1
            within.add(pid)
        elif text.startswith(("COMMIT", "ROLLBACK")):
            within.discard(pid)
        elif pid not in within:
            count += 1
    return count


def is_allowance(statement: Statement) -> bool:
    return "rate_windows" in statement.text
