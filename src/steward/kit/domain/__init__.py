"""What records are made of: identifiers, fields, changes, moves, and what can go wrong."""
