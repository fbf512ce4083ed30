-- Whether readings are written as events (asset.telemetry.updated) even while no webhook wants them.
ALTER TABLE organizations ADD COLUMN telemetry_events boolean NOT NULL DEFAULT false;
