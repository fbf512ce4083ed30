"""What is sealed in the database by the secret key, and how it is sealed anew by another."""
