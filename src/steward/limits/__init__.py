"""Rate limits: the figures, and the headers that say how much is left."""
