-- What is told: events, who wants to hear them, and one row per event and listener.
--
-- Events and deliveries are partitioned by their identifiers, which sort by time: a day is a range, a page is read from the
-- newest partition, and what is older than the retention goes by dropping a table. Partitions are made ahead by the
-- worker; the default one is a net for rows that come while no worker has run for long.

CREATE TABLE events (
    organization_id text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    type            text COLLATE "C" NOT NULL,
    created         bigint NOT NULL,
    about           text COLLATE "C" NOT NULL,
    attributes      jsonb NOT NULL,
    body            bytea NOT NULL,
    PRIMARY KEY (organization_id, id)
) PARTITION BY RANGE (id);

CREATE TABLE events_default PARTITION OF events DEFAULT;

CREATE INDEX events_by_type ON events (organization_id, type, id);

CREATE INDEX events_about ON events (organization_id, about, id);

-- `types` are exact: groups such as asset.* are spelled out when the webhook is written. Times of webhooks and deliveries are
-- Unix milliseconds: retries are counted in seconds, and claims in less.
CREATE TABLE webhooks (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    url             text NOT NULL,
    events          text[] NOT NULL,
    types           text[] NOT NULL,
    description     text,
    filter_mode     text,
    filter_criteria jsonb,
    status          text NOT NULL,
    disabled_reason text,
    secrets          bytea NOT NULL,
    secret_last_four text NOT NULL,
    created_at       bigint NOT NULL,
    updated_at       bigint NOT NULL,
    last_success_at  bigint,
    failing_since    bigint,
    failed_attempts  integer NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT webhooks_status CHECK (status IN ('active', 'paused', 'disabled')),
    CONSTRAINT webhooks_filter_mode CHECK (filter_mode IN ('include', 'exclude'))
);

CREATE TABLE deliveries (
    organization_id text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    webhook_id      text COLLATE "C" NOT NULL,
    event_id        text COLLATE "C" NOT NULL,
    status          text COLLATE "C" NOT NULL,
    reason          text,
    attempts        integer NOT NULL,
    due             bigint,
    lease_until     bigint,
    created         bigint NOT NULL,
    finished        bigint,
    PRIMARY KEY (organization_id, id)
) PARTITION BY RANGE (id);

CREATE TABLE deliveries_default PARTITION OF deliveries DEFAULT;

CREATE INDEX deliveries_by_webhook ON deliveries (organization_id, webhook_id, id);

CREATE INDEX deliveries_by_status ON deliveries (organization_id, webhook_id, status, id);

CREATE INDEX deliveries_due ON deliveries (organization_id, webhook_id, due) WHERE due IS NOT NULL;

CREATE INDEX deliveries_of_event ON deliveries (organization_id, event_id);
