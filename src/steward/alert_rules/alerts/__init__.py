"""What rules found, from when until when."""
