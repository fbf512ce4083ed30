import json
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.ingest.lorawan.model import ChirpStackDevice, ChirpStackEvent, TtnMessage, Uplink
from steward.ingest.lorawan.model import Values as LorawanValues
from steward.ingest.lorawan.rules import (
    chirpstack_status,
    chirpstack_uplink,
    spellings,
    ttn_heard,
    unix_seconds,
    with_property_keys,
)
from steward.ingest.model import Values
from steward.kit.domain.problems import Invalid

# As ChirpStack 4 sends it, all of it.
CHIRPSTACK = {
    "deduplicationId": "3ac7e3c4-4401-4b8d-9386-a5c902f9202d",
    "time": "2026-07-18T09:34:15.775023242+00:00",
    "deviceInfo": {
        "tenantId": "52f14cd4-c6f1-4fbd-8f87-4025e1d49242",
        "tenantName": "ChirpStack",
        "applicationId": "17c82e96-be03-4f38-aef3-f83d48582d97",
        "applicationName": "Test application",
        "deviceProfileId": "14855bf7-d10d-4aee-b618-ebfcb64dc7ad",
        "deviceProfileName": "Test device-profile",
        "deviceName": "Test device",
        "devEui": "0101010101010101",
        "tags": {"key": "value"},
    },
    "devAddr": "00189440",
    "dr": 1,
    "fPort": 1,
    "data": "qg==",
    "object": {
        "temperature": 21.5,
        "open": False,
        "gps": {"lat": 47, "fix": "3D"},
        "raw": [1, 2],
        "none": None,
    },
    "rxInfo": [{"gatewayId": "0016c001f153a14c", "uplinkId": 4217106255, "rssi": -36, "snr": 10.5}],
    "txInfo": {"frequency": 868100000, "modulation": {"lora": {"bandwidth": 125000, "spreadingFactor": 11}}},
}
# As The Things Stack 3 sends it.
TTN: dict[str, Any] = {
    "end_device_ids": {
        "device_id": "dev1",
        "application_ids": {"application_id": "app1"},
        "dev_eui": "0004A30B001C0530",
        "join_eui": "800000000000000C",
        "dev_addr": "00BCB929",
    },
    "correlation_ids": ["as:up:01E0WZGT6Y7657CPFPE5WEYDSQ"],
    "received_at": "2026-02-12T15:15:46.787Z",
    "uplink_message": {
        "session_key_id": "AXBSH1Pk6Z0G166...",
        "f_cnt": 1,
        "f_port": 1,
        "frm_payload": "VGVtcGVyYXR1cmUgPSAwLjA=",
        "decoded_payload": {"temperature": 1.0, "luminosity": 0.64},
        "rx_metadata": [{"gateway_ids": {"gateway_id": "gtw1"}, "rssi": -40, "snr": 13.5}],
        "settings": {"data_rate": {"lora": {"bandwidth": 125000}}, "time": "2026-02-12T15:15:44Z"},
        "received_at": "2026-02-12T15:15:45.999999999Z",
    },
}


def chirpstack(**changes: object) -> Uplink:
    return chirpstack_uplink(msgspec.json.decode(json.dumps(CHIRPSTACK | changes), type=ChirpStackEvent))


def ttn(**changes: object) -> Uplink | None:
    return ttn_heard(msgspec.json.decode(json.dumps(TTN | changes), type=TtnMessage))


def test_an_uplink_of_chirpstack_becomes_a_reading() -> None:
    assert chirpstack() == Uplink(
        eui="0101010101010101",
        at=1784367255,
        values={"temperature": 21.5, "open": False, "gps.lat": 47},
        ignored=["gps.fix", "raw", "none"],
    )


def test_an_uplink_of_the_things_stack_becomes_a_reading_at_the_network_servers_time() -> None:
    assert ttn() == Uplink(
        eui="0004A30B001C0530", at=1770909345, values={"temperature": 1.0, "luminosity": 0.64}, ignored=[]
    )


@pytest.mark.parametrize(
    ("missing", "at"),
    [
        ([], 1770909345),
        (["received_at"], 1770909346),
        (["received_at", "outer"], 1770909344),
        (["received_at", "outer", "settings"], None),
    ],
)
def test_the_most_precise_timestamp_is_used(missing: list[str], at: int | None) -> None:
    uplink = {name: value for name, value in TTN["uplink_message"].items() if name not in missing}
    changes = {"received_at": None} if "outer" in missing else {}
    found = ttn(uplink_message=uplink, **changes)
    assert found is not None
    assert found.at == at


def test_a_message_that_is_not_an_uplink_is_ignored() -> None:
    assert ttn_heard(TtnMessage()) is None
    assert ttn(uplink_message=None) is None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"deviceInfo": None}, "deviceInfo.devEui"),
        ({"deviceInfo": {}}, "deviceInfo.devEui"),
        ({"object": None}, "object"),
        ({"object": {}}, "object"),
        ({"object": {"state": "open"}}, "object"),
        ({"object": {str(n): n for n in range(201)}}, "object"),
        ({"time": "yesterday"}, "time"),
        ({"time": "2026-02-30T00:00:00Z"}, "time"),
        ({"time": "2026-02-03T00:00:00"}, "time"),
    ],
)
def test_invalid_readings_are_refused_with_the_field(changes: dict[str, object], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        chirpstack(**changes)
    assert refused.value.details[0].field == field


def test_an_undecoded_payload_gets_a_hint_about_decoding() -> None:
    with pytest.raises(Invalid, match="network server has to decode"):
        chirpstack(object=None)


def test_values_that_no_reading_holds_are_ignored() -> None:
    found = chirpstack(object={"ok": 1, "k" * 101: 1, "": 2, "huge": 2**60, "a": {"b" * 99: 1}})
    assert found.values == {"ok": 1}
    assert found.ignored == ["k" * 101, "", "huge", "a." + "b" * 99]


def test_nesting_is_flattened_up_to_the_length_of_a_key() -> None:
    deep: dict[str, object] = {"end": 1}
    for _ in range(300):
        deep = {"x": deep}
    found = chirpstack(object={"ok": 1, "deep": deep})
    assert found.values == {"ok": 1}
    assert len(found.ignored) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=5))
def test_decoded_payloads_become_valid_readings_or_are_refused(
    decoded: dict[str, object],
) -> None:
    event = ChirpStackEvent(device_info=ChirpStackDevice("1"), object=decoded)
    try:
        found = chirpstack_uplink(event)
    except Invalid:
        return
    msgspec.convert(found.values, Values)


@given(
    st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2100, 1, 1)),  # noqa: DTZ001
    st.sampled_from(["Z", "z", "+00:00"]),
    st.integers(0, 999_999_999),
)
def test_times_lose_what_is_beyond_the_second(moment: datetime, zone: str, nanoseconds: int) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    written = f"{moment:%Y-%m-%dT%H:%M:%S}".zfill(19) + f".{nanoseconds:09d}{zone}"
    assert unix_seconds("time", written) == int(moment.timestamp())


def test_times_may_be_of_another_zone() -> None:
    assert unix_seconds("time", "1970-01-01T02:00:00+02:00") == 0


@pytest.mark.parametrize(
    ("values", "keys", "named"),
    [
        ({"temperature": 1}, ["Temperature"], {"Temperature": 1}),
        ({"TEMPERATURE": 1, "other": 2}, ["Temperature"], {"Temperature": 1, "other": 2}),
        ({"temperature": 1}, ["temperature", "Temperature"], {"temperature": 1}),
        ({"temperature": 1, "Temperature": 2}, ["Temperature"], {"temperature": 1, "Temperature": 2}),
        ({"temperature": 1, "TEMPERATURE": 2}, ["Temperature"], {"Temperature": 1, "TEMPERATURE": 2}),
        ({"co2": 1}, [], {"co2": 1}),
    ],
)
def test_keys_take_the_asset_types_spelling(
    values: LorawanValues, keys: list[str], named: LorawanValues
) -> None:
    assert with_property_keys(values, keys) == named


def test_an_eui_is_matched_in_any_case() -> None:
    assert spellings("aB01") == ["aB01", "ab01", "AB01"]
    assert spellings("0101") == ["0101"]


@pytest.mark.parametrize(
    ("status", "values"),
    [
        ({"margin": 7, "batteryLevel": 61.02}, {"BatteryLevel": 61.02, "LinkMargin": 7}),
        ({"margin": -3, "externalPowerSource": True}, {"ExternalPower": True, "LinkMargin": -3}),
        ({"batteryLevelUnavailable": True}, {}),
        # A level of 0 is left out of the event, as every 0 is.
        ({"margin": 7}, {"LinkMargin": 7}),
    ],
)
def test_a_chirpstack_status_reports_the_battery(status: dict[str, Any], values: dict[str, Any]) -> None:
    event = {"deviceInfo": CHIRPSTACK["deviceInfo"], "time": CHIRPSTACK["time"], **status}
    heard = chirpstack_status(msgspec.json.decode(json.dumps(event), type=ChirpStackEvent))
    assert (heard.eui, heard.at, heard.values) == ("0101010101010101", 1784367255, values)


def test_battery_values_of_the_things_stack_are_stored_with_the_uplink() -> None:
    known = {"last_battery_percentage": {"f_cnt": 3, "value": 94.9}}
    found = ttn(uplink_message={**TTN["uplink_message"], **known})
    assert found is not None
    assert found.values == {"temperature": 1.0, "luminosity": 0.64, "BatteryLevel": 94.9}
    own = {"decoded_payload": {"batteryLevel": 80}}
    found = ttn(uplink_message={**TTN["uplink_message"], **known, **own})
    assert found is not None
    assert found.values == {"batteryLevel": 80}
