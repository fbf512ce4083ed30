"""Where assets are: a tree of locations."""
