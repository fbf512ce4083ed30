"""Storage: connections, statements, tables and lists."""
