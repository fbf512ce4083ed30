-- Work orders, numbered 1, 2, 3 … per organization.

CREATE TABLE counters (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    name            text COLLATE "C" NOT NULL,
    last            bigint NOT NULL,
    PRIMARY KEY (organization_id, name)
);

CREATE TABLE work_orders (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    number          bigint NOT NULL,
    title           text NOT NULL,
    description     text,
    status          text NOT NULL,
    priority        text NOT NULL,
    assignee_id     text COLLATE "C",
    reported_by     text COLLATE "C",
    created         bigint NOT NULL,
    updated         bigint NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT work_orders_number_unique UNIQUE (organization_id, number),
    CONSTRAINT work_orders_assignee FOREIGN KEY (organization_id, assignee_id)
        REFERENCES memberships (organization_id, user_id),
    CONSTRAINT work_orders_reporter FOREIGN KEY (organization_id, reported_by)
        REFERENCES memberships (organization_id, user_id)
);

CREATE INDEX work_orders_by_status ON work_orders (organization_id, status, id);
CREATE INDEX work_orders_by_assignee ON work_orders (organization_id, assignee_id, id);
CREATE INDEX work_orders_by_reporter ON work_orders (organization_id, reported_by);
