"""Storage: connections, statements, tables, lists and what happens to records."""
