-- The change feed: events in an order that no later commit gets in front of.
--
-- An event's position is the number of the transaction that wrote it. Those below the oldest number that is still running
-- are complete: whatever comes later has a higher one. A database that was restored elsewhere counts from the beginning; the
-- two functions are then made anew with a shift, so that positions go on growing.

CREATE FUNCTION event_position() RETURNS bigint LANGUAGE sql STABLE
    RETURN pg_current_xact_id()::text::bigint + 0;

CREATE FUNCTION event_horizon() RETURNS bigint LANGUAGE sql STABLE
    RETURN pg_snapshot_xmin(pg_current_snapshot())::text::bigint + 0;

ALTER TABLE events ADD COLUMN position bigint NOT NULL DEFAULT event_position();

CREATE INDEX events_by_position ON events (organization_id, position, id);

-- The last position that a worker has seen: one beyond the present tells of a restored database.
CREATE TABLE event_positions (last bigint NOT NULL);

INSERT INTO event_positions (last) VALUES (0);
