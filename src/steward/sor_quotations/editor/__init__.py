"""The form in which a quotation's lines are written."""
