-- Events follow records: a webhook gets the events of records that its maker could read. The maker's permissions of that time decide
-- which new types of a later version its groups pick up. Null stands for all permissions: webhooks from before go on as they were.
ALTER TABLE webhooks ADD COLUMN maker_permissions text[];
