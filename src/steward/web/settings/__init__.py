"""Settings of an organization: its name, users and roles."""
