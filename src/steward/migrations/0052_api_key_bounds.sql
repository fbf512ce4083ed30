-- An API key may end by itself, may be bound to addresses, and may get another secret. The one before it works on until
-- old_secret_until; its digest stays, so that it is known to be over. No addresses: it works from anywhere.
ALTER TABLE api_keys
    ADD COLUMN expires_at        bigint,
    ADD COLUMN allowed_addresses text[] NOT NULL DEFAULT '{}',
    ADD COLUMN old_secret_hash   bytea,
    ADD COLUMN old_secret_until  bigint;

CREATE INDEX api_keys_old_secret ON api_keys (old_secret_hash) WHERE old_secret_hash IS NOT NULL;
