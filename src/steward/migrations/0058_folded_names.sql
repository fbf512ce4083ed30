-- Names are sorted without regard to case and accents, whatever collations a server has. As `search.fold` does it, with what PostgreSQL
-- has itself. Indexes hold what it returns: another rule needs another function and new indexes.

CREATE FUNCTION folded_name(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN replace(replace(replace(lower(translate(
        regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g'),
        'ØøŁłĐđÐðĦħŦŧÆŒ', 'oollddddhhttæœ')), 'æ', 'ae'), 'œ', 'oe'), 'ß', 'ss');

CREATE INDEX locations_by_folded_name ON locations (organization_id, (folded_name(name) COLLATE "C"), id);
DROP INDEX locations_by_lower_name;
CREATE INDEX locations_by_parent_and_folded_name ON locations (organization_id, parent_id, (folded_name(name) COLLATE "C"), id);
DROP INDEX locations_by_parent_and_name;
CREATE INDEX assets_by_folded_name ON assets (organization_id, (folded_name(name) COLLATE "C"), id);
DROP INDEX assets_by_name;
CREATE INDEX assets_by_location_and_folded_name ON assets (organization_id, location_id, (folded_name(name) COLLATE "C"), id);
DROP INDEX assets_by_location_and_name;
CREATE INDEX bookable_resources_by_folded_name ON bookable_resources (organization_id, (folded_name(name) COLLATE "C"), id);
DROP INDEX bookable_resources_by_lower_name;
CREATE INDEX memberships_by_folded_name ON memberships (organization_id, (folded_name(name) COLLATE "C"), user_id);
DROP INDEX memberships_by_name;
CREATE INDEX asset_types_by_folded_name ON asset_types (organization_id, (folded_name(name) COLLATE "C"), id);
DROP INDEX asset_types_by_name;
CREATE INDEX roles_by_folded_name ON roles (organization_id, (folded_name(name) COLLATE "C"), id);
DROP INDEX roles_by_name;
CREATE INDEX decks_by_folded_title ON decks (organization_id, (folded_name(title) COLLATE "C"), id);
DROP INDEX decks_by_title;
CREATE INDEX forms_by_folded_name ON forms (organization_id, (folded_name(name) COLLATE "C"), id);
DROP INDEX forms_by_name;
CREATE INDEX sor_schedules_by_folded_name ON sor_schedules (organization_id, (folded_name(name) COLLATE "C"), id);
DROP INDEX sor_schedules_by_name;
