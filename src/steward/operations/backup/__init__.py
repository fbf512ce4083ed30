"""A whole database in one file, sealed by a passphrase, and back."""
