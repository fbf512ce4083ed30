"""What rules have found, from when until when."""
