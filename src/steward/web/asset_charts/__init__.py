"""Charts of an asset's readings, with alert rules and alerts."""
