"""What readings mean: rules over them, and the alerts that they raise."""
