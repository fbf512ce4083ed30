-- What has a past can't be deleted; it can be put out of sight.

ALTER TABLE locations ADD COLUMN archived_at bigint;
ALTER TABLE assets ADD COLUMN archived_at bigint;
ALTER TABLE bookable_resources ADD COLUMN archived_at bigint;
-- Whoever is archived isn't let in.
ALTER TABLE memberships ADD COLUMN archived_at bigint,
    ADD CONSTRAINT memberships_archived_suspended CHECK (archived_at IS NULL OR status = 'Suspended');

-- Few are archived, and a list of them looks at no others.
CREATE INDEX locations_archived ON locations (organization_id, id) WHERE archived_at IS NOT NULL;
CREATE INDEX assets_archived ON assets (organization_id, id) WHERE archived_at IS NOT NULL;
CREATE INDEX bookable_resources_archived ON bookable_resources (organization_id, id) WHERE archived_at IS NOT NULL;
CREATE INDEX memberships_archived ON memberships (organization_id, user_id) WHERE archived_at IS NOT NULL;
