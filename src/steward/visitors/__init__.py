"""Who comes to visit, and how what is known of them is forgotten."""
