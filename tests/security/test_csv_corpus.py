"""CSV as programs and people write it: every file is imported or refused by row, never half, and never run by a spreadsheet."""

import pytest
from tests.security.raw_socket import HANG_SECONDS
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.service import Service

HEAD = b"name,assetTypeId,externalId\r\n"
REFUSED = frozenset({400, 413, 422})
EITHER = REFUSED | {200}

# After HEAD, unless the entry brings one of its own; TYPE stands for a type of the organization.
CORPUS: dict[str, tuple[bytes, frozenset[int]]] = {
    "nothing": (b"", REFUSED),
    "a head alone": (HEAD, EITHER),
    "a byte order mark": (b"\xef\xbb\xbf" + HEAD + b"bom,TYPE,bom\r\n", frozenset({200})),
    "line feeds": (b"name,assetTypeId,externalId\nlf,TYPE,lf\n", frozenset({200})),
    "mixed line ends": (HEAD + b"m1,TYPE,m1\nm2,TYPE,m2\r\nm3,TYPE,m3", frozenset({200})),
    "old line ends": (b"name,assetTypeId,externalId\rcr,TYPE,cr\r", EITHER),
    "a line in quotes": (HEAD + b'"a\r\nb",TYPE,quoted\r\n', EITHER),
    "quotes in quotes": (HEAD + b'"a ""b"" c",TYPE,twice\r\n', frozenset({200})),
    "a quote without end": (HEAD + b'"a,TYPE,open\r\n', REFUSED),
    "a quote inside": (HEAD + b'a"b,TYPE,inside\r\n', EITHER),
    "something after a quote": (HEAD + b'"a"b,TYPE,after\r\n', EITHER),
    "NUL": (HEAD + b"a\0b,TYPE,nul\r\n", REFUSED),
    "bytes that are no UTF-8": (HEAD + b"\xff\xfe,TYPE,bytes\r\n", REFUSED),
    "UTF-16": ("name,assetTypeId\r\na,b\r\n".encode("utf-16"), REFUSED),
    "control characters": (HEAD + b"a\x01\x02,TYPE,control\r\n", EITHER),
    "too few cells": (HEAD + b"a\r\n", REFUSED),
    "too many cells": (HEAD + b"a,TYPE,many,d,e,f\r\n", REFUSED),
    "empty lines": (HEAD + b"\r\n\r\nempty,TYPE,empty\r\n\r\n", EITHER),
    "a column twice": (b"name,name,assetTypeId\r\na,b,TYPE\r\n", REFUSED),
    "an unknown column": (b"name,assetTypeId,surprise\r\na,TYPE,b\r\n", REFUSED),
    "a column without a name": (b"name,assetTypeId,\r\na,TYPE,b\r\n", REFUSED),
    "no head": (b"a,TYPE,b\r\n", REFUSED),
    "semicolons": (b"name;assetTypeId\r\na;TYPE\r\n", EITHER),
    "a huge cell": (HEAD + b"a" * 900_000 + b",TYPE,huge\r\n", REFUSED),
    "a cell over csv's own limit": (HEAD + b'"' + b"a" * 200_000 + b'",TYPE,limit\r\n', REFUSED),
    "very many columns": (b",".join(b"c%d" % n for n in range(50_000)) + b"\r\n", REFUSED),
    "very many rows": (HEAD + b"a,TYPE\r\n" * 60_000, REFUSED),
    "nothing but commas": (b"," * 500_000, REFUSED),
    "nothing but quotes": (b'"' * 500_001, REFUSED),
    "one bad row of two": (HEAD + b"good,TYPE,good\r\n,TYPE,bad\r\n", REFUSED),
    "one byte too many": (b"a" * (4 * 1024 * 1024 + 1), frozenset({413})),
}
FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "=cmd|' /C calc'!A0", "\t=1", '=HYPERLINK("http://a")']


class Importer:
    def __init__(self, organization: Organization) -> None:
        self.organization = organization
        self.headers = {"X-API-Key": organization.secret}
        answer = organization.api.post(f"/v2{organization.path}/asset-types", json={"name": "Pump"})
        self.type_id = data_of(answer)["id"]

    def send(self, raw: bytes) -> tuple[int, str]:
        with self.organization.client() as client:
            answer = client.post(
                f"{self.organization.path}/assets/import",
                content=raw.replace(b"TYPE", self.type_id.encode()),
                headers={**self.headers, "Content-Type": "text/csv"},
                timeout=HANG_SECONDS,
            )
            assert client.get("/health/live").status_code == 200
        return answer.status_code, answer.text

    def names(self) -> list[str]:
        with self.organization.client() as client:
            answer = client.get(
                f"{self.organization.path}/assets", params={"limit": 100}, headers=self.headers
            )
        return [asset["name"] for asset in data_of(answer)]


@pytest.fixture(scope="module")
def importer(running_service: Service) -> Importer:
    return Importer(Organization(running_service.base_url, running_service.database_url, "Enterprise"))


@pytest.mark.parametrize("name", CORPUS)
def test_a_file_is_imported_or_refused(importer: Importer, name: str) -> None:
    raw, allowed = CORPUS[name]
    before = importer.names()
    status, text = importer.send(raw)
    assert status in allowed, text[:500]
    assert len(text) < 100_000
    if status != 200:
        assert importer.names() == before, "something of a refused file was stored"


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_comes_back_as_text(importer: Importer, formula: str) -> None:
    quoted = '"' + formula.replace('"', '""') + '"'
    status, text = importer.send(HEAD + quoted.encode() + b",TYPE,formula-%d\r\n" % FORMULAS.index(formula))
    assert status == 200, text
    assert formula.strip() in {name.strip() for name in importer.names()}
    with importer.organization.client() as client:
        exported = client.get(f"{importer.organization.path}/assets.csv", headers=importer.headers).text
    cells = [cell for line in exported.splitlines() for cell in line.split(",")]
    assert not [
        cell for cell in cells if cell.strip('"')[:1] in {"=", "+", "@", "\t"} or cell.startswith("-1")
    ]


def test_exports_can_be_imported_again(importer: Importer) -> None:
    """The mark that keeps a spreadsheet from computing a cell is not part of its text."""
    status, text = importer.send(HEAD + b"'=2+2,TYPE,formula-again\r\n")
    assert status == 200, text
    assert "=2+2" in importer.names()
