from steward.kit.db.table_kinds import TableKind
from steward.kit.jobs.runner import Job
from steward.kit.runtime import clock
from steward.kit.web.slice import JobParts, Slice, site_of
from steward.telemetry.jobs import keep_history


def jobs(parts: JobParts) -> list[Job]:
    days = parts.settings.telemetry_retention_days
    return [Job("fold_history", 300, lambda: keep_history(parts.url, clock.now(), days))]


SLICE = Slice(
    name="telemetry",
    tables=("telemetry_layouts",),
    other_tables={"telemetry_hours": TableKind.HISTORY, "telemetry_recent": TableKind.HISTORY},
    site=site_of("steward.telemetry.api", "steward.telemetry.raw.api"),
    jobs=jobs,
)
