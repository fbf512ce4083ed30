"""The schema, one idea a file, in order."""
