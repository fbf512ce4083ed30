"""Quotations: what a piece of work will cost by a schedule of rates, and who said yes to it."""
