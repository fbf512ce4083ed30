"""Where things are."""
