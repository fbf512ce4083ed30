"""A child for a supervisor: `child.py KIND FOLDER`. Notes its process number in FOLDER, then does as its kind."""

import http.server
import os
import signal
import sys
import threading
from pathlib import Path

from steward.supervisor.parent_watch import watch_parent

kind, folder = sys.argv[1], Path(sys.argv[2])


class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/health/ready" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def serve() -> None:
    address = (os.environ["STEWARD_HOST"], int(os.environ["STEWARD_PORT"]))
    server = http.server.HTTPServer(address, Ready)
    threading.Thread(target=server.serve_forever, daemon=True).start()


if kind == "failing":
    sys.exit(3)
if kind == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if kind == "api":
    serve()
watch_parent(os.environ, lambda: os.kill(os.getpid(), signal.SIGKILL))
(folder / f"{kind}-{os.getpid()}").touch()
signal.pause()
