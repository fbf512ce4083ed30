"""How attempts went."""
