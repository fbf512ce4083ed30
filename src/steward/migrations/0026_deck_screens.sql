-- Secret links by which a screen without login shows decks, one after the other. Only the digest of a link's token is kept.

CREATE TABLE deck_screens (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id              text COLLATE "C" NOT NULL,
    name            text NOT NULL,
    deck_ids        text[] COLLATE "C" NOT NULL,
    rotate_seconds  integer NOT NULL,
    -- What whoever made the link could see: it never shows more, whatever is put on its decks.
    permissions     text[] COLLATE "C" NOT NULL,
    token_hash      bytea NOT NULL,
    created         bigint NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX deck_screens_token ON deck_screens (organization_id, token_hash);
