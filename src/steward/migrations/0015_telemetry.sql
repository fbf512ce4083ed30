-- What devices report: the newest reading stands in the asset, every reading stands in the history.

-- A number names one asset's readings in the history: four bytes instead of two identifiers in every row.
CREATE SEQUENCE telemetry_series_numbers AS integer;

ALTER TABLE assets ADD COLUMN series integer;

-- When the connectivity check has to look at this asset next; null where nothing can have changed. Readings leave it alone
-- while the asset counts as connected, so that their update touches no index.
ALTER TABLE assets ADD COLUMN connectivity_due bigint;

-- How the asset stands with each of its alert rules that isn't at rest, and when the earliest of their timers runs out. A
-- timer that turns out to have been put off by a reading is moved when it runs out, not by the reading.
ALTER TABLE assets ADD COLUMN rules_state jsonb;

ALTER TABLE assets ADD COLUMN rules_due bigint;

CREATE INDEX assets_by_connectivity_due ON assets (connectivity_due) WHERE connectivity_due IS NOT NULL;

CREATE INDEX assets_by_rules_due ON assets (rules_due) WHERE rules_due IS NOT NULL;

-- Which value stands where in the arrays of a series. Keys are only ever appended, so that what is stored keeps its meaning.
CREATE TABLE telemetry_series (
    organization_id text COLLATE "C" NOT NULL,
    asset_id        text COLLATE "C" NOT NULL,
    series          integer NOT NULL,
    keys            text[] NOT NULL,
    PRIMARY KEY (organization_id, asset_id),
    CONSTRAINT telemetry_series_asset FOREIGN KEY (organization_id, asset_id) REFERENCES assets (organization_id, id) ON DELETE CASCADE
);

-- Readings as they arrive, cut by the hour of their arrival (counted from 1970). A closed hour is folded into
-- telemetry_hours as a whole and dropped, so that nothing is ever deleted row by row. A reading that came twice stands here
-- twice; folding and reading count it once.
CREATE TABLE telemetry_recent (
    series  integer NOT NULL,
    arrived integer NOT NULL,
    at      bigint NOT NULL,
    vals    double precision[] NOT NULL
) PARTITION BY RANGE (arrived);

CREATE INDEX telemetry_recent_by_series ON telemetry_recent (series);

CREATE TABLE telemetry_recent_default PARTITION OF telemetry_recent DEFAULT;

-- An hour of one series: seconds within the hour, and the values row by row.
CREATE TABLE telemetry_hours (
    series integer NOT NULL,
    hour   integer NOT NULL,
    times  smallint[] NOT NULL,
    vals   double precision[] NOT NULL,
    PRIMARY KEY (series, hour)
) PARTITION BY RANGE (hour);

CREATE TABLE telemetry_hours_default PARTITION OF telemetry_hours DEFAULT;

-- What one worker at a time does, and when it is to be done next.
CREATE TABLE duties (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    due  bigint NOT NULL
);
