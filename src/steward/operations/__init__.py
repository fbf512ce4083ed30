"""What an operator does with a deployment as a whole: back it up, look it over, let a customer go, change its key."""
