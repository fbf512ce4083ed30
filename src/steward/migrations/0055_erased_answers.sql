-- Which records and addresses a stored answer shows, so that it can be forgotten with a person. What is left then tells that the request
-- was done: an answer that is gone must not let the request be done again.

ALTER TABLE idempotent_answers ADD COLUMN mentions text[] NOT NULL DEFAULT '{}';
ALTER TABLE idempotent_answers ALTER COLUMN answer DROP NOT NULL;
