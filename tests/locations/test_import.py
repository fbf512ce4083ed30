"""A tree of locations from one file, and back."""

import csv
import io
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

from steward.locations.imports.rules import from_the_top
from steward.locations.model import EXAMPLE


def send(organization: Organization, text: str, **query: str) -> httpx.Response:
    return organization.api.post(
        f"{organization.path}/locations/import",
        content=text.encode(),
        headers={"Content-Type": "text/csv"},
        params=query,
    )


def report(answer: httpx.Response) -> tuple[int, int, int]:
    assert answer.status_code == 200, answer.text
    data = data_of(answer)
    assert data["errors"] == []
    return data["created"], data["changed"], data["unchanged"]


def refused(answer: httpx.Response) -> list[tuple[str, str]]:
    assert answer.status_code == 422, answer.text
    return [(detail["field"], detail["message"]) for detail in answer.json()["details"]]


def tree(organization: Organization) -> dict[str, str | None]:
    """Who lies in whom, by name."""
    found = organization.locations.listed(limit=100)
    names = {location["id"]: location["name"] for location in found}
    return {location["name"]: names.get(location["parentId"]) for location in found}


TREE = """externalId,name,type,parentExternalId,code,address.city,latitude
HH-3-1,Room 1,Space,HH-3,,,
HH-3,Third floor,Floor,HH,HH-3,,
HH,Hamburg,Site,,,Hamburg,53.5
HH-3-2,Room 2,Space,HH-3,,,
"""


def test_a_tree_comes_in_any_order_and_goes_out_and_in_unchanged(organization: Organization) -> None:
    assert report(send(organization, TREE, dryRun="true")) == (4, 0, 0)
    assert tree(organization) == {}
    assert report(send(organization, TREE)) == (4, 0, 0)
    expected = {"Hamburg": None, "Third floor": "Hamburg", "Room 1": "Third floor", "Room 2": "Third floor"}
    assert tree(organization) == expected
    assert report(send(organization, TREE)) == (0, 0, 4)
    (site,) = organization.locations.listed(externalId="HH")
    assert (site["address"], site["latitude"]) == ({"city": "Hamburg"}, 53.5)
    export = organization.api.get(f"{organization.path}/locations.csv").text
    assert report(send(organization, export)) == (0, 0, 4)
    types = [event["type"] for event in organization.events()]
    assert types == ["location.created"] * 4


def test_an_edited_file_moves_renames_and_adds(organization: Organization) -> None:
    report(send(organization, TREE))
    names, *rows = csv.reader(organization.api.get(f"{organization.path}/locations.csv").text.splitlines())
    by_name: dict[str, dict[str, Any]] = {
        cells["name"]: cells for cells in (dict(zip(names, row, strict=True)) for row in rows)
    }
    by_name["Room 2"] |= {"parentId": "", "name": "Annexe", "type": "Building", "timezone": "Europe/Berlin"}
    by_name["Room 1"] |= {"parentId": by_name["Room 2"]["id"]}
    by_name["New"] = dict.fromkeys(names, "") | {"name": "New", "type": "Zone", "metadata": '{"a": [1]}'}
    edited = io.StringIO()
    csv.writer(edited).writerows([names, *(list(cells.values()) for cells in by_name.values())])
    assert report(send(organization, edited.getvalue())) == (1, 2, 2)
    assert tree(organization) == {
        "Hamburg": None,
        "Third floor": "Hamburg",
        "Annexe": None,
        "Room 1": "Annexe",
        "New": None,
    }
    (new,) = organization.locations.listed(q="new")
    assert new["metadata"] == {"a": [1]}
    top = "externalId,parentExternalId\nHH-3,\n"
    assert report(send(organization, top)) == (0, 1, 0)
    assert tree(organization)["Third floor"] is None


def test_invalid_lines_are_named_and_nothing_is_imported(
    organization: Organization, other_organization: Organization
) -> None:
    report(send(organization, TREE))
    theirs = other_organization.locations.create(externalId="THEIRS")
    before = organization.locations.listed()
    text = f"""externalId,name,type,parentId,parentExternalId,code,timezone
HH,Hamburg,Site,,HH-3-1,,
A,A,Zone,,B,,
B,B,Zone,,A,,
C,C,Zone,,THEIRS,,
D,D,Zone,{theirs["id"]},,,
E,E,Zone,,,HH-3,
F,F,Zone,,,X,
G,G,Zone,,,X,
H,H,Zone,,,,Europe/Nowhere
I,I,Hole,,,,
J,J,Zone,{before[0]["id"]},HH,,
"""
    assert refused(send(organization, text)) == [
        ("line 2: parentId", "a location can't lie in itself"),
        ("line 3: parentId", "a location can't lie in itself"),
        ("line 4: parentId", "a location can't lie in itself"),
        ("line 5: parentExternalId", "names no location of this organization, nor one of the file"),
        ("line 6: parentId", "names no location of this organization"),
        ("line 7: code", "HH-3 belongs to another location already"),
        ("line 9: code", "X stands in line 8 already"),
        ("line 10: timezone", "is not a time zone, such as Europe/Berlin"),
        ("line 11: type", "must be one of Site, Building, Floor, Space, Zone"),
        ("line 12: parentExternalId", "names another location than parentId"),
    ]
    assert organization.locations.listed() == before
    assert len(organization.events()) == 4


@pytest.mark.parametrize("order", ["abcd", "dcba", "bdac"])
def test_children_come_after_their_parents(order: str) -> None:
    parents = {"a": None, "b": "a", "c": "b", "d": "b"}
    made = [type(EXAMPLE)(**{**_fields(), "id": id, "parent_id": parents[id]}) for id in order]
    ordered = [location.id for location in from_the_top(made)]
    assert sorted(ordered) == sorted(order)
    for id, parent in parents.items():
        assert parent is None or ordered.index(parent) < ordered.index(id)


def _fields() -> dict[str, Any]:
    return {name: getattr(EXAMPLE, name) for name in EXAMPLE.__struct_fields__}
