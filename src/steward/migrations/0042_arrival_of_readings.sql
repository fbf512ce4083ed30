-- The last hour in which something arrived for this hour of a series: copies of the history find by it what has come since
-- they were made. Null for what was folded before this column was there: that came in its own time.
ALTER TABLE telemetry_hours ADD COLUMN arrived integer;
