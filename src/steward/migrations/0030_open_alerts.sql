-- What is open, worst first, as people look at it.

CREATE INDEX alerts_open_by_rank ON alerts
    (organization_id, ((CASE severity WHEN 'Critical' THEN 2 ELSE 0 END + CASE status WHEN 'Active' THEN 1 ELSE 0 END)::bigint), id)
    WHERE status <> 'Cleared';
