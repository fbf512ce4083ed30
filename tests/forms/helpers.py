"""A form as most tests of forms want it."""

ROUND = [
    {"key": "exit", "label": "The exit is clear", "type": "passFail", "required": True},
    {"key": "pressure", "label": "Pressure (bar)", "type": "number", "min": 0, "max": 25},
]
