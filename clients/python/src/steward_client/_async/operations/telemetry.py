"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import AsyncExport
from ..group import AsyncGroup
from ..pages import AsyncPages


class AsyncTelemetry(AsyncGroup):
    async def send_by_external_id(
        self,
        external_id: str,
        *,
        values: Mapping[str, bool | int | float],
        timestamp: int | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.AcceptedReading:
        """Send a reading by externalId.

        The same for a sender that knows what it calls the asset, and not what we do. Needs the permission
        `iot:write`.

        Args:
            values: Numbers and booleans by key; their units stand in the asset type.
            timestamp: When it was measured; the time of arrival where none is given.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.AcceptedReading,
            "POST",
            "/organizations/{orgId}/assets/by-external-id/{externalId}/telemetry",
            organization=organization,
            values={"externalId": external_id},
            body={"values": values, "timestamp": timestamp},
            headers={"Idempotency-Key": idempotency_key},
        )

    async def history(
        self,
        asset_id: str,
        *,
        key: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        resolution: int | None = None,
        organization: str | None = None,
    ) -> models.History:
        """Read the history of an asset.

        Readings in `[from, to)`, each second counted once. Where there are more than was asked for, those
        of a bucket of time become one point with their least, greatest and average value, and the time of
        the first of them. Needs the permission `iot:read`.

        Args:
            key: One key, or several with commas between them; all of them, when absent.
            from_: Unix seconds; a day before `to`, when absent.
            to: Unix seconds, no longer included; now, when absent.
            resolution: At most so many points per key.
            organization: Another one than the client's.
        """
        return await self._record(
            models.History,
            "GET",
            "/organizations/{orgId}/assets/{assetId}/telemetry",
            organization=organization,
            values={"assetId": asset_id},
            query={"key": key, "from": from_, "to": to, "resolution": resolution},
        )

    async def send(
        self,
        asset_id: str,
        *,
        values: Mapping[str, bool | int | float],
        timestamp: int | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.AcceptedReading:
        """Send a reading.

        Keys may be sent together or one by one: what a reading leaves out stays as it was. A reading that
        is older than the newest one goes into the history and changes nothing else. The same reading sent
        twice, with the same timestamp, counts once. Needs the permission `iot:write`.

        Args:
            values: Numbers and booleans by key; their units stand in the asset type.
            timestamp: When it was measured; the time of arrival where none is given.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.AcceptedReading,
            "POST",
            "/organizations/{orgId}/assets/{assetId}/telemetry",
            organization=organization,
            values={"assetId": asset_id},
            body={"values": values, "timestamp": timestamp},
            headers={"Idempotency-Key": idempotency_key},
        )

    def list_readings(
        self,
        asset_id: str,
        *,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        key: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.RawReading]:
        """List the readings of an asset.

        Every reading in `[from, to)` as it was stored, oldest first, each second once. Booleans are 1 and
        0. Needs the permission `iot:read`.

        Args:
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            key: One key, or several with commas between them; all of them, when absent.
            from_: Unix seconds; the beginning of the history, when absent.
            to: Unix seconds, no longer included; now, when absent.
            organization: Another one than the client's.
        """
        return self._pages(
            models.RawReading,
            "GET",
            "/organizations/{orgId}/assets/{assetId}/telemetry/raw",
            organization=organization,
            values={"assetId": asset_id},
            query={
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
                "key": key,
                "from": from_,
                "to": to,
            },
        )

    async def take_chirpstack_uplink(
        self,
        message: models.ChirpStackEvent | Mapping[str, Any],
        *,
        event: str | None = None,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.UplinkResult:
        """Take an uplink from ChirpStack.

        For the HTTP integration of ChirpStack 4, in JSON. The device's EUI is the asset's `externalId`, in
        upper or lower case; `object`, what ChirpStack's codec decoded, holds the values. A `status`
        becomes a reading of `BatteryLevel` in percent, `ExternalPower` and `LinkMargin`; a `join` says
        that the device is there, and moves `lastSeen`; `txack` and `ack` say what became of a command.
        Other events are answered and ignored. Needs the permission `iot:write`.

        Args:
            event: Which kind of event it is; ChirpStack adds this.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.UplinkResult,
            "POST",
            "/organizations/{orgId}/integrations/chirpstack",
            organization=organization,
            query={"event": event},
            body=message,
            headers={"Idempotency-Key": idempotency_key},
        )

    async def take_ttn_uplink(
        self,
        message: models.TtnMessage | Mapping[str, Any],
        *,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.UplinkResult:
        """Take an uplink from The Things Stack.

        For webhooks of The Things Stack 3, in JSON. The device's EUI is the asset's `externalId`, in upper
        or lower case; `decoded_payload`, what the payload formatter made, holds the values, and
        `last_battery_percentage` becomes `BatteryLevel`. A join says that the device is there, and moves
        `lastSeen`. Other messages are answered and ignored. Needs the permission `iot:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.UplinkResult,
            "POST",
            "/organizations/{orgId}/integrations/ttn",
            organization=organization,
            body=message,
            headers={"Idempotency-Key": idempotency_key},
        )

    async def send_batch(
        self,
        *,
        readings: Sequence[models.TelemetryItem | Mapping[str, Any]],
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.BatchResult:
        """Send readings of several assets.

        Up to 1,000 readings. Each is taken or refused by itself; `results` tells which, in the order of
        the readings, with the place and the identifier that was sent. Needs the permission `iot:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.BatchResult,
            "POST",
            "/organizations/{orgId}/telemetry",
            organization=organization,
            body={"readings": readings},
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        asset_id: str | Sequence[str] | None = None,
        asset_type_id: str | None = None,
        location_id: str | None = None,
        key: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        arrived_from: int | None = None,
        resume_at: str | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export readings as CSV.

        Every reading in `[from, to)` of all assets, or of those that are chosen, by asset and then by
        time. A line for each value: `assetId,timestamp,key,value`. Booleans are 1 and 0. A stream that
        breaks off is taken up again with `resumeAt`; `arrivedFrom` brings a copy up to date, late readings
        included. A value is named by asset, time and key: one that comes again replaces itself. Needs the
        permission `iot:read`.

        Args:
            asset_id: Up to 200 assets, with commas between them.
            location_id: Assets in this location, and in everything within it.
            key: One key, or several with commas between them; all of them, when absent.
            from_: Unix seconds; the beginning of the history, when absent.
            to: Unix seconds, no longer included; now, when absent.
            arrived_from: Only readings that arrived since, whatever their time, and with them those of the
                same hours: for copies that are brought up to date. Take the moment at which the last
                export began.
            resume_at: `assetId:timestamp` of the last line of a stream that broke off: it goes on there,
                with that line.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/telemetry.csv",
            organization=organization,
            query={
                "assetId": asset_id,
                "assetTypeId": asset_type_id,
                "locationId": location_id,
                "key": key,
                "from": from_,
                "to": to,
                "arrivedFrom": arrived_from,
                "resumeAt": resume_at,
            },
        )

    def export_ndjson(
        self,
        *,
        asset_id: str | Sequence[str] | None = None,
        asset_type_id: str | None = None,
        location_id: str | None = None,
        key: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        arrived_from: int | None = None,
        resume_at: str | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export readings as NDJSON.

        Every reading in `[from, to)` of all assets, or of those that are chosen, by asset and then by
        time. A line for each reading: `{"assetId", "timestamp", "values": {…}}`. Booleans are 1 and 0. A
        stream that breaks off is taken up again with `resumeAt`; `arrivedFrom` brings a copy up to date,
        late readings included. A value is named by asset, time and key: one that comes again replaces
        itself. Needs the permission `iot:read`.

        Args:
            asset_id: Up to 200 assets, with commas between them.
            location_id: Assets in this location, and in everything within it.
            key: One key, or several with commas between them; all of them, when absent.
            from_: Unix seconds; the beginning of the history, when absent.
            to: Unix seconds, no longer included; now, when absent.
            arrived_from: Only readings that arrived since, whatever their time, and with them those of the
                same hours: for copies that are brought up to date. Take the moment at which the last
                export began.
            resume_at: `assetId:timestamp` of the last line of a stream that broke off: it goes on there,
                with that line.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/telemetry.ndjson",
            organization=organization,
            query={
                "assetId": asset_id,
                "assetTypeId": asset_type_id,
                "locationId": location_id,
                "key": key,
                "from": from_,
                "to": to,
                "arrivedFrom": arrived_from,
                "resumeAt": resume_at,
            },
        )
