"""What pages of the web app cost in a small and in a large organization."""
