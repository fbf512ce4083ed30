-- How deliveries went: every attempt with what came back, and replays that are under way.

CREATE TABLE delivery_attempts (
    organization_id text COLLATE "C" NOT NULL,
    delivery_id     text COLLATE "C" NOT NULL,
    number          integer NOT NULL,
    started         bigint NOT NULL,
    duration_ms     integer NOT NULL,
    status_code     integer,
    error           text COLLATE "C",
    response        bytea,
    PRIMARY KEY (organization_id, delivery_id, number)
) PARTITION BY RANGE (delivery_id);

CREATE TABLE delivery_attempts_default PARTITION OF delivery_attempts DEFAULT;

CREATE TABLE webhook_replays (
    organization_id text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    webhook_id      text COLLATE "C" NOT NULL,
    since           bigint NOT NULL,
    until           bigint NOT NULL,
    types           text[],
    selection       text COLLATE "C" NOT NULL,
    status          text COLLATE "C" NOT NULL,
    last_event_id   text COLLATE "C",
    queued          integer NOT NULL,
    created         bigint NOT NULL,
    updated         bigint NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT webhook_replays_webhook FOREIGN KEY (organization_id, webhook_id)
        REFERENCES webhooks (organization_id, id) ON DELETE CASCADE,
    CONSTRAINT webhook_replays_selection CHECK (selection IN ('failed', 'skipped', 'all')),
    CONSTRAINT webhook_replays_status CHECK (status IN ('running', 'completed', 'cancelled'))
);

CREATE INDEX webhook_replays_by_webhook ON webhook_replays (organization_id, webhook_id, id);

CREATE INDEX webhook_replays_running ON webhook_replays (organization_id, id) WHERE status = 'running';
