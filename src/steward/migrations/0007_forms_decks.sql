-- What is asked and shown: forms in versions with what people answered, and decks.

CREATE TABLE forms (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    name            text NOT NULL,
    description     text,
    status          text COLLATE "C" NOT NULL,
    version         integer NOT NULL,
    fields          jsonb NOT NULL,
    created         bigint NOT NULL,
    updated         bigint NOT NULL,
    search_text     text NOT NULL,
    search_grams    bigint[] NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT forms_status CHECK (status IN ('Draft', 'Published', 'Archived'))
);

CREATE INDEX forms_by_status ON forms (organization_id, status, id);

CREATE INDEX forms_by_updated ON forms (organization_id, updated, id);

CREATE INDEX forms_search ON forms USING gin (search_grams);

-- The questions as they were when a version was published; never changed.
CREATE TABLE form_versions (
    organization_id text COLLATE "C" NOT NULL,
    form_id         text COLLATE "C" NOT NULL,
    version         integer NOT NULL,
    fields          jsonb NOT NULL,
    published_by    text COLLATE "C",
    published_at    bigint NOT NULL,
    PRIMARY KEY (organization_id, form_id, version),
    CONSTRAINT form_versions_form FOREIGN KEY (organization_id, form_id)
        REFERENCES forms (organization_id, id) ON DELETE CASCADE,
    CONSTRAINT form_versions_publisher FOREIGN KEY (organization_id, published_by)
        REFERENCES memberships (organization_id, user_id)
);

CREATE INDEX form_versions_by_publisher ON form_versions (organization_id, published_by);

-- A submission holds on to the version that it answers, and so to the form: that is why it has one foreign key for both.
CREATE TABLE form_submissions (
    organization_id text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    form_id         text COLLATE "C" NOT NULL,
    version         integer NOT NULL,
    answers         jsonb NOT NULL,
    location_id     text COLLATE "C",
    submitted_by    text COLLATE "C",
    created         bigint NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT form_submissions_version FOREIGN KEY (organization_id, form_id, version)
        REFERENCES form_versions (organization_id, form_id, version),
    CONSTRAINT form_submissions_location FOREIGN KEY (organization_id, location_id)
        REFERENCES locations (organization_id, id),
    CONSTRAINT form_submissions_submitter FOREIGN KEY (organization_id, submitted_by)
        REFERENCES memberships (organization_id, user_id)
);

CREATE INDEX form_submissions_by_form ON form_submissions (organization_id, form_id, id);

CREATE INDEX form_submissions_by_version ON form_submissions (organization_id, form_id, version, id);

CREATE INDEX form_submissions_by_form_submitter ON form_submissions (organization_id, form_id, submitted_by, id);

CREATE INDEX form_submissions_by_submitter ON form_submissions (organization_id, submitted_by);

CREATE INDEX form_submissions_by_location ON form_submissions (organization_id, location_id);

CREATE TABLE decks (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    title           text NOT NULL,
    description     text,
    location_id     text COLLATE "C",
    refresh_seconds integer NOT NULL,
    cards           jsonb NOT NULL,
    created         bigint NOT NULL,
    updated         bigint NOT NULL,
    search_text     text NOT NULL,
    search_grams    bigint[] NOT NULL,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT decks_location FOREIGN KEY (organization_id, location_id) REFERENCES locations (organization_id, id)
);

CREATE INDEX decks_by_location ON decks (organization_id, location_id, id);

CREATE INDEX decks_by_updated ON decks (organization_id, updated, id);

CREATE INDEX decks_search ON decks USING gin (search_grams);
