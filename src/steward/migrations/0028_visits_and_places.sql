-- Visits by when they were expected, those who left by when that was; and places by their names below what they lie in.

CREATE INDEX visitors_by_arrival ON visitors (organization_id, (coalesce(expected_arrival, created)), id);
CREATE INDEX visitors_left ON visitors (organization_id, checked_out_at, id) WHERE checked_out_at IS NOT NULL;
CREATE INDEX locations_by_name ON locations (organization_id, (coalesce(parent_id, '')), name, id);
