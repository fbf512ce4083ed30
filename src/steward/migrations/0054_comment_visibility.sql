-- A comment is for the team, or for the reporter of the order, too. Until now reporters saw all comments on their orders. They still see
-- their own, and what came after their first one, since it may answer them. Comments before that are the team's.

ALTER TABLE work_order_comments ADD COLUMN visibility text COLLATE "C" NOT NULL DEFAULT 'team';
ALTER TABLE work_order_comments ADD CONSTRAINT comments_visibility CHECK (visibility IN ('team', 'reporter'));
ALTER TABLE work_orders ADD COLUMN reporter_comment_count integer NOT NULL DEFAULT 0;

UPDATE work_order_comments c SET visibility = 'reporter'
FROM (SELECT w.organization_id, w.id, min(said.id) AS first
      FROM work_orders w
      JOIN work_order_comments said
          ON said.organization_id = w.organization_id AND said.work_order_id = w.id AND said.created_by = w.reported_by
      GROUP BY w.organization_id, w.id) conversation
WHERE c.organization_id = conversation.organization_id AND c.work_order_id = conversation.id AND c.id >= conversation.first;

UPDATE work_orders w SET reporter_comment_count = c.number
FROM (SELECT organization_id, work_order_id, count(*) AS number FROM work_order_comments
      WHERE visibility = 'reporter' GROUP BY organization_id, work_order_id) c
WHERE w.organization_id = c.organization_id AND w.id = c.work_order_id;

CREATE INDEX comments_by_visibility ON work_order_comments (organization_id, work_order_id, visibility, id);
