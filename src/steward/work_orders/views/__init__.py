"""Other ways to look at work orders: a board, a calendar, a sheet of paper."""
