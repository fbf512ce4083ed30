"""Who is told of events, and how they know that it was us.

`verify` is also for receivers that are written in Python.
"""

from steward.webhooks.verification import SignatureError as SignatureError
from steward.webhooks.verification import verify as verify
