-- Lists in other orders than that in which their records were made.

CREATE INDEX work_orders_by_due ON work_orders (organization_id, (coalesce(sla_resolution_deadline, 9223372036854775807)), id);
CREATE INDEX work_orders_by_rank ON work_orders (organization_id, ((CASE priority WHEN 'Critical' THEN 4 WHEN 'High' THEN 3 WHEN 'Medium' THEN 2 ELSE 1 END)::bigint), id);
CREATE INDEX work_orders_by_change ON work_orders (organization_id, updated, id);
DROP INDEX work_orders_by_updated;
-- What is assigned to somebody and not done yet, by when it is due; and what is open at all.
CREATE INDEX work_orders_open_by_due ON work_orders (organization_id, (coalesce(sla_resolution_deadline, 9223372036854775807)), id)
    WHERE status IN ('Open', 'InProgress', 'OnHold');
CREATE INDEX work_orders_overdue ON work_orders (organization_id, id)
    WHERE sla_resolution_breached_at IS NOT NULL AND status IN ('Open', 'InProgress', 'OnHold');
CREATE INDEX work_orders_completed ON work_orders (organization_id, completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX work_orders_open_by_assignee ON work_orders (organization_id, assignee_id, (coalesce(sla_resolution_deadline, 9223372036854775807)), id)
    WHERE status IN ('Open', 'InProgress', 'OnHold');
-- Open alerts, the worst first.
CREATE INDEX alerts_open ON alerts (organization_id, severity, id DESC) WHERE status <> 'Cleared';
CREATE INDEX visitors_on_site ON visitors (organization_id, checked_in_at) WHERE status = 'CheckedIn';
