"""What reports show of work orders."""
