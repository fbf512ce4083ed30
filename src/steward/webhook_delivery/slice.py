from steward.kit.jobs.runner import Job
from steward.kit.web.slice import JobParts, Slice
from steward.webhook_delivery.jobs import OVERDUE_CHECK_SECONDS, OverdueCheck, reconcile


def jobs(parts: JobParts) -> list[Job]:
    first_wait_ms = int(parts.settings.webhook_retry_schedule[0] * 1000)
    overdue = OverdueCheck(lambda: parts.heartbeat.process, first_wait_ms=first_wait_ms)
    return [
        Job("check_overdue_deliveries", OVERDUE_CHECK_SECONDS, lambda: overdue.run(parts.db)),
        Job("reconcile_deliveries", 60, lambda: reconcile(parts.db)),
    ]


SLICE = Slice(name="webhook_delivery", jobs=jobs)
