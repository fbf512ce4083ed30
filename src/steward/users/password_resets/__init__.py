"""How people who forgot their password get in again."""
