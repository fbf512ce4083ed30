"""Says what must be true of a deployment, and whether it is. It reads and changes nothing."""
