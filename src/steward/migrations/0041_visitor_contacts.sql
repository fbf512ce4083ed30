-- How to reach a visitor and what they drive: as personal as their name. And when a visit last changed.

ALTER TABLE visitors ADD COLUMN phone text;
ALTER TABLE visitors ADD COLUMN vehicle text;
ALTER TABLE visitors ADD COLUMN updated bigint;

UPDATE visitors SET updated = greatest(created, checked_in_at, checked_out_at, erased_at);

ALTER TABLE visitors ALTER COLUMN updated SET NOT NULL;

ALTER TABLE visitors DROP CONSTRAINT visitors_erased;
ALTER TABLE visitors ADD CONSTRAINT visitors_erased CHECK (erased_at IS NULL
    OR (name IS NULL AND email IS NULL AND company IS NULL AND phone IS NULL AND vehicle IS NULL
        AND search_text = '' AND search_grams = '{}'));

CREATE INDEX visitors_by_updated ON visitors (organization_id, updated);
