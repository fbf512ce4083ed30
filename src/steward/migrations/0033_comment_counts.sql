-- A work order counts its comments: one more is a change of the order.

ALTER TABLE work_orders ADD COLUMN comment_count integer NOT NULL DEFAULT 0;

UPDATE work_orders w SET comment_count = c.number
FROM (SELECT organization_id, work_order_id, count(*) AS number FROM work_order_comments GROUP BY organization_id, work_order_id) c
WHERE w.organization_id = c.organization_id AND w.id = c.work_order_id;
