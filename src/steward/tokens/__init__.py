"""Password tokens, the legacy way to call."""
