-- Work orders in full: where and about what, how far they are, and by when they are due.

ALTER TABLE work_orders ADD COLUMN location_id text COLLATE "C";
ALTER TABLE work_orders ADD COLUMN asset_id text COLLATE "C";
ALTER TABLE work_orders ADD COLUMN checklist jsonb NOT NULL DEFAULT '[]';
ALTER TABLE work_orders ADD COLUMN hold_reason text;
ALTER TABLE work_orders ADD COLUMN cancel_reason text;
ALTER TABLE work_orders ADD COLUMN responded_at bigint;
ALTER TABLE work_orders ADD COLUMN completed_at bigint;
ALTER TABLE work_orders ADD COLUMN completed_by text COLLATE "C";
ALTER TABLE work_orders ADD COLUMN sla_response_deadline bigint;
ALTER TABLE work_orders ADD COLUMN sla_resolution_deadline bigint;
ALTER TABLE work_orders ADD COLUMN sla_response_breached_at bigint;
ALTER TABLE work_orders ADD COLUMN sla_resolution_breached_at bigint;
ALTER TABLE work_orders ADD COLUMN sla_paused_since bigint;
ALTER TABLE work_orders ADD COLUMN sla_paused_seconds bigint NOT NULL DEFAULT 0;
ALTER TABLE work_orders ADD COLUMN search_text text NOT NULL DEFAULT '';
ALTER TABLE work_orders ADD COLUMN search_grams bigint[] NOT NULL DEFAULT '{}';

ALTER TABLE work_orders ADD CONSTRAINT work_orders_location FOREIGN KEY (organization_id, location_id) REFERENCES locations (organization_id, id);
ALTER TABLE work_orders ADD CONSTRAINT work_orders_completer FOREIGN KEY (organization_id, completed_by) REFERENCES memberships (organization_id, user_id);

CREATE INDEX work_orders_by_location ON work_orders (organization_id, location_id, id);
CREATE INDEX work_orders_by_asset ON work_orders (organization_id, asset_id, id);
CREATE INDEX work_orders_by_priority ON work_orders (organization_id, priority, id);
CREATE INDEX work_orders_by_completer ON work_orders (organization_id, completed_by);
CREATE INDEX work_orders_by_updated ON work_orders (organization_id, updated);
CREATE INDEX work_orders_search ON work_orders USING gin (search_grams);

-- Only what can still miss a deadline is in these: the clock that looks for breaches touches nothing else.
CREATE INDEX work_orders_response_due ON work_orders (sla_response_deadline)
    WHERE status = 'Open' AND sla_response_breached_at IS NULL;
CREATE INDEX work_orders_resolution_due ON work_orders (sla_resolution_deadline)
    WHERE status IN ('Open', 'InProgress') AND sla_resolution_breached_at IS NULL;

CREATE TABLE work_order_comments (
    organization_id text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    work_order_id   text COLLATE "C" NOT NULL,
    text            text NOT NULL,
    created_by      text COLLATE "C",
    created         bigint NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT comments_work_order FOREIGN KEY (organization_id, work_order_id)
        REFERENCES work_orders (organization_id, id) ON DELETE CASCADE,
    CONSTRAINT comments_author FOREIGN KEY (organization_id, created_by)
        REFERENCES memberships (organization_id, user_id)
);

CREATE INDEX comments_by_work_order ON work_order_comments (organization_id, work_order_id, id);
CREATE INDEX comments_by_author ON work_order_comments (organization_id, created_by);

CREATE TABLE sla_policies (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    policy          jsonb NOT NULL,
    updated         bigint NOT NULL,
    PRIMARY KEY (organization_id)
);
