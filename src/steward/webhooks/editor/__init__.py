"""The form of a webhook in the web app."""
