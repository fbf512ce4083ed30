-- Who comes to visit. What makes a visitor a person (name, e-mail, company) can be erased; the visit stays.

CREATE TABLE visitors (
    organization_id  text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id               text COLLATE "C" NOT NULL,
    name             text,
    email            text,
    company          text,
    host_id          text COLLATE "C",
    location_id      text COLLATE "C",
    expected_arrival bigint,
    status           text COLLATE "C" NOT NULL,
    checked_in_at    bigint,
    checked_out_at   bigint,
    erased_at        bigint,
    created          bigint NOT NULL,
    search_text      text NOT NULL,
    search_grams     bigint[] NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT visitors_status CHECK (status IN ('Registered', 'CheckedIn', 'CheckedOut', 'Cancelled')),
    CONSTRAINT visitors_erased CHECK (erased_at IS NULL
        OR (name IS NULL AND email IS NULL AND company IS NULL AND search_text = '' AND search_grams = '{}')),
    CONSTRAINT visitors_host FOREIGN KEY (organization_id, host_id)
        REFERENCES memberships (organization_id, user_id),
    CONSTRAINT visitors_location FOREIGN KEY (organization_id, location_id)
        REFERENCES locations (organization_id, id)
);

CREATE INDEX visitors_by_status ON visitors (organization_id, status, id);

CREATE INDEX visitors_by_host ON visitors (organization_id, host_id, id);

CREATE INDEX visitors_by_location ON visitors (organization_id, location_id, id);

CREATE INDEX visitors_by_expected ON visitors (organization_id, expected_arrival, id);

CREATE INDEX visitors_search ON visitors USING gin (search_grams);

-- Only what still has to be erased is in it, by the time of the visit: the clock touches nothing else.
CREATE INDEX visitors_to_erase ON visitors (coalesce(checked_out_at, checked_in_at, expected_arrival, created))
    WHERE erased_at IS NULL;
