"""Everything that can go wrong goes wrong, while writers remember what they were promised."""
