-- The trace in which an event came about, as W3C's `traceparent` writes it: its deliveries go on with it. Null where nothing is
-- traced.
ALTER TABLE events ADD COLUMN trace text COLLATE "C";
