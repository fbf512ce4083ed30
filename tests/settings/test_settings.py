import base64
from ipaddress import ip_network
from pathlib import Path

import pytest

from steward.settings import SETTINGS, Address, Settings, SettingsError, from_environment

KEY = base64.b64encode(bytes(32)).decode()


def test_nothing_set_gives_the_defaults() -> None:
    assert from_environment({}) == Settings()
    assert from_environment({"PATH": "/bin", "HOME": "/"}) == Settings()


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("STEWARD_HOST", "0.0.0.0", "host", "0.0.0.0"),
        ("STEWARD_PORT", "0", "port", 0),
        ("STEWARD_DATA_DIR", "/srv/steward", "data_dir", Path("/srv/steward")),
        ("STEWARD_DATABASE_URL", "postgresql://u@h/d", "database_url", "postgresql://u@h/d"),
        (
            "STEWARD_DATABASE_REPLICA_URLS",
            "postgresql://u@h,i/d, postgres://u@j/d",
            "database_replica_urls",
            ("postgresql://u@h,i/d", "postgres://u@j/d"),
        ),
        ("STEWARD_METRICS_ADDRESS", "off", "metrics_address", None),
        ("STEWARD_METRICS_ADDRESS", "[::1]:9000", "metrics_address", Address("::1", 9000)),
        ("STEWARD_SECRET_KEY", KEY, "secret_key", bytes(32)),
        (
            "STEWARD_TRUSTED_PROXIES",
            "10.0.0.0/8, ::1",
            "trusted_proxies",
            (ip_network("10.0.0.0/8"), ip_network("::1")),
        ),
        (
            "STEWARD_CORS_ORIGINS",
            "https://portal.example.com, http://localhost:5173,http://[::1]:8080",
            "cors_origins",
            ("https://portal.example.com", "http://localhost:5173", "http://[::1]:8080"),
        ),
        ("STEWARD_LEGACY_JWT", "until-removal", "legacy_jwt", "until-removal"),
        ("STEWARD_PLAN_RATE_LIMITS", "on", "plan_rate_limits", True),
        ("STEWARD_KEY_REQUESTS_PER_MINUTE", "30", "key_requests_per_minute", 30),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318", "otlp_endpoint", "http://collector:4318"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "", "otlp_endpoint", None),
    ],
)
def test_a_variable_sets_its_setting(variable: str, text: str, name: str, value: object) -> None:
    assert getattr(from_environment({variable: text}), name) == value


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("STEWARD_PORT", "-1"),
        ("STEWARD_PORT", "65536"),
        ("STEWARD_PORT", "http"),
        ("STEWARD_PORT", ""),
        ("STEWARD_PORT", "٨٠"),
        ("STEWARD_HOST", ""),
        ("STEWARD_DATABASE_URL", "mysql://h/d"),
        ("STEWARD_DATABASE_REPLICA_URLS", "postgresql://h/d,mysql://h/d,postgresql://h/d"),
        ("STEWARD_DATABASE_REPLICA_URLS", "mysql://h/d"),
        ("STEWARD_DATABASE_URL", ""),
        ("STEWARD_DATABASE_URL", "postgresql:name"),
        ("STEWARD_DATABASE_URL", "postgresql://host:port/name"),
        ("STEWARD_DATABASE_URL", "postgresql://[::1/name"),
        ("STEWARD_MQTT_URL", "mqtt://host:port"),
        ("STEWARD_MQTT_URL", "mqtt://"),
        ("STEWARD_SMTP_URL", "smtp://[host"),
        ("STEWARD_PUBLIC_URL", "https://host:99999"),
        ("STEWARD_DATA_DIR", ""),
        ("STEWARD_LOG_LEVEL", "all"),
        ("STEWARD_METRICS_ADDRESS", "9464"),
        ("STEWARD_METRICS_ADDRESS", "localhost:"),
        ("STEWARD_SECRET_KEY", "short"),
        ("STEWARD_SECRET_KEY", base64.b64encode(bytes(31)).decode()),
        ("STEWARD_SECRET_KEY", "not base64 at all!"),
        ("STEWARD_TRUSTED_PROXIES", "proxy.example.com"),
        ("STEWARD_TRUSTED_PROXIES", "10.0.0.1/8"),
        ("STEWARD_CORS_ORIGINS", "*"),
        ("STEWARD_CORS_ORIGINS", "null"),
        ("STEWARD_CORS_ORIGINS", "portal.example.com"),
        ("STEWARD_CORS_ORIGINS", "https://portal.example.com/"),
        ("STEWARD_CORS_ORIGINS", "https://Portal.example.com"),
        ("STEWARD_CORS_ORIGINS", "https://portal.example.com:443"),
        ("STEWARD_CORS_ORIGINS", "https://portal.example.com:99999"),
        ("STEWARD_CORS_ORIGINS", "https://a.example.com https://b.example.com"),
        ("STEWARD_CORS_ORIGINS", "https://ok.example.com,ftp://a"),
        ("STEWARD_LEGACY_JWT", "yes"),
        ("STEWARD_PLAN_RATE_LIMITS", "true"),
        ("STEWARD_PLAN_RATE_LIMITS", "ON"),
        ("STEWARD_KEY_REQUESTS_PER_MINUTE", "0"),
        ("STEWARD_LOG_FORMAT", "xml"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://:4318"),
    ],
)
def test_a_malformed_value_names_its_variable(variable: str, text: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        from_environment({variable: text})


def test_a_malformed_secret_is_not_repeated() -> None:
    with pytest.raises(SettingsError) as caught:
        from_environment({"STEWARD_SECRET_KEY": "hunter2hunter2"})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("variable", ["STEWARD_PROT", "STEWARD_", "STEWARD_PLAN_RATE_LIMIT"])
def test_an_unknown_variable_is_named(variable: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        from_environment({variable: "1"})


def test_client_variables_in_the_shell_do_not_stop_a_start() -> None:
    callers = {"STEWARD_URL": "x", "STEWARD_API_KEY": "y", "STEWARD_ORG": "z"}
    assert from_environment(callers) == Settings()


def test_a_malformed_url_is_not_repeated() -> None:
    with pytest.raises(SettingsError) as caught:
        from_environment({"STEWARD_DATABASE_URL": "postgresql://ada:hunter2/x@host/name"})
    assert "hunter2" not in str(caught.value)
    assert "%2F" in str(caught.value)


def test_several_hosts_make_a_database_url() -> None:
    url = "postgresql://ada@one:5432,two:5433/name?target_session_attrs=primary"
    assert from_environment({"STEWARD_DATABASE_URL": url}).database_url == url


@pytest.mark.parametrize(
    ("name", "text"), [("port", "65536"), ("port", "http"), ("host", ""), ("database_url", "mysql://h/d")]
)
def test_an_option_is_checked_like_its_variable(name: str, text: str) -> None:
    variable = f"STEWARD_{name.upper()}"
    with pytest.raises(SettingsError) as by_variable:
        from_environment({variable: text})
    with pytest.raises(SettingsError) as by_option:
        from_environment({}, **{name: text})
    option = f"--{name.replace('_', '-')}"
    assert str(by_option.value) == str(by_variable.value).replace(variable, option)
    assert from_environment({}, port="80").port == 80


def test_an_option_wins_over_the_environment_unless_it_is_absent() -> None:
    environment = {"STEWARD_PORT": "1000", "STEWARD_HOST": "::1"}
    settings = from_environment(environment, port=2000, host=None)
    assert (settings.port, settings.host) == (2000, "::1")


def test_every_setting_can_be_set_and_is_explained() -> None:
    assert {setting.name for setting in SETTINGS} == set(Settings.__struct_fields__)
    assert all(setting.meaning.endswith(".") and setting.format for setting in SETTINGS)


def test_each_core_has_a_process_and_all_processes_share_the_connections() -> None:
    settings = Settings()
    assert [settings.process_count(cores) for cores in (0, 1, 2, 8, 64)] == [1, 1, 2, 8, 8]
    assert [settings.pool_size_among(processes) for processes in (1, 2, 4, 5, 8, 64)] == [10, 10, 10, 8, 5, 2]
    chosen = Settings(api_processes=12, database_connections=30)
    assert (chosen.process_count(2), chosen.pool_size_among(12), chosen.pool_size) == (12, 30, 30)


def test_a_listen_address_needs_a_port() -> None:
    listening = {"STEWARD_DATABASE_LISTEN_URL": "postgresql://u@h/d"}
    with pytest.raises(SettingsError, match="STEWARD_DATABASE_LISTEN_URL needs"):
        from_environment(listening)
    assert from_environment(listening, database_url="postgresql://u@pooler/d").database_listen_url
