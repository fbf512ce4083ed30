-- What the API's manners need: answers kept for idempotency keys, counted windows, and who is alive.

CREATE TABLE idempotent_answers (
    organization_id text COLLATE "C" NOT NULL,
    subject         text COLLATE "C" NOT NULL,
    key             text COLLATE "C" NOT NULL,
    fingerprint     bytea NOT NULL,
    answer          bytea NOT NULL,
    created         bigint NOT NULL,
    PRIMARY KEY (organization_id, subject, key)
);

CREATE INDEX idempotent_answers_created ON idempotent_answers (created);

-- Counted in a window that begins with its first request. Not worth a write-ahead log: after a crash of the database
-- every window begins anew.
CREATE UNLOGGED TABLE rate_windows (
    scope   text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    started bigint NOT NULL,
    ends    bigint NOT NULL,
    used    integer NOT NULL,
    granted integer NOT NULL,
    PRIMARY KEY (scope, subject)
) WITH (fillfactor = 70);

CREATE INDEX rate_windows_ends ON rate_windows (ends);

-- Every process that is alive, with the moment until which it may be taken to be.
CREATE TABLE processes (
    id          text COLLATE "C" PRIMARY KEY,
    kind        text NOT NULL,
    seen        bigint NOT NULL,
    lease_until timestamptz NOT NULL
);
