"""What packing answers costs, and what it saves on the way."""
