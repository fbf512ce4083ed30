"""Starts the embedded PostgreSQL of the data directory given, says its URL, and holds it until killed."""

import signal
import sys
from pathlib import Path

from steward.supervisor.postgres import EmbeddedPostgres

print(EmbeddedPostgres(Path(sys.argv[1])).start(), flush=True)
signal.pause()
