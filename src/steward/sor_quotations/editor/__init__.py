"""The form for a quotation's lines."""
