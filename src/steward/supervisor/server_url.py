"""The URL of the embedded server."""

from pathlib import Path
from urllib.parse import quote, urlencode

from steward.supervisor.cluster import DATABASE, ROLE, find_location
from steward.supervisor.errors import UpError
from steward.supervisor.postgres_config import PORT
from steward.supervisor.postmaster import postmaster_of


def running_url(data_dir: Path) -> str | None:
    """The URL of the server that a Steward runs for this data directory; None if none is ready."""
    try:
        location = find_location(data_dir)
        running = postmaster_of(location.cluster) if location else None
    except (OSError, UpError):
        return None
    return (
        server_url(running.socket_folder) if running and running.is_ready and running.socket_folder else None
    )


def server_url(socket: Path) -> str:
    # With the port: a PGPORT in the environment would otherwise send the driver to another socket.
    query = urlencode({"host": str(socket), "port": PORT}, quote_via=quote)
    return f"postgresql://{ROLE}@/{DATABASE}?{query}"
