-- A list of what one person reported, newest first, costs what its page holds.

CREATE INDEX work_orders_by_own_reporter ON work_orders (organization_id, reported_by, id);
DROP INDEX work_orders_by_reporter;
