"""What is told: every event that happened, for whoever rather asks than listens."""
