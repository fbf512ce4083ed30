-- A claim names the worker that holds it, and ends with that worker's sign of life, not after a fixed time.

ALTER TABLE deliveries ADD COLUMN claimed_by text COLLATE "C";

-- The workers that may hold deliveries of the webhook: what a dead one held is found by this.
ALTER TABLE webhooks ADD COLUMN claimed_by text[];
