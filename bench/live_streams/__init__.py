"""Open pages of one organization: what each costs an API process in memory, and a change in CPU."""
