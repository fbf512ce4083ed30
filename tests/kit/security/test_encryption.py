"""What is sealed by a key is opened by that key only, and only as it was sealed."""

import pytest

from steward.kit.security.encryption import Encryption, WrongKeyError

ENCRYPTION = Encryption(b"k" * 32, b"o" * 32)


def test_sealed_values_can_be_opened() -> None:
    assert ENCRYPTION.decrypt("purpose", ENCRYPTION.encrypt("purpose", b"")) == b""
    older = Encryption(b"o" * 32).encrypt("purpose", b"secret")
    assert ENCRYPTION.decrypt("purpose", older) == b"secret"
    assert not ENCRYPTION.is_current("purpose", older)


@pytest.mark.parametrize("length", range(29))
def test_truncated_values_are_refused_like_foreign_ones(length: int) -> None:
    sealed = ENCRYPTION.encrypt("purpose", b"s")
    assert len(sealed) == 29
    with pytest.raises(WrongKeyError):
        ENCRYPTION.is_current("purpose", sealed[:length])
