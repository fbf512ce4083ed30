"""A database and its secret key in one file: pg_dump in a tar archive, sealed with age. And back."""
