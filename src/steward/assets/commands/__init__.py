"""Commands to devices."""
