"""The tenants."""
