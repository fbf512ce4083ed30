-- What readings mean: rules over them, and the alerts that are open or were.

CREATE TABLE alert_rules (
    organization_id   text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id                text COLLATE "C" NOT NULL,
    name              text NOT NULL,
    asset_type_id     text COLLATE "C",
    asset_id          text COLLATE "C",
    severity          text COLLATE "C" NOT NULL,
    match             text COLLATE "C" NOT NULL,
    conditions        jsonb NOT NULL,
    for_seconds       integer NOT NULL,
    clear_for_seconds integer NOT NULL,
    hysteresis        double precision NOT NULL,
    no_data_seconds   integer,
    enabled           boolean NOT NULL,
    work_order        jsonb,
    created           bigint NOT NULL,
    updated           bigint NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT alert_rules_scope CHECK ((asset_type_id IS NULL) <> (asset_id IS NULL)),
    CONSTRAINT alert_rules_severity CHECK (severity IN ('Warning', 'Critical')),
    CONSTRAINT alert_rules_match CHECK (match IN ('all', 'any')),
    CONSTRAINT alert_rules_type FOREIGN KEY (organization_id, asset_type_id) REFERENCES asset_types (organization_id, id),
    CONSTRAINT alert_rules_asset FOREIGN KEY (organization_id, asset_id) REFERENCES assets (organization_id, id)
);

CREATE INDEX alert_rules_by_type ON alert_rules (organization_id, asset_type_id, id) WHERE asset_type_id IS NOT NULL;

CREATE INDEX alert_rules_by_asset ON alert_rules (organization_id, asset_id, id) WHERE asset_id IS NOT NULL;

-- An alert outlives its rule, but not its asset. `wants` is the work order that it is to open; null once that is done.
CREATE TABLE alerts (
    organization_id text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    asset_id        text COLLATE "C" NOT NULL,
    rule_id         text COLLATE "C" NOT NULL,
    severity        text COLLATE "C" NOT NULL,
    status          text COLLATE "C" NOT NULL,
    first_seen      bigint NOT NULL,
    last_seen       bigint NOT NULL,
    count           integer NOT NULL,
    work_order_id   text COLLATE "C",
    acknowledged_by text COLLATE "C",
    acknowledged_at bigint,
    cleared_at      bigint,
    wants           jsonb,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT alerts_status CHECK (status IN ('Active', 'Acknowledged', 'Cleared')),
    CONSTRAINT alerts_asset FOREIGN KEY (organization_id, asset_id) REFERENCES assets (organization_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX alerts_one_open ON alerts (organization_id, asset_id, rule_id) WHERE status <> 'Cleared';

CREATE INDEX alerts_by_status ON alerts (organization_id, status, id);

CREATE INDEX alerts_by_severity ON alerts (organization_id, severity, id);

CREATE INDEX alerts_by_asset ON alerts (organization_id, asset_id, id);

CREATE INDEX alerts_by_rule ON alerts (organization_id, rule_id, id);

CREATE INDEX alerts_wanting_work ON alerts (organization_id, id) WHERE wants IS NOT NULL;

-- A change of rules that has yet to be applied to assets that stand still; `after_asset` is how far it has come. It begins
-- when every process has heard of the change, or at `due` if whoever made it has died meanwhile.
CREATE TABLE alert_rule_changes (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    asset_type_id   text COLLATE "C",
    asset_id        text COLLATE "C",
    after_asset     text COLLATE "C" NOT NULL,
    due             bigint NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE INDEX alert_rule_changes_by_due ON alert_rule_changes (due);
