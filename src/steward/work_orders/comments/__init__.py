"""Comments on work orders."""
