-- What a resource has, such as a projector: what people ask for when they look for a free one.

ALTER TABLE bookable_resources ADD COLUMN features text[] NOT NULL DEFAULT '{}';
