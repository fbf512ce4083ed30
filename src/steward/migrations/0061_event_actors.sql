-- Who caused an event: `User:usr_…`, `Key:key_…`, `Device:ast_…` or `System`. Null for events from before.
ALTER TABLE events ADD COLUMN actor text COLLATE "C";
