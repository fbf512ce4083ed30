"""A rule in the web app: its form, and the preview of last week."""
