"""Who is calling, what they may do and how often, and what has to stay secret."""
