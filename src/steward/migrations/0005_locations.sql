-- Where things are: a tree of places.

CREATE TABLE locations (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    name            text NOT NULL,
    description     text,
    parent_id       text COLLATE "C",
    type            text COLLATE "C" NOT NULL,
    code            text,
    address         jsonb,
    timezone        text,
    latitude        double precision,
    longitude       double precision,
    created         bigint NOT NULL,
    updated         bigint NOT NULL,
    search_text     text NOT NULL,
    search_grams    bigint[] NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT locations_parent FOREIGN KEY (organization_id, parent_id) REFERENCES locations (organization_id, id)
);

CREATE INDEX locations_by_parent ON locations (organization_id, parent_id, id);

CREATE INDEX locations_by_type ON locations (organization_id, type, id);

CREATE UNIQUE INDEX locations_code_unique ON locations (organization_id, code);

CREATE INDEX locations_by_updated ON locations (organization_id, updated);

CREATE INDEX locations_search ON locations USING gin (search_grams);
