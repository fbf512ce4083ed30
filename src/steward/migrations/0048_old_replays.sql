-- By this they are forgotten: whoever looks for old replays reads none that are to be kept.
CREATE INDEX webhook_replays_by_update ON webhook_replays (updated);
