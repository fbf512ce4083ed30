-- How the worker finds its next deliveries without looking at those that wait.
--
-- While a delivery is under way, its `due` is the end of its lease: if the worker that took it dies, it simply falls due
-- again. First attempts (pending) and late ones (retrying) are apart in the index, each in the order in which they were made.

DROP INDEX deliveries_due;

CREATE INDEX deliveries_waiting ON deliveries (organization_id, webhook_id, status, due, id) WHERE due IS NOT NULL;

-- A handful of entries per webhook: they are counted before more is taken for it.
CREATE INDEX deliveries_leased ON deliveries (organization_id, webhook_id, lease_until) WHERE lease_until IS NOT NULL;

-- Empty unless something went wrong: deliveries that have neither an end nor a next time.
CREATE INDEX deliveries_lost ON deliveries (organization_id, id)
    WHERE due IS NULL AND status IN ('pending', 'retrying');

-- The worker's word on deliveries that nobody takes care of, for the health check.
ALTER TABLE processes ADD COLUMN oldest_due bigint;

-- Grows with every claim for the webhook: who has not seen the last one counts its leases anew.
ALTER TABLE webhooks ADD COLUMN claims bigint NOT NULL DEFAULT 0;
