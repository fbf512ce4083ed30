"""Decks as they are looked at: in the web app, on a wall, and on a screen without login."""
