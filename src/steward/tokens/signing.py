"""Signs and checks JWTs with a key that is generated once per database and published as a key set."""

import hashlib
from collections import OrderedDict
from typing import Any

import jwt
import msgspec
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Unauthenticated
from steward.kit.security import link_token
from steward.kit.security.encryption import Encryption
from steward.tokens import queries
from steward.tokens.model import TOKEN_SECONDS, Claims, Tokens

_ALGORITHM = "ES256"
_ISSUER = "steward"
_KEY_NAME = "jwt signing key"
_MAX_CACHED = 10_000


async def load_signing_key(db: Database, encryption: Encryption) -> bytes:
    """The key of this database; the first process to start generates it."""
    sealed = await queries.secret(db, _KEY_NAME)
    if sealed is None:
        await queries.insert_secret(db, _KEY_NAME, encryption.encrypt(_KEY_NAME, new_signing_key()))
        sealed = await queries.secret(db, _KEY_NAME)
    assert sealed is not None  # noqa: S101 (if not by us, it was stored by another process)
    return encryption.decrypt(_KEY_NAME, sealed)


def new_signing_key() -> bytes:
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


class Signer:
    def __init__(self, private_pem: bytes) -> None:
        key = serialization.load_pem_private_key(private_pem, password=None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise TypeError("the stored signing key is not an elliptic curve key")
        self._private = key
        self._public = key.public_key()
        public: dict[str, Any] = ECAlgorithm.to_jwk(self._public, as_dict=True)
        thumbprint = msgspec.json.encode({name: public[name] for name in ("crv", "kty", "x", "y")})
        self._key_id = hashlib.sha256(thumbprint).hexdigest()[:16]
        self.key_set = {"keys": [{**public, "kid": self._key_id, "alg": _ALGORITHM, "use": "sig"}]}
        # Checking a signature costs as much as a query; each token is checked once.
        self._checked: OrderedDict[str, Claims] = OrderedDict()

    def issue(self, user_id: str, organization_id: str, email: str, *, generation: int, now: int) -> Tokens:
        claims = {
            "iss": _ISSUER,
            "sub": user_id,
            "organizationId": organization_id,
            "generation": generation,
            "iat": now,
            "exp": now + TOKEN_SECONDS,
        }
        return Tokens(
            token=self._sign({**claims, "jti": new_id("tok"), "use": "access"}),
            id_token=self._sign({**claims, "jti": new_id("tok"), "use": "id", "email": email}),
            refresh_token=link_token.new(organization_id),
        )

    def check(self, token: str, now: int) -> Claims:
        claims = self._checked.get(token)
        if claims is None:
            claims = self._checked[token] = self._verify(token)
            if len(self._checked) > _MAX_CACHED:
                self._checked.popitem(last=False)
        if claims.exp <= now:
            raise Unauthenticated("The token has expired; refresh it or log in again.")
        return claims

    def _sign(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self._private, algorithm=_ALGORITHM, headers={"kid": self._key_id})

    def _verify(self, token: str) -> Claims:
        try:
            payload = jwt.decode(
                token,
                self._public,
                algorithms=[_ALGORITHM],
                issuer=_ISSUER,
                # We check the expiry ourselves, each time.
                options={"verify_exp": False, "require": ["exp", "sub", "iss"]},
            )
            return msgspec.convert(payload, Claims)
        except (jwt.PyJWTError, msgspec.ValidationError, ValueError):
            raise Unauthenticated("The bearer token is not valid.") from None
