from steward.assets.connectivity.model import DeviceConnectivity


def evaluate(device: DeviceConnectivity, now: int) -> tuple[bool | None, int | None]:
    """Whether it counts as connected, and when to check again without a reading.

    An offline device needs no check before its next reading, and an asset that is no device keeps what was
    recorded.
    """
    if not device.is_iot_device or device.last_seen is None:
        return device.connection_status, None
    end = device.last_seen + device.keep_alive
    return (True, end + 1) if end >= now else (False, None)
