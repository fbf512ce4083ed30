"""A child for a supervisor: `child.py KIND FOLDER`. Notes its process number in FOLDER, then does as its kind."""

import http.server
import os
import signal
import sys
import threading
from pathlib import Path

from steward.supervisor.inherited_files import inherited_socket, notify_ready, watch_parent

kind, folder = sys.argv[1], Path(sys.argv[2])


class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/health/ready" else 404)
        self.end_headers()
        self.wfile.write(str(os.getpid()).encode())

    def log_message(self, *_: object) -> None:
        pass


class Server(http.server.HTTPServer):
    """Accepts on the inherited socket; on SIGTERM it answers what it has accepted, and leaves the rest in the queue."""

    def __init__(self) -> None:
        listener = inherited_socket(os.environ)
        assert listener is not None
        super().__init__(listener.getsockname(), Ready, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        for asked in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(asked, lambda *_: threading.Thread(target=self.shutdown).start())


if kind == "failing" or (kind == "once" and list(folder.glob("once-*"))):
    sys.exit(3)
if kind == "early":
    # Six times in vain, which is more than a child may die.
    (folder / f"tried-{os.getpid()}").touch()
    if len(list(folder.glob("tried-*"))) <= 6:
        sys.exit(os.EX_TEMPFAIL)
if kind == "stubborn":
    for asked in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(asked, signal.SIG_IGN)
watch_parent(os.environ, lambda: os.kill(os.getpid(), signal.SIGKILL))
server = Server() if kind == "api" else None
(folder / f"{kind}-{os.getpid()}").touch()
notify_ready(os.environ)
if server is not None:
    server.serve_forever()
else:
    signal.pause()
