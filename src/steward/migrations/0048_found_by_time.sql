-- What jobs find by its time, so that they read nothing else: replays that are old enough to be forgotten, and webhooks that were
-- written since a job last looked.
CREATE INDEX webhook_replays_by_update ON webhook_replays (updated);

CREATE INDEX webhooks_by_update ON webhooks (updated_at);
