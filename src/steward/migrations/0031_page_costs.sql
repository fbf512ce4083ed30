-- What pages look for costs what they show, however much there is beside it.

-- Orders that may soon be late: open, not on hold, not late yet.
CREATE INDEX work_orders_at_risk ON work_orders (organization_id, sla_resolution_deadline)
    WHERE status IN ('Open', 'InProgress') AND sla_resolution_breached_at IS NULL;
-- A column of the board, and the list of a status by when its orders are due.
CREATE INDEX work_orders_by_status_and_due ON work_orders (organization_id, status, (coalesce(sla_resolution_deadline, 9223372036854775807)), id);
-- What was closed last, and on which day.
CREATE INDEX work_orders_closed ON work_orders (organization_id, status, updated, id) INCLUDE (completed_at)
    WHERE status IN ('Completed', 'Cancelled');
