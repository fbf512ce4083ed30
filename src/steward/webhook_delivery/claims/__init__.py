"""Which worker holds which delivery."""
