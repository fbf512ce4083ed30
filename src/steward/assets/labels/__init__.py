"""Labels for assets: a code that leads to its page."""
