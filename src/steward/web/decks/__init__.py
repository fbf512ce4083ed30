"""Decks in the web app, on a wall screen, and on a screen without login."""
