"""What is shown: dashboards made of cards."""
