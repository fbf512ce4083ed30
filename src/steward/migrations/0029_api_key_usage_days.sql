-- What each API key did on each day (UTC), for a chart. Counted from now on; the totals of before stay where they are.

CREATE TABLE api_key_usage_days (
    organization_id  text COLLATE "C" NOT NULL REFERENCES organizations (id),
    key_id           text COLLATE "C" NOT NULL,
    -- Days since 1970.
    day              bigint NOT NULL,
    total_calls      bigint NOT NULL,
    successful_calls bigint NOT NULL,
    PRIMARY KEY (organization_id, key_id, day)
);

CREATE INDEX api_key_usage_days_by_day ON api_key_usage_days (day);
