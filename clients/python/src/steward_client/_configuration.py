"""The client's configuration, from arguments or the environment."""

from collections.abc import Mapping
from urllib.parse import urlsplit


def address(given: str | None, environment: Mapping[str, str]) -> str:
    url = given or environment.get("STEWARD_URL")
    if not url:
        raise ValueError(
            "Where is Steward? Give url=… or set STEWARD_URL, such as https://steward.example.com."
        )
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ValueError(f"{url!r} is no address of the form https://steward.example.com")
    return url.rstrip("/")


def credentials(api_key: str | None, token: str | None, environment: Mapping[str, str]) -> dict[str, str]:
    """Headers; none where nothing is given, which is enough to log in."""
    if api_key and token:
        raise ValueError("Give api_key or token, not both.")
    if token:
        return {"Authorization": f"Bearer {token}"}
    key = api_key or environment.get("STEWARD_API_KEY")
    return {"X-API-Key": key} if key else {}
