"""Folding of texts for searches, and the rewriting of search columns when it changes."""

import asyncio
import unicodedata

import pytest
from tests.support.answers import data_of
from tests.support.databases import fetch
from tests.support.organizations import Organization

from steward.kit.db import search, search_columns
from steward.kit.domain.problems import Invalid
from steward.kit.security.caller import TenantId
from steward.slices import SLICES

ORG = TenantId("org_1")


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Muñoz", "munoz"),
        ("Mun\u0303oz", "munoz"),
        ("STRASSE Straße", "strasse strasse"),
        ("Ærøskøbing, Łódź", "aeroskobing, lodz"),
        ("İstanbul ısı", "istanbul isi"),  # noqa: RUF001
        ("Ёлка", "елка"),
        ("\uff32\uff4fom\u3000\uff17", "room 7"),
        ("ﬁre", "fire"),
        ("  Big \t house\n", "big house"),
        # Marks that make another letter stay.
        ("ガス", "ガス"),
        ("한국", "한국"),
        ("हिन्दी", "हिन्दी"),
        ("น้ำ", unicodedata.normalize("NFKC", "น้ำ")),
    ],
)
def test_case_accents_and_width_make_no_difference(written: str, folded: str) -> None:
    assert search.fold(written) == folded


def test_folded_hours_stay_unchanged() -> None:
    for point in range(
        0x3400
    ):  # the alphabets; nearly all that comes after them are ideographs and syllables
        once = search.fold(f"a{chr(point)}b")
        assert search.fold(once) == once, hex(point)


def test_short_words_are_ignored() -> None:
    assert search.query(ORG, "x pump 7")[1] == ["%pump%"]
    assert [search.narrows(q) for q in ("", " ", "x", "a b c", "ab", "水")] == [False] * 4 + [True] * 2
    with pytest.raises(Invalid):
        search.narrows("x" * 201)
    assert not search.is_searchable("x" * 201)


class TestTheList:
    def _names(self, organization: Organization, resource: str, q: str) -> list[str]:
        answer = organization.api.get(f"{organization.path}/{resource}", params={"q": q})
        assert answer.status_code == 200, answer.text
        return [record["name"] for record in data_of(answer)]

    def test_finds_without_accents_and_by_address(self, organization: Organization) -> None:
        organization.visitors.create(name="José Muñoz", company="Straßenbau Łódź", email="jose@example.org")
        for q in ("munoz", "MUÑOZ", "jose muñoz", "strasse", "lodz", "jose@example", "m jose x"):
            assert self._names(organization, "visitors", q) == ["José Muñoz"], q
        assert self._names(organization, "visitors", "josef") == []
        organization.new_user(name="Zoë Smith", email="z.smith.of.nowhere@example.org")
        for q in ("zoe", "smith.of.nowhere"):
            assert self._names(organization, "users", q) == ["Zoë Smith"]
        assert self._names(organization, "roles", "TECHNI") == ["Technician"]

    def test_is_whole_where_there_is_nothing_to_search_for(self, organization: Organization) -> None:
        organization.locations.create("Cellar")
        for q in ("", " ", "z", "y z"):
            assert self._names(organization, "locations", q) == ["Cellar"]


class TestTheColumns:
    def test_are_written_anew_where_they_have_another_form(self, organization: Organization) -> None:
        cellar = organization.locations.create("Vestíbulo")
        untouched = organization.locations.create("Cellar")
        organization.sql(
            """UPDATE locations SET search_text = CASE WHEN id = $2 THEN 'vestíbulo' ELSE search_text END, search_grams = '{}'
               WHERE organization_id = $1""",
            organization.id,
            cellar["id"],
        )
        organization.sql("UPDATE search_forms SET form = '1' WHERE name = 'locations'")
        asyncio.run(search_columns.write_search_columns(organization.database_url))
        rows = organization.sql(
            "SELECT id, search_text, search_grams FROM locations WHERE organization_id = $1", organization.id
        )
        grams = search.grams(TenantId(organization.id), "vestibulo")
        # What has the right text already is left alone.
        assert sorted(map(tuple, rows)) == sorted(
            [(cellar["id"], "vestibulo", grams), (untouched["id"], "cellar", [])]
        )

    def test_search_columns_of_every_table_are_known_to_migrations(self, database_url: str) -> None:
        assert SLICES
        with_columns = fetch(
            database_url,
            """SELECT table_name::text FROM information_schema.columns
               WHERE table_schema = 'public' AND column_name = 'search_grams'""",
        )
        noted = fetch(database_url, "SELECT name, form FROM search_forms")
        assert {row[0] for row in with_columns} == {row[0] for row in noted}
        assert {row[0]: row[1] for row in noted} == {
            table.name: table.form for table in search_columns.REGISTERED.values()
        }
