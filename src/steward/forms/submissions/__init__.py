"""Answers to forms."""
