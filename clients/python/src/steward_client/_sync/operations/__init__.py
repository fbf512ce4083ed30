"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from ..transport import Transport
from .alert_rules import AlertRules
from .alerts import Alerts
from .api_keys import ApiKeys
from .asset_types import AssetTypes
from .assets import Assets
from .bookable_resources import BookableResources
from .bookings import Bookings
from .commands import Commands
from .decks import Decks
from .events import Events
from .forms import Forms
from .health import Health
from .locations import Locations
from .organizations import Organizations
from .quotations import Quotations
from .roles import Roles
from .schedules_of_rates import SchedulesOfRates
from .telemetry import Telemetry
from .tokens import Tokens
from .users import Users
from .visitors import Visitors
from .webhooks import Webhooks
from .work_orders import WorkOrders


class Operations:
    """Every group of the API."""

    def __init__(self, transport: Transport) -> None:
        self.api_keys = ApiKeys(transport)
        self.alert_rules = AlertRules(transport)
        self.alerts = Alerts(transport)
        self.asset_types = AssetTypes(transport)
        self.assets = Assets(transport)
        self.bookable_resources = BookableResources(transport)
        self.bookings = Bookings(transport)
        self.commands = Commands(transport)
        self.decks = Decks(transport)
        self.events = Events(transport)
        self.forms = Forms(transport)
        self.health = Health(transport)
        self.locations = Locations(transport)
        self.organizations = Organizations(transport)
        self.quotations = Quotations(transport)
        self.roles = Roles(transport)
        self.schedules_of_rates = SchedulesOfRates(transport)
        self.telemetry = Telemetry(transport)
        self.tokens = Tokens(transport)
        self.users = Users(transport)
        self.visitors = Visitors(transport)
        self.webhooks = Webhooks(transport)
        self.work_orders = WorkOrders(transport)
