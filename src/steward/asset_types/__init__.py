"""What kinds of assets there are, and what their devices measure."""
