"""What records are made of: identifiers, fields, changes, and what can go wrong."""
