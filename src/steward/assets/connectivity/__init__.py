"""Whether devices still report."""
