from msgspec.structs import asdict

from steward.events.model import FoundEvent
from steward.webhooks.deliveries.model import Attempt, Delivery, DeliveryDetails, DeliveryRequest
from steward.webhooks.signing import plain_headers


def delivery_id(event_id: str, webhook_id: str) -> str:
    """The same identifier that the database makes when it stores an event with its deliveries."""
    return f"dlv_{event_id[4:26]}{webhook_id[-14:]}"


def with_attempts(delivery: Delivery, attempts: list[Attempt], event: FoundEvent | None) -> DeliveryDetails:
    request = None
    if event is not None:
        request = DeliveryRequest(plain_headers(delivery.event_id, event.actor), event.body.decode())
    return DeliveryDetails(**asdict(delivery), request=request, attempt_log=attempts)
