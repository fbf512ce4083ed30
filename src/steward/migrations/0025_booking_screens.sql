-- What the screens of bookings read, and the links of the tablets beside the doors.

CREATE INDEX bookings_in_order ON bookings (organization_id, start_time, id);
DROP INDEX bookings_by_start;

CREATE INDEX bookable_resources_by_name ON bookable_resources (organization_id, name, id) WHERE active;

CREATE TABLE resource_tablets (
    organization_id text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    resource_id     text COLLATE "C" NOT NULL,
    name            text NOT NULL,
    token_hash      bytea NOT NULL,
    created         bigint NOT NULL,
    last_used       bigint,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT resource_tablets_resource FOREIGN KEY (organization_id, resource_id)
        REFERENCES bookable_resources (organization_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX resource_tablets_token ON resource_tablets (organization_id, token_hash);

CREATE INDEX resource_tablets_by_resource ON resource_tablets (organization_id, resource_id, id);
