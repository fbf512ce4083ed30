-- Lists by name and by their last change: each order has an index that ends with the identifier, as its cursor does.

CREATE INDEX locations_by_lower_name ON locations (organization_id, (lower(name)), id);
CREATE INDEX bookable_resources_by_lower_name ON bookable_resources (organization_id, (lower(name)), id);
CREATE INDEX memberships_by_name ON memberships (organization_id, (lower(name)), user_id);
CREATE INDEX asset_types_by_name ON asset_types (organization_id, (lower(name)), id);
CREATE INDEX roles_by_name ON roles (organization_id, (lower(name)), id);
CREATE INDEX decks_by_title ON decks (organization_id, (lower(title)), id);
CREATE INDEX forms_by_name ON forms (organization_id, (lower(name)), id);
CREATE INDEX sor_schedules_by_name ON sor_schedules (organization_id, (lower(name)), id);

CREATE INDEX locations_by_change ON locations (organization_id, updated, id);
DROP INDEX locations_by_updated;
CREATE INDEX assets_by_change ON assets (organization_id, updated, id);
DROP INDEX assets_by_updated;
CREATE INDEX bookings_by_change ON bookings (organization_id, updated, id);
DROP INDEX bookings_by_updated;
CREATE INDEX bookable_resources_by_change ON bookable_resources (organization_id, updated, id);
DROP INDEX bookable_resources_by_updated;
CREATE INDEX memberships_by_change ON memberships (organization_id, updated, user_id);
CREATE INDEX asset_types_by_change ON asset_types (organization_id, updated, id);
CREATE INDEX roles_by_change ON roles (organization_id, updated, id);
