from steward.assets.connectivity.model import DeviceConnectivity


def evaluate(device: DeviceConnectivity, now: int) -> tuple[bool | None, int | None]:
    """Whether it counts as connected, and when to look again although nothing was heard of it.

    A device that is offline needs no look before its next reading, and what is no device keeps what was recorded of it.
    """
    if not device.is_iot_device or device.last_seen is None:
        return device.connection_status, None
    end = device.last_seen + device.keep_alive
    return (True, end + 1) if end >= now else (False, None)
