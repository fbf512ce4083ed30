-- What the connectivity check has last applied of an asset type, under names that say so.

ALTER TABLE asset_types RENAME COLUMN heeded_keep_alive TO applied_keep_alive;

ALTER TABLE asset_types RENAME COLUMN heeded_iot_device TO applied_iot_device;

ALTER TABLE asset_types RENAME COLUMN to_heed TO needs_recheck;

ALTER INDEX asset_types_to_heed RENAME TO asset_types_needs_recheck;
