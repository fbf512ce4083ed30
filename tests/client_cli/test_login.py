"""Logging in: the key is verified, kept where nobody else reads it, and never shown."""

import stat
import sys
from pathlib import Path

from tests.cli.terminal import at_a_terminal
from tests.client.clients import client_of
from tests.client_cli.users import User


def config(user: User) -> Path:
    return user.home / "steward" / "config.toml"


def logged_in(user: User, *words: str) -> str:
    secret = user.variables["STEWARD_API_KEY"]
    user.forgets()
    done = user.run(
        "login",
        "--url",
        user.organization.base_url,
        "--organization",
        user.organization.id,
        "--api-key-file",
        "-",
        *words,
        stdin=f"{secret}\n",
    )
    assert done.exit_code == 0, done.output
    assert secret not in done.output
    return done.stdout


def test_after_the_login_no_further_options_are_needed(user: User) -> None:
    said = logged_in(user)
    assert said == f"logged in to Test house at {user.organization.base_url} as profile default\n"
    assert stat.S_IMODE(config(user).stat().st_mode) == 0o600
    assert user.json("work-orders", "list") == []
    shown = user.one("whoami")
    assert (shown["source"], shown["name"]) == ("profile default", "Test house")
    assert user.organization.secret not in user.says("whoami")


def test_control_characters_in_names_do_not_reach_the_terminal(user: User) -> None:
    client_of(user.organization).organizations.update(name="House\x1b]0;mine\x07")
    assert "House�]0;mine�" in logged_in(user)


def test_profiles_are_listed_chosen_and_forgotten(user: User) -> None:
    logged_in(user, "--profile", "house")
    user.variables["STEWARD_API_KEY"] = user.organization.secret
    done = user.run(
        "login",
        "--url",
        user.organization.base_url,
        "--organization",
        user.organization.id,
        "--profile",
        "other",
    )
    assert "the default is still house" in done.stderr
    user.variables.pop("STEWARD_API_KEY")
    assert [(one["name"], one["default"]) for one in user.json("profiles", "list")] == [
        ("house", True),
        ("other", False),
    ]
    assert user.says("profiles", "use", "other") == "other is the default\n"
    assert user.one("whoami")["source"] == "profile other"
    assert user.one("whoami", "--profile", "house")["source"] == "profile house"
    assert user.organization.secret not in user.says("profiles")
    assert user.says("logout") == "forgot the profile other\n"
    assert "there is no profile other" in user.refused(2, "whoami", "--profile", "other")
    assert user.says("logout", "--profile", "house") == "forgot the profile house\n"
    assert "run `steward login`" in user.refused(2, "whoami")
    assert "there are none yet" in user.run("profiles").stderr


def test_a_key_that_does_not_open_it_is_not_kept(user: User) -> None:
    user.variables["STEWARD_API_KEY"] = "svc_live_00000000000000000000000000000000"
    assert "run `steward login`" in user.refused(4, "login")
    assert not config(user).exists()


def test_a_foreign_organization_is_not_stored_in_the_profile(user: User) -> None:
    said = user.refused(4, "login", "--organization", "org_00000000000000000000000000")
    assert "is org_00000000000000000000000000 the organization of the key?" in said
    assert not config(user).exists()


def test_a_narrow_key_logs_in_without_learning_the_name(user: User) -> None:
    user.variables["STEWARD_API_KEY"] = user.organization.new_key("work-orders:read")["secret"]
    assert user.organization.id in user.says("login")
    refused = user.refused(4, "work-orders", "create", "Leak")
    assert "work-orders:write" in refused
    assert "request req_" in refused


def test_missing_options_are_reported_without_a_terminal(user: User) -> None:
    user.forgets()
    assert "no terminal to ask for the URL" in user.refused(2, "login")
    user.variables |= {"STEWARD_URL": user.organization.base_url, "STEWARD_ORG": user.organization.id}
    assert "--api-key-file" in user.refused(2, "login")
    assert "not an address" in user.refused(2, "login", "--url", "ftp://example.com")
    assert "letters, digits" in user.refused(2, "login", "--profile", "a b")


def test_a_terminal_is_asked_and_does_not_show_the_key(user: User, tmp_path: Path) -> None:
    answers = [user.organization.base_url, user.organization.id, user.organization.secret]
    command = [sys.executable, "-m", "steward", "login"]
    code, said = at_a_terminal(["env", f"XDG_CONFIG_HOME={tmp_path}", *command], tmp_path, answers)
    assert code == 0, said
    assert "logged in to Test house" in said
    assert user.organization.secret not in said
    user.forgets()
    assert user.one("whoami")["organization"] == user.organization.id


def test_a_file_that_others_may_read_is_closed(user: User) -> None:
    logged_in(user)
    for words in (("whoami",), ("profiles",), ("profiles", "use", "default"), ("logout",)):
        config(user).chmod(0o644)
        done = user.run(*words)
        assert (done.exit_code, "could be read by others" in done.stderr) == (0, True), words
        assert stat.S_IMODE(config(user).stat().st_mode) == 0o600
    config(user).write_text("nonsense", encoding="utf-8")
    assert "can't be read" in user.refused(2, "whoami")
