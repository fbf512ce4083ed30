"""Commands: what a device is told to do."""
