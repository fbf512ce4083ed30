"""What a point of history takes on disk, while it is fresh and once it is folded."""
