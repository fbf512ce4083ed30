"""The file with the keys: whose it is, what it holds, and what wins over it."""

import os
import stat
from pathlib import Path

import pytest

from steward_client.cli import profiles
from steward_client.cli.profiles import Profile, ProfileError, Profiles
from steward_client.cli.session import choose

HOUSE = Profile("https://steward.example.com", "org_1", "svc_live_1")
OTHER = Profile("http://127.0.0.1:8000", "org_2", "svc_live_2")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def saved(folder: Path, **known: Profile) -> Path:
    file = folder / "steward" / "config.toml"
    profiles.save(file, Profiles("house", known or {"house": HOUSE}))
    return file


def test_saved_profiles_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        file = saved(tmp_path, house=HOUSE, other=OTHER)
    finally:
        os.umask(before)
    assert (mode(file), mode(file.parent)) == (0o600, 0o700)
    known, warning = profiles.load(file)
    assert (known.default, known.profiles, warning) == ("house", {"house": HOUSE, "other": OTHER}, None)
    assert [path.name for path in file.parent.iterdir()] == ["config.toml"]


def test_a_file_that_is_kept_elsewhere_stays_there(tmp_path: Path) -> None:
    elsewhere = tmp_path / "dotfiles.toml"
    elsewhere.write_text("", encoding="utf-8")
    elsewhere.chmod(0o644)
    (tmp_path / "steward").mkdir()
    (tmp_path / "steward" / "config.toml").symlink_to(elsewhere)
    file = saved(tmp_path)
    assert file.is_symlink()
    assert mode(elsewhere) == 0o600
    assert profiles.load(elsewhere)[0].profiles == {"house": HOUSE}


def test_a_folder_that_is_open_is_closed(tmp_path: Path) -> None:
    (tmp_path / "steward").mkdir(mode=0o755)
    assert mode(saved(tmp_path).parent) == 0o700


def test_a_readable_secret_file_is_made_private_with_a_warning(tmp_path: Path) -> None:
    file = saved(tmp_path)
    file.chmod(0o644)
    known, warning = profiles.load(file)
    assert known.profiles == {"house": HOUSE}
    assert mode(file) == 0o600
    assert "could be read by others" in str(warning)


@pytest.mark.parametrize("text", ['quo"te', "back\\slash", "tab\tnew\nline", "del\x7f", "Zürich 東京", "'''"])
def test_every_text_survives(tmp_path: Path, text: str) -> None:
    file = saved(tmp_path, house=Profile("https://a", "org_1", text))
    assert profiles.load(file)[0].profiles["house"].api_key == text


@pytest.mark.parametrize("name", ["the house", "a.b", "Zürich", 'quo"te', "", "a]\nb", "x" * 41])
def test_every_name_that_stands_in_the_file_survives(tmp_path: Path, name: str) -> None:
    file = saved(tmp_path, **{name: HOUSE, "house": OTHER})
    assert profiles.load(file)[0].profiles == {name: HOUSE, "house": OTHER}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("default =", "can't be read"),
        ('[profiles.house]\nurl = "x"\n', "missing required field"),
        ("[profiles.house]\nurl = 1\n", "Expected `str`"),
        ('colour = "red"\n', "unknown field"),
        ("\x00", "can't be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: str, words: str) -> None:
    file = saved(tmp_path)
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ProfileError, match=words) as refused:
        profiles.load(file)
    assert str(file) in str(refused.value)


def test_a_folder_in_place_of_the_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="can't be read"):
        profiles.load(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ProfileError, match="can't be written"):
        profiles.save(tmp_path / "file" / "steward" / "config.toml", Profiles())


def test_the_first_is_the_default_and_another_takes_its_place() -> None:
    known = Profiles()
    known.put("house", HOUSE)
    known.put("other", OTHER)
    assert known.get(None) == HOUSE
    known.remove("house")
    assert known.get(None) == OTHER
    with pytest.raises(ProfileError, match=r"no profile house \(there are: other\)"):
        known.get("house")


@pytest.mark.parametrize("name", ["", "a b", "a.b", "ü", "-x", "x" * 41, "a\nb", "a]"])
def test_names_that_would_break_the_file_are_refused(name: str) -> None:
    with pytest.raises(ProfileError, match="letters, digits"):
        profiles.checked_name(name)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"XDG_CONFIG_HOME": "/x"}, Path("/x/steward/config.toml")),
        ({"XDG_CONFIG_HOME": "relative"}, Path.home() / ".config/steward/config.toml"),
        ({}, Path.home() / ".config/steward/config.toml"),
    ],
)
def test_the_file_lies_where_the_platform_keeps_such(environment: dict[str, str], expected: Path) -> None:
    assert profiles.config_file(environment) == expected


ALL = {"STEWARD_URL": "https://b", "STEWARD_ORG": "org_9", "STEWARD_API_KEY": "svc_9"}


@pytest.mark.parametrize(
    ("option", "environment", "key", "url", "source"),
    [
        (None, {}, "svc_live_1", HOUSE.url, "profile house"),
        ("other", {}, "svc_live_2", OTHER.url, "profile other"),
        (None, {"STEWARD_PROFILE": "other"}, "svc_live_2", OTHER.url, "profile other"),
        ("house", {"STEWARD_PROFILE": "other"}, "svc_live_1", HOUSE.url, "profile house"),
        (None, ALL, "svc_9", "https://b", "environment"),
        ("house", ALL, "svc_live_1", HOUSE.url, "profile house"),
        (None, {"STEWARD_API_KEY": "svc_9"}, "svc_9", HOUSE.url, "profile house and environment"),
        (None, {"STEWARD_API_KEY": ""}, "svc_live_1", HOUSE.url, "profile house"),
        # With all options given, no profile is needed, not even the named one.
        (None, {**ALL, "STEWARD_PROFILE": "nowhere"}, "svc_9", "https://b", "environment"),
    ],
)
def test_options_win_over_variables_over_profiles(
    option: str | None, environment: dict[str, str], key: str, url: str, source: str
) -> None:
    known = Profiles("house", {"house": HOUSE, "other": OTHER})
    fields, said = choose(option, environment, known)
    assert (fields["api_key"], fields["url"], said) == (key, url, source)


def test_a_profile_that_is_named_must_be_there() -> None:
    for option, environment in (("nowhere", {}), (None, {"STEWARD_PROFILE": "nowhere"})):
        with pytest.raises(ProfileError, match="there is no profile nowhere"):
            choose(option, environment, Profiles())
    assert choose(None, {}, Profiles()) == ({}, "environment")
