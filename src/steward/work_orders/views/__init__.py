"""Other views of work orders: a board, a calendar, a print view."""
