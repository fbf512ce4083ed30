"""What is stuck on an asset: a code that leads to its page."""
