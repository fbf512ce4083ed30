"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from ..transport import AsyncTransport
from .alert_rules import AsyncAlertRules
from .alerts import AsyncAlerts
from .api_keys import AsyncApiKeys
from .asset_types import AsyncAssetTypes
from .assets import AsyncAssets
from .bookable_resources import AsyncBookableResources
from .bookings import AsyncBookings
from .commands import AsyncCommands
from .decks import AsyncDecks
from .events import AsyncEvents
from .forms import AsyncForms
from .health import AsyncHealth
from .locations import AsyncLocations
from .organizations import AsyncOrganizations
from .quotations import AsyncQuotations
from .roles import AsyncRoles
from .schedules_of_rates import AsyncSchedulesOfRates
from .telemetry import AsyncTelemetry
from .tokens import AsyncTokens
from .users import AsyncUsers
from .visitors import AsyncVisitors
from .webhooks import AsyncWebhooks
from .work_orders import AsyncWorkOrders


class AsyncOperations:
    """Every group of the API."""

    def __init__(self, transport: AsyncTransport) -> None:
        self.api_keys = AsyncApiKeys(transport)
        self.alert_rules = AsyncAlertRules(transport)
        self.alerts = AsyncAlerts(transport)
        self.asset_types = AsyncAssetTypes(transport)
        self.assets = AsyncAssets(transport)
        self.bookable_resources = AsyncBookableResources(transport)
        self.bookings = AsyncBookings(transport)
        self.commands = AsyncCommands(transport)
        self.decks = AsyncDecks(transport)
        self.events = AsyncEvents(transport)
        self.forms = AsyncForms(transport)
        self.health = AsyncHealth(transport)
        self.locations = AsyncLocations(transport)
        self.organizations = AsyncOrganizations(transport)
        self.quotations = AsyncQuotations(transport)
        self.roles = AsyncRoles(transport)
        self.schedules_of_rates = AsyncSchedulesOfRates(transport)
        self.telemetry = AsyncTelemetry(transport)
        self.tokens = AsyncTokens(transport)
        self.users = AsyncUsers(transport)
        self.visitors = AsyncVisitors(transport)
        self.webhooks = AsyncWebhooks(transport)
        self.work_orders = AsyncWorkOrders(transport)
