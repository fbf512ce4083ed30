"""The change feed: every event once, in one order, for readers that follow the cursor."""
