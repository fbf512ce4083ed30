-- Bookings that repeat, and who comes to them. Each date of a series is a booking of its own; they share the name of the series.

ALTER TABLE bookings ADD COLUMN attendees jsonb NOT NULL DEFAULT '[]';
ALTER TABLE bookings ADD COLUMN series_id text COLLATE "C";
ALTER TABLE bookings ADD COLUMN recurrence text;

CREATE INDEX bookings_by_series ON bookings (organization_id, series_id, id) WHERE series_id IS NOT NULL;
