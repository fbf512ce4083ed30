"""How the embedded PostgreSQL is set up, as data."""

from collections.abc import Mapping
from types import MappingProxyType

PORT = 5432  # names the socket; nothing listens on the network

# For a machine of two cores and a few hundred MB to spare.
POSTGRES_CONFIG: Mapping[str, str] = MappingProxyType(
    {
        "cluster_name": "steward",
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_permissions": "0700",
        "max_connections": "200",
        "shared_buffers": "256MB",
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "wal_compression": "pglz",
        "max_wal_size": "2GB",
        "checkpoint_timeout": "15min",
        "jit": "off",  # our queries are short; compiling one costs more than running it
        "io_method": "sync",  # saves three processes that would wait for reads we rarely make
        "max_logical_replication_workers": "0",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_line_prefix": "%m [%p] ",
        "log_checkpoints": "off",
        "logging_collector": "off",
    }
)
