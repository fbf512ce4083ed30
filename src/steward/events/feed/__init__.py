"""The change feed: every event once, in one order, for whoever follows the cursor."""
