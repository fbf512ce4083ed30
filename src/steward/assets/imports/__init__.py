"""Many assets from one file."""
