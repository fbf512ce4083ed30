"""People and their memberships in organizations."""
