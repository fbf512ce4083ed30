"""Events: their types, how they are stored with the change, and how workers are notified."""
