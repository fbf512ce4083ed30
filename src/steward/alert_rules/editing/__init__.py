"""A rule as it is written in the web app: its form, and what it would have found last week."""
