"""How one login comes to open several organizations."""
