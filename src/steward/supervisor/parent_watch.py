"""The child's side of supervision: noticing that the supervisor is gone, however it went."""

import os
import threading
from collections.abc import Callable, Mapping

SUPERVISED = "STEWARD_SUPERVISED"


def watch_parent(environment: Mapping[str, str], on_orphaned: Callable[[], object]) -> None:
    """Calls `on_orphaned`, in a thread of its own, once the supervisor's end of our pipe closes.

    Does nothing for a process that no supervisor started.
    """
    if SUPERVISED not in environment:
        return
    descriptor = int(environment[SUPERVISED])
    os.set_inheritable(descriptor, False)

    def watch() -> None:
        # No process writes to it: the read ends when the last holder of the other end is gone.
        os.read(descriptor, 1)
        on_orphaned()

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()
