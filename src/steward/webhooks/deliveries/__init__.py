"""What was sent to webhooks, and how it went."""
