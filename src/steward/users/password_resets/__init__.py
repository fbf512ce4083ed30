"""Password resets."""
