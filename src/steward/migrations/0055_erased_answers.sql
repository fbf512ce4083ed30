-- Which records and addresses a stored answer shows, so that it can be erased with a person. The row stays without its answer: the request
-- must not be done again.

ALTER TABLE idempotent_answers ADD COLUMN mentions text[] NOT NULL DEFAULT '{}';
ALTER TABLE idempotent_answers ALTER COLUMN answer DROP NOT NULL;
