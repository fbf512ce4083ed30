"""What can be booked."""
