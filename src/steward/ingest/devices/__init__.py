"""Assets as the intake sees them, read under their locks."""
