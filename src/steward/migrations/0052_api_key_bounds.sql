-- An API key may expire, may be bound to addresses (without any it works from anywhere), and may get another secret. The old secret
-- works until old_secret_until; its digest stays, so that a later use is refused as expired instead of unknown.
ALTER TABLE api_keys
    ADD COLUMN expires_at        bigint,
    ADD COLUMN allowed_addresses text[] NOT NULL DEFAULT '{}',
    ADD COLUMN old_secret_hash   bytea,
    ADD COLUMN old_secret_until  bigint;

CREATE INDEX api_keys_old_secret ON api_keys (old_secret_hash) WHERE old_secret_hash IS NOT NULL;
