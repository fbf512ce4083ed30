-- What work costs: schedules of rates with their items, and quotations made from them. Money is integer cents.

CREATE TABLE sor_schedules (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    name            text NOT NULL,
    description     text,
    status          text COLLATE "C" NOT NULL,
    effective_from  bigint,
    effective_to    bigint,
    item_count      bigint NOT NULL,
    -- Who did it is a fact about the past: it comes from the caller, and outlives a person's membership.
    published_by    text COLLATE "C",
    published_at    bigint,
    created         bigint NOT NULL,
    updated         bigint NOT NULL,
    search_text     text NOT NULL,
    search_grams    bigint[] NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT sor_schedules_status CHECK (status IN ('Draft', 'Published'))
);

CREATE INDEX sor_schedules_by_status ON sor_schedules (organization_id, status, id);

-- Rates expire and stay: of all that were ever in effect, those that end after a given second are few.
CREATE INDEX sor_schedules_by_end ON sor_schedules (organization_id, effective_to, id);

CREATE INDEX sor_schedules_by_updated ON sor_schedules (organization_id, updated, id);

CREATE INDEX sor_schedules_search ON sor_schedules USING gin (search_grams);

CREATE TABLE sor_items (
    organization_id text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    schedule_id     text COLLATE "C" NOT NULL,
    code            text NOT NULL,
    description     text NOT NULL,
    unit            text NOT NULL,
    rate_cents      bigint NOT NULL,
    created         bigint NOT NULL,
    updated         bigint NOT NULL,
    search_text     text NOT NULL,
    search_grams    bigint[] NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT sor_items_schedule FOREIGN KEY (organization_id, schedule_id)
        REFERENCES sor_schedules (organization_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX sor_items_code_unique ON sor_items (organization_id, schedule_id, code);

CREATE INDEX sor_items_by_schedule ON sor_items (organization_id, schedule_id, id);

CREATE INDEX sor_items_search ON sor_items USING gin (search_grams);

-- Line items are copies, made when they are written: what was quoted does not change with anything else.
CREATE TABLE sor_quotations (
    organization_id    text COLLATE "C" NOT NULL,
    id                 text COLLATE "C" NOT NULL,
    schedule_id        text COLLATE "C" NOT NULL,
    work_order_id      text COLLATE "C",
    status             text COLLATE "C" NOT NULL,
    total_amount_cents bigint NOT NULL,
    line_item_count    bigint NOT NULL,
    line_items         jsonb NOT NULL,
    submitted_by       text COLLATE "C",
    submitted_at       bigint,
    approved_by        text COLLATE "C",
    approved_at        bigint,
    rejected_by        text COLLATE "C",
    rejected_at        bigint,
    rejected_reason    text,
    created            bigint NOT NULL,
    updated            bigint NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT sor_quotations_status CHECK (status IN ('Draft', 'Submitted', 'Approved')),
    CONSTRAINT sor_quotations_schedule FOREIGN KEY (organization_id, schedule_id)
        REFERENCES sor_schedules (organization_id, id),
    CONSTRAINT sor_quotations_work_order FOREIGN KEY (organization_id, work_order_id)
        REFERENCES work_orders (organization_id, id)
);

CREATE INDEX sor_quotations_by_status ON sor_quotations (organization_id, status, id);

CREATE INDEX sor_quotations_by_schedule ON sor_quotations (organization_id, schedule_id, id);

CREATE INDEX sor_quotations_by_work_order ON sor_quotations (organization_id, work_order_id, id);

CREATE INDEX sor_quotations_by_updated ON sor_quotations (organization_id, updated, id);
