"""Who is told of events, and how they know that it was us."""
