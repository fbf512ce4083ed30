from steward.access import queries
from steward.access.credential_cache import CredentialCache
from steward.kit.web.slice import Parts, Slice


def credential_cache(parts: Parts) -> CredentialCache:
    cache = CredentialCache(parts.pool)
    cache.trusted = parts.bus.trusted
    parts.caches.append(cache)
    return cache


SLICE = Slice(name="access", tables=("web_sessions",), expired=(queries.delete_expired,))
