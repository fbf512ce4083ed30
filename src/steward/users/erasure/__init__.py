"""Erasing a person: records that name them stay, without the name."""
