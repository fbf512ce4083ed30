"""How often one may call: the figures, and the headers that tell how much is left."""
