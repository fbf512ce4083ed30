-- Events follow records: a webhook is sent what its maker could read. The permissions that they had say which types a group
-- picks up when a new version brings some. Null stands for all permissions, as webhooks from before had them.
ALTER TABLE webhooks ADD COLUMN maker_permissions text[];
