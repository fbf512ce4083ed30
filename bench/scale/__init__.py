"""What one tenant costs among few and among many, and what one row costs."""
