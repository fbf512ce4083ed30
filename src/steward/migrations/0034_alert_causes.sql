-- What raised an alert: the value that met a condition of its rule, and what it was held against. Null where the asset was silent,
-- and for alerts from before.

ALTER TABLE alerts ADD COLUMN property text;

ALTER TABLE alerts ADD COLUMN operator text COLLATE "C";

ALTER TABLE alerts ADD COLUMN value jsonb;

ALTER TABLE alerts ADD COLUMN threshold jsonb;
