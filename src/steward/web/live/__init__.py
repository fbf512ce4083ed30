"""Live updates for pages: server-sent events, of which one look at the database serves every stream of a tenant."""
