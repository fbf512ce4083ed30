"""One action for many work orders."""
