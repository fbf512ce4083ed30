-- What can be booked, its bookings, and the secret links to its calendars.

CREATE TABLE bookable_resources (
    organization_id       text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id                    text COLLATE "C" NOT NULL,
    name                  text NOT NULL,
    type                  text COLLATE "C" NOT NULL,
    location_id           text COLLATE "C",
    capacity              integer,
    buffer_minutes        integer NOT NULL,
    check_in_required     boolean NOT NULL,
    release_after_minutes integer NOT NULL,
    active                boolean NOT NULL,
    created               bigint NOT NULL,
    updated               bigint NOT NULL,
    search_text           text NOT NULL,
    search_grams          bigint[] NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT bookable_resources_location FOREIGN KEY (organization_id, location_id)
        REFERENCES locations (organization_id, id)
);

CREATE INDEX bookable_resources_by_type ON bookable_resources (organization_id, type, id);

CREATE INDEX bookable_resources_by_location ON bookable_resources (organization_id, location_id, id);

CREATE INDEX bookable_resources_by_active ON bookable_resources (organization_id, active, id);

CREATE INDEX bookable_resources_by_updated ON bookable_resources (organization_id, updated);

CREATE INDEX bookable_resources_search ON bookable_resources USING gin (search_grams);

-- Two bookings of one resource that are Confirmed or CheckedIn never overlap. No constraint says so, since that would
-- need an extension: whoever writes the times of a booking first locks the row of its resource.
CREATE TABLE bookings (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    title           text,
    resource_id     text COLLATE "C" NOT NULL,
    resource_name   text NOT NULL,
    location_id     text COLLATE "C",
    booked_by       text COLLATE "C",
    start_time      bigint NOT NULL,
    end_time        bigint NOT NULL,
    status          text COLLATE "C" NOT NULL,
    cancelled_by    text COLLATE "C",
    cancelled_at    bigint,
    checked_in_at   bigint,
    release_at      bigint,
    created         bigint NOT NULL,
    updated         bigint NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT bookings_resource FOREIGN KEY (organization_id, resource_id)
        REFERENCES bookable_resources (organization_id, id),
    CONSTRAINT bookings_location FOREIGN KEY (organization_id, location_id)
        REFERENCES locations (organization_id, id),
    CONSTRAINT bookings_booker FOREIGN KEY (organization_id, booked_by)
        REFERENCES memberships (organization_id, user_id),
    CONSTRAINT bookings_canceller FOREIGN KEY (organization_id, cancelled_by)
        REFERENCES memberships (organization_id, user_id),
    CONSTRAINT bookings_times CHECK (start_time < end_time)
);

CREATE INDEX bookings_by_resource ON bookings (organization_id, resource_id, id);

CREATE INDEX bookings_by_location ON bookings (organization_id, location_id, id);

CREATE INDEX bookings_by_booker ON bookings (organization_id, booked_by, id);

CREATE INDEX bookings_by_canceller ON bookings (organization_id, cancelled_by);

CREATE INDEX bookings_by_status ON bookings (organization_id, status, id);

CREATE INDEX bookings_by_start ON bookings (organization_id, start_time);

CREATE INDEX bookings_by_end ON bookings (organization_id, end_time);

CREATE INDEX bookings_by_updated ON bookings (organization_id, updated);

-- What a new booking may clash with. What doesn't overlap ends in the order in which it begins, so the first that ends
-- after a moment is the one to look at, and those behind it are what follows.
CREATE INDEX bookings_taken ON bookings (organization_id, resource_id, end_time)
    WHERE status IN ('Confirmed', 'CheckedIn');

-- Only what still waits for somebody to check in is in this: the clock that looks for no-shows touches nothing else.
CREATE INDEX bookings_release ON bookings (release_at, organization_id) WHERE release_at IS NOT NULL;

CREATE TABLE calendar_links (
    organization_id text COLLATE "C" NOT NULL,
    resource_id     text COLLATE "C" NOT NULL,
    token_hash      bytea NOT NULL,
    created         bigint NOT NULL,
    PRIMARY KEY (organization_id, resource_id),
    CONSTRAINT calendar_links_resource FOREIGN KEY (organization_id, resource_id)
        REFERENCES bookable_resources (organization_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX calendar_links_token ON calendar_links (organization_id, token_hash);
