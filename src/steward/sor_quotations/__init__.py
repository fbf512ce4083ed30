"""Quotations: the price of work by a schedule of rates, and its approval."""
