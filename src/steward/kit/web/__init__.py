"""What every page of the web app is made of; it knows no slice."""
