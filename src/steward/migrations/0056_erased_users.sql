-- A person can be erased; records that name them stay, and show somebody without a name.

ALTER TABLE memberships ADD COLUMN erased_at bigint;

-- Receivers of webhooks may still answer to what was being sent when a person was erased. From `due` on these answers are erased, too,
-- and the row with them. Users who had been removed before have no other row.
CREATE TABLE late_answers (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    user_id         text COLLATE "C" NOT NULL,
    due             bigint NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX late_answers_due ON late_answers (due);
