-- A published schedule of rates is followed by a next version, or ends early.

ALTER TABLE sor_schedules
    ADD COLUMN version          bigint NOT NULL DEFAULT 1,
    -- The version before, and the one that has taken its place.
    ADD COLUMN supersedes       text COLLATE "C",
    ADD COLUMN superseded_by    text COLLATE "C",
    ADD COLUMN withdrawn_by     text COLLATE "C",
    ADD COLUMN withdrawn_at     bigint,
    ADD COLUMN withdrawn_reason text,
    ADD CONSTRAINT sor_schedules_before FOREIGN KEY (organization_id, supersedes)
        REFERENCES sor_schedules (organization_id, id),
    DROP CONSTRAINT sor_schedules_status,
    ADD CONSTRAINT sor_schedules_status CHECK (status IN ('Draft', 'Published', 'Withdrawn'));

-- One next version at a time, draft or not.
CREATE UNIQUE INDEX sor_schedules_next_unique ON sor_schedules (organization_id, supersedes);
