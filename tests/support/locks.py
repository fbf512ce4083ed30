"""Who waits for a lock: on one server, or on any node of a Citus cluster."""

import asyncpg

_IN_CLUSTER = "SELECT to_regclass('pg_dist_node') IS NOT NULL"
_WAITING = """SELECT pid FROM pg_stat_activity
              WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1"""
# The coordinator's backend waits for a worker's, which has its number, and that one for the lock.
_WAITING_IN_CLUSTER = """SELECT DISTINCT asked.global_pid
                         FROM citus_stat_activity asked JOIN citus_stat_activity waiting USING (global_pid)
                         WHERE asked.datname = current_database() AND NOT asked.is_worker_query
                               AND asked.query LIKE $1 AND waiting.wait_event_type = 'Lock'"""


async def waiting_backends(url: str, query: str) -> list[int]:
    """Those whose statement is like `query`."""
    connection = await asyncpg.connect(url)
    try:
        in_cluster = await connection.fetchval(_IN_CLUSTER)
        rows = await connection.fetch(_WAITING_IN_CLUSTER if in_cluster else _WAITING, query)
    finally:
        await connection.close()
    return [row[0] for row in rows]


async def end_backends(url: str, backends: list[int]) -> None:
    connection = await asyncpg.connect(url)
    try:
        in_cluster = await connection.fetchval(_IN_CLUSTER)
        for backend in backends:
            # Citus knows its backends by numbers that are longer.
            kind = "bigint" if in_cluster else "integer"
            await connection.execute(f"SELECT pg_terminate_backend({backend}::{kind})")
    finally:
        await connection.close()
