from tests.support.refusals import founded_for_refusals, house

__all__ = ["founded_for_refusals", "house"]
