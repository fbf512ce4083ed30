"""Every event, for systems that poll instead of receiving webhooks."""
