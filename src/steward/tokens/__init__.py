"""Password tokens, the older way to call."""
