"""What devices have reported: how it is laid out, kept and read."""
