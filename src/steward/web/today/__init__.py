"""The first page: the viewer's tasks of the day."""
