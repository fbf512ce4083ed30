"""Decks on screens without login, by secret links."""
