"""Who is calling, what they may do, and what has to stay secret."""
