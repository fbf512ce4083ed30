"""Assets: what is maintained, and devices that report."""
