"""The measuring stick: the real service beside the least code that could do the same work."""
