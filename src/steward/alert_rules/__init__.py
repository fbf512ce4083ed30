"""Rules over readings, and the alerts that they raise."""
