"""`hold_postgres.py DATA_DIR`: starts the embedded PostgreSQL of the data directory, says its URL, and holds it until killed.

With a second argument it gets no further than the making of the cluster: there it stays.
"""

import signal
import sys
import time
from pathlib import Path

from steward.supervisor.postgres import EmbeddedPostgres


def stay(_seconds: float) -> None:
    signal.pause()


pause = stay if len(sys.argv) > 2 else time.sleep
print(EmbeddedPostgres(Path(sys.argv[1]), pause=pause).start(), flush=True)
signal.pause()
