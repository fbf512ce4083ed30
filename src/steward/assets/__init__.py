"""Assets: what is maintained, and the devices that report."""
