from tests.support.organizations import Organization


class House:
    """A database of two organizations with one of everything each, over which nothing runs."""

    def __init__(self, url: str, first: Organization, second: Organization) -> None:
        self.url = url
        self.first = first
        self.second = second
