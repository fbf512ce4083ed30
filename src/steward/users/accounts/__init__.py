"""The logins behind users."""
