-- Links by which somebody sets a new password without knowing the old one. An account has at most one: the next replaces it.
-- A reference table, like the accounts it belongs to: small, and found before any organization is known.

CREATE TABLE password_resets (
    account_id text COLLATE "C" PRIMARY KEY,
    token_hash bytea NOT NULL,
    -- Of the account, when the link was made: a password that was set since has ended it.
    generation integer NOT NULL,
    expires_at bigint NOT NULL,
    -- The organization and the user that made it for somebody; neither where it was mailed to the holder.
    issued_in  text COLLATE "C",
    issued_by  text COLLATE "C",
    CONSTRAINT password_resets_account FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE
);

CREATE INDEX password_resets_expires ON password_resets (expires_at);
