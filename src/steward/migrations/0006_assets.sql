-- What there is: assets, and the types that say what their devices measure.

CREATE TABLE asset_types (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    name            text NOT NULL,
    description     text,
    is_iot_device   boolean NOT NULL,
    keep_alive      integer NOT NULL,
    properties      jsonb NOT NULL,
    created         bigint NOT NULL,
    updated         bigint NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT asset_types_keep_alive CHECK (keep_alive >= 1)
);

CREATE UNIQUE INDEX asset_types_name_unique ON asset_types (organization_id, name);

-- Every reading writes last_telemetry and last_seen, so no index may hold them: the update then stays within its page,
-- which has room for it, and touches no index at all. `updated` is the time of the last change that a person made.
-- keep_alive is null where the type's holds.
CREATE TABLE assets (
    organization_id   text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id                text COLLATE "C" NOT NULL,
    name              text NOT NULL,
    description       text,
    external_id       text COLLATE "C",
    asset_type_id     text COLLATE "C" NOT NULL,
    location_id       text COLLATE "C",
    status            text COLLATE "C" NOT NULL,
    connection_status boolean,
    metadata          jsonb NOT NULL,
    last_telemetry    jsonb,
    last_seen         bigint,
    keep_alive        integer,
    created           bigint NOT NULL,
    updated           bigint NOT NULL,
    search_text       text NOT NULL,
    search_grams      bigint[] NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT assets_status CHECK (status IN ('Online', 'Normal', 'Warning', 'Critical')),
    CONSTRAINT assets_keep_alive CHECK (keep_alive >= 1),
    CONSTRAINT assets_type FOREIGN KEY (organization_id, asset_type_id) REFERENCES asset_types (organization_id, id),
    CONSTRAINT assets_location FOREIGN KEY (organization_id, location_id) REFERENCES locations (organization_id, id)
) WITH (fillfactor = 85);

CREATE UNIQUE INDEX assets_external_id_unique ON assets (organization_id, external_id);

CREATE INDEX assets_by_type ON assets (organization_id, asset_type_id, id);

CREATE INDEX assets_by_location ON assets (organization_id, location_id, id);

CREATE INDEX assets_by_status ON assets (organization_id, status, id);

CREATE INDEX assets_by_connection ON assets (organization_id, connection_status, id);

CREATE INDEX assets_by_updated ON assets (organization_id, updated);

CREATE INDEX assets_search ON assets USING gin (search_grams);
