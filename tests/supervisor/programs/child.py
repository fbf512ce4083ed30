"""A child for a supervisor: `child.py KIND FOLDER`. Notes its process number in FOLDER, then does as its kind."""

import http.server
import os
import signal
import sys
import threading
from pathlib import Path

from steward.supervisor.inherited import inherited_socket, say_ready
from steward.supervisor.parent_watch import watch_parent

kind, folder = sys.argv[1], Path(sys.argv[2])


class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/health/ready" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def serve() -> None:
    listener = inherited_socket(os.environ)
    assert listener is not None
    server = http.server.HTTPServer(listener.getsockname(), Ready, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    threading.Thread(target=server.serve_forever, daemon=True).start()


if kind == "failing":
    sys.exit(3)
if kind == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if kind == "api":
    serve()
watch_parent(os.environ, lambda: os.kill(os.getpid(), signal.SIGKILL))
(folder / f"{kind}-{os.getpid()}").touch()
say_ready(os.environ)
signal.pause()
