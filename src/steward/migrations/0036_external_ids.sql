-- What other systems call a record, and what else they want to know of it, on every kind that is kept in step with them.

ALTER TABLE locations ADD COLUMN external_id text COLLATE "C", ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
ALTER TABLE memberships ADD COLUMN external_id text COLLATE "C", ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
ALTER TABLE work_orders ADD COLUMN external_id text COLLATE "C", ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
ALTER TABLE bookable_resources ADD COLUMN external_id text COLLATE "C", ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
ALTER TABLE bookings ADD COLUMN external_id text COLLATE "C", ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
ALTER TABLE visitors ADD COLUMN external_id text COLLATE "C", ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';

-- Few records have one where nobody syncs, and these indexes then cost nothing.
CREATE UNIQUE INDEX locations_external_id_unique ON locations (organization_id, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX memberships_external_id_unique ON memberships (organization_id, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX work_orders_external_id_unique ON work_orders (organization_id, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX bookable_resources_external_id_unique ON bookable_resources (organization_id, external_id)
    WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX bookings_external_id_unique ON bookings (organization_id, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX visitors_external_id_unique ON visitors (organization_id, external_id) WHERE external_id IS NOT NULL;
