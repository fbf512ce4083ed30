"""People and their places in organizations."""
