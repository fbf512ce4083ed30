"""What people say about a work order."""
