-- Hashes of the last passwords that somebody else chose for the account, oldest first. Its holder never takes one of them: others know it.
ALTER TABLE accounts ADD COLUMN given_hashes text[] NOT NULL DEFAULT '{}';
