"""The same done to many work orders at once."""
