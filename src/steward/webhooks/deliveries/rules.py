from msgspec.structs import asdict

from steward.webhooks.deliveries.model import Attempt, Delivery, DeliveryDetails


def delivery_id(event_id: str, webhook_id: str) -> str:
    """The same that the database makes where it stores an event with its deliveries."""
    return f"dlv_{event_id[4:26]}{webhook_id[-14:]}"


def with_attempts(delivery: Delivery, attempts: list[Attempt]) -> DeliveryDetails:
    return DeliveryDetails(**asdict(delivery), attempt_log=attempts)
