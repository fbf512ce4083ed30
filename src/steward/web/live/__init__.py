"""Live updates for pages: server-sent events; one query serves all streams of a tenant."""
