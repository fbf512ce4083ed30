"""The moves of work orders as the specification has them, apart from the rows that make them."""

REASONS = {"hold": {"reason": "Waiting for a part"}, "cancel": {"reason": "Not needed"}}
# How to get an order into a state.
WAYS = {
    "Open": [],
    "InProgress": ["start"],
    "OnHold": ["start", "hold"],
    "Completed": ["start", "complete"],
    "Cancelled": ["cancel"],
}
ALLOWED = {
    "Open": {"start": "InProgress", "cancel": "Cancelled"},
    "InProgress": {"hold": "OnHold", "complete": "Completed", "cancel": "Cancelled"},
    "OnHold": {"resume": "InProgress", "cancel": "Cancelled"},
    "Completed": {"reopen": "InProgress"},
    "Cancelled": {},
}
