"""What an administrator sets up: the organization, its people and what they may do."""
