-- Users, roles and asset types are searched as everything else is. Which form the search columns of a table have is noted, so
-- that they are written anew where the code makes another; what has no note yet is written by the migration that runs this.

ALTER TABLE memberships ADD COLUMN search_text text NOT NULL DEFAULT '';
ALTER TABLE memberships ADD COLUMN search_grams bigint[] NOT NULL DEFAULT '{}';
CREATE INDEX memberships_search ON memberships USING gin (search_grams);

ALTER TABLE roles ADD COLUMN search_text text NOT NULL DEFAULT '';
ALTER TABLE roles ADD COLUMN search_grams bigint[] NOT NULL DEFAULT '{}';
CREATE INDEX roles_search ON roles USING gin (search_grams);

ALTER TABLE asset_types ADD COLUMN search_text text NOT NULL DEFAULT '';
ALTER TABLE asset_types ADD COLUMN search_grams bigint[] NOT NULL DEFAULT '{}';
CREATE INDEX asset_types_search ON asset_types USING gin (search_grams);

CREATE TABLE search_forms (
    name text PRIMARY KEY,
    form text NOT NULL
);
