import csv
import html
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization


def _rows(*rows: dict[str, str]) -> dict[str, str]:
    return {
        f"fields.{at}.{name}": value
        for at, row in enumerate(rows)
        for name, value in {"type": "text", "label": "", "key": "", "options": "", **row}.items()
    }


def _form(organization: Organization, id: str) -> dict[str, Any]:
    form: dict[str, Any] = data_of(organization.api.get(f"{organization.path}/forms/{id}"))
    return form


def _published(organization: Organization, *fields: dict[str, Any]) -> str:
    id: str = organization.created("forms", {"name": "Round <1>", "fields": list(fields)})["id"]
    assert organization.api.post(f"{organization.path}/forms/{id}/publish").status_code == 200
    return id


def _submissions(organization: Organization, id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = data_of(organization.api.get(f"{organization.path}/forms/{id}/submissions"))
    return found


def test_a_form_is_built_changed_and_published(organization: Organization, admin: BrowserClient) -> None:
    data = _rows(
        {"label": "Is the exit clear?", "type": "passFail", "required": "true"},
        {},
        {"label": "Is the exit clear?", "type": "select", "options": " Yes \r\n\r\nNo\r\n"},
        {"label": "Bar", "type": "number", "min": "0", "max": "2.5", "options": "ignored"},
        {"label": "Mind the step", "type": "instruction", "required": "true", "min": "3"},
    )
    answer = admin.post("/app/forms", data={"name": "Round", **data})
    id = answer.headers["location"].rpartition("/")[2]
    form = _form(organization, id)
    assert form["fields"] == [
        {"key": "is_the_exit_clear", "label": "Is the exit clear?", "type": "passFail", "required": True, "options": None, "min": None, "max": None},
        {"key": "is_the_exit_clear_2", "label": "Is the exit clear?", "type": "select", "required": False, "options": ["Yes", "No"], "min": None, "max": None},
        {"key": "bar", "label": "Bar", "type": "number", "required": False, "options": None, "min": 0, "max": 2.5},
        {"key": "mind_the_step", "label": "Mind the step", "type": "instruction", "required": False, "options": None, "min": None, "max": None},
    ]  # fmt: skip
    page = admin.sees(f"/app/forms/{id}")
    assert 'value="is_the_exit_clear_2"' in page
    version = page.split("?version=")[1].split('"')[0]
    change = {"name": "Round 2", "description": "Daily", **_rows({"label": "Bar", "key": "bar"})}
    path = f"/app/forms/{id}?version={version}"
    assert admin.post(path, data=change).status_code == 303
    assert [field["key"] for field in _form(organization, id)["fields"]] == ["bar"]
    stale = admin.post(path, data={**change, "name": "Too late"})
    assert stale.status_code == 412
    assert 'value="Too late"' in stale.text
    assert admin.post(f"/app/forms/{id}/publish").status_code == 303
    assert (_form(organization, id)["status"], _form(organization, id)["version"]) == ("Published", 1)
    assert "Version 1: 1 fields" in admin.sees(f"/app/forms/{id}")


@pytest.mark.parametrize(
    ("name", "row", "words"),
    [
        ("", {}, 'id="name-error">Fill this in.'),
        ("Round", {"label": "x" * 2001}, "t most 2000 characters"),
        ("Round", {"key": "not a key"}, "etters, digits, - and _ only"),
        ("Round", {"type": "select"}, "s required for select"),
        ("Round", {"type": "select", "options": "\n".join(map(str, range(201)))}, "t most 200 options"),
        ("Round", {"type": "select", "options": "a\na"}, "ames an option twice"),
        ("Round", {"type": "number", "min": "3", "max": "1"}, "eaves no answer between"),
        ("Round", {"type": "number", "min": "1e30"}, "ot such a large number"),
        ("Round", {"type": "number", "min": "few"}, "Use a number."),
        ("Round", {"key": "first"}, "is the key of another field already"),
    ],
)
def test_errors_are_shown_in_their_rows_and_input_is_kept(
    organization: Organization, admin: BrowserClient, name: str, row: dict[str, str], words: str
) -> None:
    wrong = {"label": "Second <question>", **row}
    data = _rows({"label": "First question", "key": "first"}, {}, wrong)
    answer = admin.post("/app/forms", data={"name": name, "description": "Kept", **data})
    assert answer.status_code == 422
    assert words in answer.text
    rows = answer.text.split("<template")[0].split('class="build-row card"')[1:]
    assert 'value="First question"' in rows[0]
    assert f'value="{html.escape(wrong["label"])}"' in rows[2]
    assert f'value="{row.get("type", "text")}" selected' in rows[2]
    assert row.get("min", "") in rows[2]
    assert ('class="error"' in rows[2]) == bool(name)
    assert 'class="error"' not in rows[0] + rows[1]
    assert "Kept</textarea>" in answer.text
    assert data_of(organization.api.get(f"{organization.path}/forms")) == []


def test_the_preview_shows_the_form_and_its_errors(organization: Organization, admin: BrowserClient) -> None:
    row = {"label": "How <many>?", "type": "rating"}
    answer = admin.post("/app/forms/preview", data={"name": "Round", **_rows(row)})
    assert answer.status_code == 200
    assert "How &lt;many&gt;?" in answer.text
    assert answer.text.count('type="radio"') == 5
    answer = admin.post(
        "/app/forms/preview", data={"name": "Round", **_rows({}, {"label": "a", "type": "select"})}
    )
    assert "Question 2, options: is required for select" in answer.text
    assert "Fill in a name" in admin.post("/app/forms/preview", data={"name": ""}).text
    assert data_of(organization.api.get(f"{organization.path}/forms")) == []


@pytest.mark.parametrize(
    ("bounds", "choices"),
    [
        ({}, ["1", "2", "3", "4", "5"]),
        ({"min": 0, "max": 2}, ["0", "1", "2"]),
        ({"min": -1, "max": 0}, ["-1", "0"]),
    ],
)
def test_a_rating_offers_its_allowed_values(
    organization: Organization, admin: BrowserClient, bounds: dict[str, int], choices: list[str]
) -> None:
    id = _published(organization, {"key": "r", "label": "Rating", "type": "rating", **bounds})
    page = admin.sees(f"/app/forms/{id}/fill")
    assert [part.split('"')[0] for part in page.split('name="answers.r" value="')[1:]] == choices
    assert admin.post(f"/app/forms/{id}/fill", data={"answers.r": choices[0]}).status_code == 303
    assert _submissions(organization, id)[0]["answers"] == {"r": int(choices[0])}


def test_a_rating_with_many_values_is_a_number(organization: Organization, admin: BrowserClient) -> None:
    id = _published(organization, {"key": "r", "label": "Rating", "type": "rating", "max": 10**15})
    page = admin.sees(f"/app/forms/{id}/fill")
    assert 'name="answers.r" type="number"' in page
    assert 'type="radio"' not in page


_ASKED = (
    {"key": "exit", "label": "Exit", "type": "passFail", "required": True},
    {"key": "bar", "label": "Bar", "type": "number", "min": 0, "max": 25},
    {"key": "parts", "label": "Parts", "type": "multiSelect", "options": ["A", "B", "C"]},
    {"key": "day", "label": "Day", "type": "date"},
    {"key": "note", "label": "Note", "type": "longText"},
)


def test_a_form_is_filled_in_listed_and_exported(organization: Organization, admin: BrowserClient) -> None:
    id = _published(organization, *_ASKED)
    place = organization.locations.create(name="Cellar", type="Building")["id"]
    data = {
        "locationId": place,
        "answers.exit": "Fail",
        "answers.bar": "2.5",
        "answers.parts": ["A", "C"],
        "answers.day": "2026-11-16",
        "answers.note": "<b>wet</b>\r\nfloor",
        "answers.unknown": "ignored",
    }
    answer = admin.post(f"/app/forms/{id}/fill", data=data)
    assert answer.status_code == 303, answer.text
    (made,) = _submissions(organization, id)
    assert made["answers"] == {
        "exit": "Fail",
        "bar": 2.5,
        "parts": ["A", "C"],
        "day": "2026-11-16",
        "note": "<b>wet</b>\nfloor",
    }
    assert (made["locationId"], made["submittedBy"]) == (place, organization.user_id)
    page = admin.sees(answer.headers["location"])
    for text in ("Sent.", "&lt;b&gt;wet&lt;/b&gt;", "A, C", "Cellar", "2.5"):
        assert text in page
    assert "<b>wet" not in page
    assert "Cellar" in admin.sees(f"/app/forms/{id}/submissions")
    (row,) = csv.DictReader(admin.sees(f"/app/forms/{id}/submissions.csv").splitlines())
    assert row["locationId"] == place


@pytest.mark.parametrize(
    ("answers", "field", "words"),
    [
        ({}, "exit", "Is required"),
        ({"exit": "Maybe"}, "exit", "Must be one of Pass, Fail, NA"),
        ({"bar": "26"}, "bar", "Must be from 0 to 25"),
        ({"bar": "nan"}, "bar", "Must be a number"),
        ({"bar": "9" * 5000}, "bar", "Must be a number"),
        ({"parts": "D"}, "parts", "Must be one of A, B, C"),
        ({"day": "16.11."}, "day", "Must be a date"),
        ({"note": "x" * 10_001}, "note", "at most 10000"),
    ],
)
def test_an_invalid_answer_is_reported_and_the_others_are_kept(
    organization: Organization, admin: BrowserClient, answers: dict[str, str], field: str, words: str
) -> None:
    id = _published(organization, *_ASKED)
    good = {"answers.note": "Kept <as> it is", **({"answers.exit": "Pass"} if answers else {})}
    sent = {**good, **{f"answers.{key}": value for key, value in answers.items()}}
    answer = admin.post(f"/app/forms/{id}/fill", data=sent)
    assert answer.status_code == 422
    assert words in answer.text
    if f"answers.{field}" in sent:
        assert words in answer.text.split(f'id="answers.{field}-error">')[1][:200]
    if field != "note":
        assert "Kept &lt;as&gt; it is</textarea>" in answer.text
    assert _submissions(organization, id) == []


def test_submitters_see_the_published_version(organization: Organization, admin: BrowserClient) -> None:
    id = _published(organization, *_ASKED[:2])
    changes = {"name": "Round", **_rows({"label": "Only this", "key": "only"})}
    assert admin.post(f"/app/forms/{id}", data=changes).status_code == 303
    assert "Only this" not in admin.sees(f"/app/forms/{id}/fill")
    assert admin.post(f"/app/forms/{id}/fill", data={"answers.exit": "Pass"}).status_code == 303
    draft = organization.created("forms", {"name": "Draft", "fields": list(_ASKED)})["id"]
    assert admin.get(f"/app/forms/{draft}/fill").status_code == 409
    assert admin.post(f"/app/forms/{id}/archive").status_code == 303
    assert admin.post(f"/app/forms/{id}/fill", data={"answers.exit": "Pass"}).status_code == 409
    assert "/fill" not in admin.sees(f"/app/forms/{id}")
    answer = admin.post(f"/app/forms/{id}/delete")
    assert answer.status_code in {409, 422}
    assert "submission" in answer.text


def test_forms_need_their_permission(
    organization: Organization, other_organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    id, foreign = _published(organization, *_ASKED), _published(other_organization, *_ASKED)
    viewer = logged_in(organization.new_user("Viewer")["email"])
    page = viewer.sees(f"/app/forms/{id}")
    for absent in ('id="builder"', "/fill", "/archive", "/delete", "builder.js"):
        assert absent not in page
    assert "/fill" not in viewer.sees("/app/forms") + viewer.sees(f"/app/forms/{id}/submissions")
    assert viewer.get(f"/app/forms/{id}/fill").status_code == 403
    assert viewer.post("/app/forms", data={"name": "x"}).status_code == 403
    role = organization.created("roles", {"name": "Fills in", "permissions": ["forms:write"]})
    writer = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    answer = writer.post(f"/app/forms/{id}/fill", data={"answers.exit": "Pass"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/app")
    for path in (f"/app/forms/{foreign}", f"/app/forms/{foreign}/submissions", f"/app/forms/{foreign}/fill"):
        assert logged_in(organization.email).get(path).status_code == 404
    headers = {"Origin": "https://elsewhere.example"}
    assert (
        writer.post(f"/app/forms/{id}/fill", data={"answers.exit": "Pass"}, headers=headers).status_code
        == 403
    )
    assert len(_submissions(organization, id)) == 1
