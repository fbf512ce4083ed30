from steward.alert_rules.queries import load_rule_index
from steward.ingest.batch_writer import CONCURRENT_BATCHES, BatchWriter
from steward.ingest.jobs import apply_changes, run_rule_timers
from steward.ingest.rules import TimeWindow
from steward.ingest.store import RuleIndexes, Store
from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.partitions import DAY_SECONDS
from steward.kit.db.pool import Notify, Pool
from steward.kit.web.slice import Parts, Site, Slice, jobs_of
from steward.settings import Settings


def time_window(settings: Settings) -> TimeWindow:
    return TimeWindow(settings.telemetry_retention_days * DAY_SECONDS)


def new_batch_writer(
    settings: Settings,
    url: str,
    rule_indexes: RuleIndexes,
    notify: Notify,
    *,
    connection_class: type[DatabaseConnection] = DatabaseConnection,
    writer_class: type[BatchWriter] = BatchWriter,
) -> BatchWriter:
    pool = Pool(
        url,
        CONCURRENT_BATCHES,
        needs_session=settings.database_listen_url is None,
        notify=notify,
        name="readings",
        connection_class=connection_class,
    )
    return writer_class(pool, Store(rule_indexes).take, max_waiting=settings.telemetry_queue)


def batch_writer(
    parts: Parts,
    connection_class: type[DatabaseConnection] = DatabaseConnection,
    writer_class: type[BatchWriter] = BatchWriter,
) -> BatchWriter:
    return new_batch_writer(
        parts.settings,
        parts.url,
        parts.cache(load_rule_index),
        parts.notify,
        connection_class=connection_class,
        writer_class=writer_class,
    )


def site(parts: Parts) -> Site:
    from steward.ingest import api
    from steward.ingest.lorawan import api as lorawan

    writer, window = parts.once(batch_writer), time_window(parts.settings)
    return Site(routes=(*api.routes(writer, window), *lorawan.routes(writer, window)))


SLICE = Slice(
    name="ingest",
    site=site,
    jobs=jobs_of(("run_rule_timers", 1, run_rule_timers), ("apply_rule_changes", 1, apply_changes)),
)
