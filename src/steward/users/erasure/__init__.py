"""Forgetting a person: what names them stays, and shows somebody without a name."""
