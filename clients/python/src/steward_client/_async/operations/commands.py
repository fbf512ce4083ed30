"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import AsyncExport
from ..group import AsyncGroup
from ..pages import AsyncPages


class AsyncCommands(AsyncGroup):
    def list(
        self,
        asset_id: str,
        *,
        status: models.CommandStatusLike | Sequence[models.CommandStatusLike] | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> AsyncPages[models.Command]:
        """List the commands to an asset.

        Needs the permission `iot:read`.

        Args:
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Command,
            "GET",
            "/organizations/{orgId}/assets/{assetId}/commands",
            organization=organization,
            values={"assetId": asset_id},
            query={"status": status, "limit": limit, "lastEvaluatedKey": last_evaluated_key},
        )

    async def create(
        self,
        asset_id: str,
        *,
        name: str,
        payload: Mapping[str, Any] | UnsetType = UNSET,
        via: models.TransportLike | UnsetType | None = UNSET,
        confirmed: bool | UnsetType = UNSET,
        f_port: int | UnsetType = UNSET,
        data: str | UnsetType | None = UNSET,
        expires_at: int | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Command:
        """Send a command to an asset.

        Queued, and sent over MQTT or through ChirpStack as soon as a worker gets to it; again until that
        has worked or `expiresAt` has come. A device may get a command more than once, with the same `id`.
        Needs the permission `iot:write`.

        Args:
            payload: What else the device has to know; for ChirpStack what the device profile's codec
                encodes.
            via: `chirpstack`, when absent, where its server is known and the asset's externalId is an EUI;
                else `mqtt`.
            f_port: Of LoRaWAN.
            data: For ChirpStack: the bytes in base64, in place of the payload.
            expires_at: A day from now, when absent; 30 days at most.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Command,
            "POST",
            "/organizations/{orgId}/assets/{assetId}/commands",
            organization=organization,
            values={"assetId": asset_id},
            body={
                "name": name,
                "payload": payload,
                "via": via,
                "confirmed": confirmed,
                "fPort": f_port,
                "data": data,
                "expiresAt": expires_at,
            },
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        asset_id: str,
        *,
        status: models.CommandStatusLike | Sequence[models.CommandStatusLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[dict[str, Any]]:
        """Export the commands to an asset as CSV.

        Needs the permission `iot:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/assets/{assetId}/commands.csv",
            organization=organization,
            values={"assetId": asset_id},
            query={"status": status},
        )

    def export_ndjson(
        self,
        asset_id: str,
        *,
        status: models.CommandStatusLike | Sequence[models.CommandStatusLike] | None = None,
        organization: str | None = None,
    ) -> AsyncExport[models.Command]:
        """Export the commands to an asset as NDJSON.

        Needs the permission `iot:read`.

        Args:
            organization: Another one than the client's.
        """
        return self._export(
            models.Command,
            "GET",
            "/organizations/{orgId}/assets/{assetId}/commands.ndjson",
            organization=organization,
            values={"assetId": asset_id},
            query={"status": status},
        )

    async def get(
        self,
        asset_id: str,
        command_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Command:
        """Read a command to an asset.

        Needs the permission `iot:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.Command,
            "GET",
            "/organizations/{orgId}/assets/{assetId}/commands/{commandId}",
            organization=organization,
            values={"assetId": asset_id, "commandId": command_id},
            headers={"If-None-Match": if_none_match},
        )

    async def get_chirpstack_settings(
        self,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.ChirpStackServer:
        """Read where ChirpStack is.

        Needs the permission `organization:read`.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return await self._record(
            models.ChirpStackServer,
            "GET",
            "/organizations/{orgId}/integrations/chirpstack/settings",
            organization=organization,
            headers={"If-None-Match": if_none_match},
        )

    async def put_chirpstack_settings(
        self,
        *,
        url: str | UnsetType | None = UNSET,
        token: str | UnsetType = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.ChirpStackServer:
        """Say where ChirpStack is.

        Commands to assets whose externalId is an EUI go there: `POST {url}/api/devices/{eui}/queue`, with
        the token as bearer. The token is encrypted at rest and never shown. Without a `url`, ChirpStack is
        forgotten. Needs the permission `organization:write`.

        Args:
            url: Of its REST API, without `/api`: https, at a public address.
            token: An API key of ChirpStack; the one that is known stays, when absent.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return await self._record(
            models.ChirpStackServer,
            "PUT",
            "/organizations/{orgId}/integrations/chirpstack/settings",
            organization=organization,
            body={"url": url, "token": token},
            headers={"If-Match": if_match},
        )
