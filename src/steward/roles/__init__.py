"""Named sets of permissions."""
