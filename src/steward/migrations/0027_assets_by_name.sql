-- Assets and locations in the order of their names: the list, and what lies in one location.

CREATE INDEX assets_by_name ON assets (organization_id, (lower(name)), id);
CREATE INDEX assets_by_location_and_name ON assets (organization_id, location_id, (lower(name)), id);
CREATE INDEX locations_by_parent_and_name ON locations (organization_id, parent_id, (lower(name)), id);
