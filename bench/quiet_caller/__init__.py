"""What one quiet caller sees while others keep the process busy."""
