"""Every setting of a deployment: one frozen value, read from the environment once and passed down."""

from steward.settings.environment import SettingsError as SettingsError
from steward.settings.environment import from_environment as from_environment
from steward.settings.model import RETRY_SCHEDULE as RETRY_SCHEDULE
from steward.settings.model import SETTINGS as SETTINGS
from steward.settings.model import LegacyJwt as LegacyJwt
from steward.settings.model import Settings as Settings
from steward.settings.parsing import Address as Address
from steward.settings.parsing import Network as Network
