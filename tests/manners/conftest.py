from tests.identity.conftest import founded_for_refusals, house

__all__ = ["founded_for_refusals", "house"]
