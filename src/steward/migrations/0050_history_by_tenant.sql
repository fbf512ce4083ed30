-- The history carries its tenant, as everything else does: a number of four bytes, made from the organization's identifier
-- (the first 32 bits of its SHA-256), so that nothing has to be looked up for it. Two organizations may share one; a series
-- names one asset of one organization in any case. A reading's own time is counted from the hour of its arrival, which takes four
-- bytes instead of eight, so that a row is no longer than it was.

-- What arrives later for the same second wins value by value.
CREATE FUNCTION later_values(stored double precision[], arriving double precision[]) RETURNS double precision[]
    LANGUAGE sql IMMUTABLE
    RETURN ARRAY(SELECT coalesce(v.arriving, v.stored)
                 FROM unnest(stored, arriving) WITH ORDINALITY v (stored, arriving, n) ORDER BY v.n);

ALTER TABLE telemetry_recent RENAME TO telemetry_recent_before;
ALTER TABLE telemetry_recent_default RENAME TO telemetry_recent_before_default;

ALTER TABLE telemetry_hours RENAME TO telemetry_hours_before;
ALTER INDEX telemetry_hours_pkey RENAME TO telemetry_hours_before_pkey;
ALTER TABLE telemetry_hours_default RENAME TO telemetry_hours_before_default;

-- Readings as they arrive, cut by the hour of their arrival (counted from 1970); `second` is their own time, from the beginning
-- of that hour on, and less than nothing for what is older. A closed hour is folded into telemetry_hours as a whole and dropped.
-- The one index is in the order in which rows are read: those of a series stand together.
CREATE TABLE telemetry_recent (
    tenant  integer NOT NULL,
    series  integer NOT NULL,
    arrived integer NOT NULL,
    second  integer NOT NULL,
    vals    double precision[] NOT NULL,
    PRIMARY KEY (series, arrived, second, tenant)
) PARTITION BY RANGE (arrived);

CREATE TABLE telemetry_recent_default PARTITION OF telemetry_recent DEFAULT;

-- An hour of one series: seconds within the hour, and the values row by row.
CREATE TABLE telemetry_hours (
    tenant  integer NOT NULL,
    series  integer NOT NULL,
    hour    integer NOT NULL,
    arrived integer,
    times   smallint[] NOT NULL,
    vals    double precision[] NOT NULL,
    PRIMARY KEY (tenant, series, hour)
) PARTITION BY RANGE (hour);

CREATE TABLE telemetry_hours_default PARTITION OF telemetry_hours DEFAULT;

-- Partition by partition into one of the same name and bounds, so that no more than one of them is there twice at a time. What
-- belongs to no asset any more stays behind: nobody could ask for it.
DO $$
DECLARE
    part  record;
    again integer;
BEGIN
    CREATE TEMPORARY TABLE tenant_of ON COMMIT DROP AS
    SELECT series, ('x' || left(encode(sha256(convert_to(organization_id, 'UTF8')), 'hex'), 8))::bit(32)::integer AS tenant
    FROM assets WHERE series IS NOT NULL;
    CREATE UNIQUE INDEX ON tenant_of (series);
    ANALYZE tenant_of;

    FOR part IN
        SELECT c.relname AS name, p.relname AS parent, pg_get_expr(c.relpartbound, c.oid) AS bounds
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
        WHERE p.oid IN ('telemetry_hours_before'::regclass, 'telemetry_recent_before'::regclass)
        ORDER BY p.relname, pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT', c.relname
    LOOP
        EXECUTE format('ALTER TABLE %I RENAME TO old_partition', part.name);
        IF part.bounds <> 'DEFAULT' THEN
            EXECUTE format('CREATE TABLE %I PARTITION OF %I %s', part.name, replace(part.parent, '_before', ''), part.bounds);
        END IF;
        IF part.parent LIKE 'telemetry_hours%' THEN
            INSERT INTO telemetry_hours (tenant, series, hour, arrived, times, vals)
            SELECT t.tenant, o.series, o.hour, o.arrived, o.times, o.vals
            FROM old_partition o JOIN tenant_of t USING (series);
        ELSE
            -- What came several times for one second is written as often, in the order of its coming.
            FOR again IN 1 .. coalesce(
                (SELECT max(n) FROM (SELECT count(*) AS n FROM old_partition GROUP BY series, arrived, at) s), 0)
            LOOP
                INSERT INTO telemetry_recent AS r (tenant, series, arrived, second, vals)
                SELECT t.tenant, o.series, o.arrived, (o.at - o.arrived * 3600::bigint)::integer, o.vals
                FROM (SELECT p.*, row_number() OVER (PARTITION BY p.series, p.arrived, p.at ORDER BY p.ctid) AS version
                      FROM old_partition p) o
                JOIN tenant_of t USING (series)
                WHERE o.version = again
                ON CONFLICT (series, arrived, second, tenant) DO UPDATE SET vals = later_values(r.vals, excluded.vals);
            END LOOP;
        END IF;
        DROP TABLE old_partition;
    END LOOP;
END $$;

DROP TABLE telemetry_recent_before;
DROP TABLE telemetry_hours_before;
