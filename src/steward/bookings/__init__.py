"""What can be booked, and who has it when."""
