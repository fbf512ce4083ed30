"""Webhooks and their signatures. `verify` is also for receivers written in Python."""

from steward.webhooks.verification import SignatureError as SignatureError
from steward.webhooks.verification import verify as verify
