"""Profiles: which service, which organization, which key. Kept in one file that nobody else may read."""

import json
import os
import re
import stat
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from steward_client._files import replaced

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# Modes say nothing there; the folder is the user's own.
_HAS_MODES = sys.platform != "win32"
FIRST_NAME = "default"


class ProfileError(Exception):
    """What is wrong with the file, or with what was asked of it, in one line."""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    url: str
    organization: str
    api_key: str


class Profiles(msgspec.Struct, forbid_unknown_fields=True):
    default: str = FIRST_NAME
    profiles: dict[str, Profile] = {}

    def chosen(self, name: str | None) -> str:
        return name or self.default

    def get(self, name: str | None) -> Profile | None:
        """The profile with this name, or the default one. A name that was given must be there."""
        found = self.profiles.get(self.chosen(name))
        if found is None and name is not None:
            known = ", ".join(sorted(self.profiles)) or "none yet"
            raise ProfileError(f"there is no profile {name} (there are: {known})")
        return found

    def put(self, name: str, profile: Profile) -> None:
        """The first one is the default."""
        if not self.profiles:
            self.default = name
        self.profiles[name] = profile

    def remove(self, name: str) -> None:
        self.get(name)
        del self.profiles[name]
        if self.default == name:
            self.default = min(self.profiles, default=FIRST_NAME)


def checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ProfileError("a profile's name has letters, digits, - and _, at most 40 of them")
    return name


def config_file(environment: Mapping[str, str] = os.environ) -> Path:
    given = environment.get("XDG_CONFIG_HOME", "")
    if given and Path(given).is_absolute():
        folder = Path(given)
    elif sys.platform == "win32" and environment.get("APPDATA"):
        folder = Path(environment["APPDATA"])
    else:
        folder = Path.home() / ".config"
    return folder / "steward" / "config.toml"


def load(file: Path, *, tighten: bool = True) -> tuple[Profiles, str | None]:
    """The profiles, and what the user should know about their file: say it, since the next who loads them isn't told.

    On a system that can't tell, `tighten` leaves the file as it is.
    """
    try:
        with file.open("rb") as opened:
            warning = _tighten(opened.fileno(), file) if tighten else None
            content = tomllib.load(opened)
    except FileNotFoundError:
        return Profiles(), None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProfileError(f"{file} can't be read: {error}") from None
    except OSError as error:
        raise ProfileError(f"{file} can't be read: {error.strerror}") from None
    try:
        return msgspec.convert(content, Profiles), warning
    except msgspec.ValidationError as error:
        raise ProfileError(f"{file} can't be read: {error}") from None


def _tighten(descriptor: int, file: Path) -> str | None:
    if not _HAS_MODES or not os.fstat(descriptor).st_mode & _OTHERS:
        return None
    try:
        os.fchmod(descriptor, 0o600)
    except OSError:
        raise ProfileError(
            f"{file} holds API keys and others may read it: make it yours alone (chmod 600)"
        ) from None
    return f"{file} could be read by others; it is yours alone now. Revoke the keys in it if somebody may have looked"


def save(file: Path, profiles: Profiles) -> None:
    """Readers see the old file or the new one, and never another mode than 0600."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _HAS_MODES and stat.S_IMODE(file.parent.stat().st_mode) & _OTHERS:
            file.parent.chmod(0o700)
        with replaced(file, mode=0o600) as opened:
            opened.write(_as_toml(profiles).encode())
    except OSError as error:
        raise ProfileError(f"{file} can't be written: {error.strerror}") from None


def _as_toml(profiles: Profiles) -> str:
    lines = [f"default = {_quoted(profiles.default)}"]
    for name, profile in sorted(profiles.profiles.items()):
        fields: dict[str, Any] = msgspec.structs.asdict(profile)
        lines += [
            "",
            f"[profiles.{_as_key(name)}]",
            *(f"{key} = {_quoted(value)}" for key, value in fields.items()),
        ]
    return "\n".join(lines) + "\n"


def _as_key(name: str) -> str:
    """An edited file may contain names that `login` doesn't create."""
    return name if _NAME.fullmatch(name) else _quoted(name)


def _quoted(value: str) -> str:
    """TOML's basic strings escape like JSON's, but for one character that JSON leaves alone."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
