-- The keys of values, in the order of the arrays. Assets that report the same share a layout; one that comes to report more
-- gets a layout that begins like the one it had, so that what is stored keeps its meaning. The digest is that of the keys,
-- which may be too long for an index.
CREATE SEQUENCE telemetry_layout_numbers AS integer;

CREATE TABLE telemetry_layouts (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    layout          integer NOT NULL,
    keys            text[] NOT NULL,
    digest          bytea NOT NULL,
    PRIMARY KEY (organization_id, layout)
);

CREATE UNIQUE INDEX telemetry_layouts_once ON telemetry_layouts (organization_id, digest);

-- Names the layout that says which value stands where in the arrays of the asset's series.
ALTER TABLE assets ADD COLUMN layout integer;

-- Until now each series had keys of its own. The digest is that which the writer of readings makes, so that it finds these.
INSERT INTO telemetry_layouts (organization_id, layout, keys, digest)
SELECT organization_id, nextval('telemetry_layout_numbers')::integer, keys,
       sha256(convert_to(array_to_json(keys)::text, 'UTF8'))
FROM (SELECT DISTINCT organization_id, keys FROM telemetry_series) AS known;

UPDATE assets AS a SET layout = l.layout
FROM telemetry_series s JOIN telemetry_layouts l ON l.organization_id = s.organization_id AND l.keys = s.keys
WHERE a.organization_id = s.organization_id AND a.id = s.asset_id;

DROP TABLE telemetry_series;
