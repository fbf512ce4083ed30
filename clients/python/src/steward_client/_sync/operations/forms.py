"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from ... import models
from ..exports import Export
from ..group import Group
from ..pages import Pages


class Forms(Group):
    def list(
        self,
        *,
        status: models.FormStatusLike | Sequence[models.FormStatusLike] | None = None,
        updated_after: int | None = None,
        q: str | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        sort: models.FormsSortLike | Sequence[models.FormsSortLike] | None = None,
        organization: str | None = None,
    ) -> Pages[models.Form]:
        """List forms.

        With `forms:submit` alone only published forms are there, and `fields` are those of the published
        version. Can be sorted by `name`, `updated`, `created`. Needs the permission `forms:read`, or
        `forms:submit` for published forms.

        Args:
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the name.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Form,
            "GET",
            "/organizations/{orgId}/forms",
            organization=organization,
            query={
                "status": status,
                "updatedAfter": updated_after,
                "q": q,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
                "sort": sort,
            },
        )

    def create(
        self,
        *,
        name: str,
        description: str | UnsetType | None = UNSET,
        fields: Sequence[models.FormField | Mapping[str, Any]] | UnsetType = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Form:
        """Create a form.

        As a draft: it takes no answers before it is published. Needs the permission `forms:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.Form,
            "POST",
            "/organizations/{orgId}/forms",
            organization=organization,
            body={"name": name, "description": description, "fields": fields},
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_csv(
        self,
        *,
        status: models.FormStatusLike | Sequence[models.FormStatusLike] | None = None,
        updated_after: int | None = None,
        q: str | None = None,
        sort: models.FormsSortLike | Sequence[models.FormsSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[dict[str, Any]]:
        """Export forms as CSV.

        Needs the permission `forms:read`, or `forms:submit` for published forms.

        Args:
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the name.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/forms.csv",
            organization=organization,
            query={"status": status, "updatedAfter": updated_after, "q": q, "sort": sort},
        )

    def export_ndjson(
        self,
        *,
        status: models.FormStatusLike | Sequence[models.FormStatusLike] | None = None,
        updated_after: int | None = None,
        q: str | None = None,
        sort: models.FormsSortLike | Sequence[models.FormsSortLike] | None = None,
        organization: str | None = None,
    ) -> Export[models.Form]:
        """Export forms as NDJSON.

        Needs the permission `forms:read`, or `forms:submit` for published forms.

        Args:
            updated_after: Changed in this second or later. For a coarse window, such as changes since
                yesterday. A sync that must miss nothing follows the change feed (`/events?order=asc`).
            q: Words to be found in the name.
            sort: Fields to sort by, separated by commas, each ascending, or with `-` in front of it
                descending. Newest first, when absent. Names are sorted without regard to case and accents.
            organization: Another one than the client's.
        """
        return self._export(
            models.Form,
            "GET",
            "/organizations/{orgId}/forms.ndjson",
            organization=organization,
            query={"status": status, "updatedAfter": updated_after, "q": q, "sort": sort},
        )

    def delete(
        self,
        form_id: str,
        *,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> None:
        """Delete a form.

        Needs the permission `forms:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        self._nothing(
            "DELETE",
            "/organizations/{orgId}/forms/{formId}",
            organization=organization,
            values={"formId": form_id},
            headers={"If-Match": if_match},
        )

    def get(
        self,
        form_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Form:
        """Read a form.

        With `forms:submit` alone only published forms are there, and `fields` are those of the published
        version. Needs the permission `forms:read`, or `forms:submit` for published forms.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.Form,
            "GET",
            "/organizations/{orgId}/forms/{formId}",
            organization=organization,
            values={"formId": form_id},
            headers={"If-None-Match": if_none_match},
        )

    def update(
        self,
        form_id: str,
        *,
        name: str | UnsetType = UNSET,
        description: str | UnsetType | None = UNSET,
        fields: Sequence[models.FormField | Mapping[str, Any]] | UnsetType | None = UNSET,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Form:
        """Change a form.

        Changed fields are the draft of the next version. A published form stays published, and its
        published version stays what it was, until the next publication. Needs the permission
        `forms:write`.

        Args:
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Form,
            "PATCH",
            "/organizations/{orgId}/forms/{formId}",
            organization=organization,
            values={"formId": form_id},
            body={"name": name, "description": description, "fields": fields},
            headers={"If-Match": if_match},
        )

    def archive(
        self,
        form_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Form:
        """Archive a form.

        For good: the form and its submissions can still be read, but neither changed nor added to. Needs
        the permission `forms:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Form,
            "POST",
            "/organizations/{orgId}/forms/{formId}/archive",
            organization=organization,
            values={"formId": form_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    def publish(
        self,
        form_id: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        organization: str | None = None,
    ) -> models.Form:
        """Publish a form.

        Freezes the fields as the next version (1, 2, …), which submissions have to fit from then on. Needs
        the permission `forms:write`.

        Args:
            idempotency_key: Yours, instead of one that is made for this call.
            if_match: The ETag last seen; 412 when the resource has changed since.
            organization: Another one than the client's.
        """
        return self._record(
            models.Form,
            "POST",
            "/organizations/{orgId}/forms/{formId}/publish",
            organization=organization,
            values={"formId": form_id},
            headers={"Idempotency-Key": idempotency_key, "If-Match": if_match},
        )

    def list_submissions(
        self,
        form_id: str,
        *,
        version: int | None = None,
        submitted_by: str | Sequence[str] | None = None,
        limit: int = 100,
        last_evaluated_key: str | None = None,
        organization: str | None = None,
    ) -> Pages[models.Submission]:
        """List form submissions.

        Needs the permission `forms:read`, or `forms:submit` for what is one's own.

        Args:
            submitted_by: Only those of this user.
            limit: How many items a page holds at most. All pages are read, whatever it is.
            last_evaluated_key: The cursor of a page, to begin behind it.
            organization: Another one than the client's.
        """
        return self._pages(
            models.Submission,
            "GET",
            "/organizations/{orgId}/forms/{formId}/submissions",
            organization=organization,
            values={"formId": form_id},
            query={
                "version": version,
                "submittedBy": submitted_by,
                "limit": limit,
                "lastEvaluatedKey": last_evaluated_key,
            },
        )

    def create_submission(
        self,
        form_id: str,
        *,
        answers: Mapping[str, Any],
        location_id: str | UnsetType | None = UNSET,
        submitted_by: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
        organization: str | None = None,
    ) -> models.Submission:
        """Submit a form.

        The answers must fit the latest published version; `details` names everything that doesn't. Needs
        the permission `forms:write`, or `forms:submit`.

        Args:
            answers: By the key of the field. `null` is no answer.
            location_id: Where the questions were answered.
            submitted_by: A user of the organization; the caller, when absent. Naming another needs
                `users:act-as`.
            idempotency_key: Yours, instead of one that is made for this call.
            organization: Another one than the client's.
        """
        return self._record(
            models.Submission,
            "POST",
            "/organizations/{orgId}/forms/{formId}/submissions",
            organization=organization,
            values={"formId": form_id},
            body={"answers": answers, "locationId": location_id, "submittedBy": submitted_by},
            headers={"Idempotency-Key": idempotency_key},
        )

    def export_submissions_csv(
        self,
        form_id: str,
        *,
        version: int | None = None,
        submitted_by: str | Sequence[str] | None = None,
        organization: str | None = None,
    ) -> Export[dict[str, Any]]:
        """Export form submissions as CSV.

        Needs the permission `forms:read`, or `forms:submit` for what is one's own.

        Args:
            submitted_by: Only those of this user.
            organization: Another one than the client's.
        """
        return self._export(
            dict[str, Any],
            "GET",
            "/organizations/{orgId}/forms/{formId}/submissions.csv",
            organization=organization,
            values={"formId": form_id},
            query={"version": version, "submittedBy": submitted_by},
        )

    def export_submissions_ndjson(
        self,
        form_id: str,
        *,
        version: int | None = None,
        submitted_by: str | Sequence[str] | None = None,
        organization: str | None = None,
    ) -> Export[models.Submission]:
        """Export form submissions as NDJSON.

        Needs the permission `forms:read`, or `forms:submit` for what is one's own.

        Args:
            submitted_by: Only those of this user.
            organization: Another one than the client's.
        """
        return self._export(
            models.Submission,
            "GET",
            "/organizations/{orgId}/forms/{formId}/submissions.ndjson",
            organization=organization,
            values={"formId": form_id},
            query={"version": version, "submittedBy": submitted_by},
        )

    def get_submission(
        self,
        form_id: str,
        submission_id: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.Submission:
        """Read a form submission.

        Needs the permission `forms:read`, or `forms:submit` for what is one's own.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.Submission,
            "GET",
            "/organizations/{orgId}/forms/{formId}/submissions/{submissionId}",
            organization=organization,
            values={"formId": form_id, "submissionId": submission_id},
            headers={"If-None-Match": if_none_match},
        )

    def get_version(
        self,
        form_id: str,
        version: str,
        *,
        if_none_match: str | None = None,
        organization: str | None = None,
    ) -> models.FormVersion:
        """Read a version of a form.

        What the form asked when this version was published. Needs the permission `forms:read`, or
        `forms:submit` for published forms.

        Args:
            if_none_match: The ETag last seen; 304 when nothing has changed.
            organization: Another one than the client's.
        """
        return self._record(
            models.FormVersion,
            "GET",
            "/organizations/{orgId}/forms/{formId}/versions/{version}",
            organization=organization,
            values={"formId": form_id, "version": version},
            headers={"If-None-Match": if_none_match},
        )
