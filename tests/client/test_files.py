"""Whole lists out, and files in."""

import csv
import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from steward_client import (
    AsyncSteward,
    ConnectionFailed,
    Forbidden,
    InvalidAnswer,
    Steward,
    ValidationFailed,
    models,
)

CSV = {"Content-Type": "text/csv; charset=utf-8"}
HEAD = b"externalId,name,type\n"


def _rows(number: int) -> bytes:
    return HEAD + b"".join(b"S-%d,Site %d,Site\n" % (one, one) for one in range(number))


def test_an_export_is_read_in_pieces_in_lines_and_as_records(steward: Steward) -> None:
    steward.work_orders.create(title="Line one\nline two\u2028still two")
    steward.work_orders.create(title='Says "drip, drip"')
    export = steward.work_orders.export_csv(status="Open")
    content = b"".join(export)
    assert content.count(b"wo_") == 2
    assert "".join(export.lines()).encode() == content
    rows = list(csv.DictReader(export.lines()))
    assert [row["title"].replace("\r\n", "\n") for row in rows] == [
        'Says "drip, drip"',
        "Line one\nline two\u2028still two",
    ]
    assert list(export.records()) == rows
    assert list(steward.work_orders.export_csv(status="Completed").records()) == []
    records = list(steward.work_orders.export_ndjson(status="Open").records())
    assert records == list(steward.work_orders.list())


def test_a_partially_read_stream_is_closed(steward: Steward) -> None:
    steward.work_orders.create(title="Leak")
    with steward.work_orders.export_csv() as export:
        assert next(iter(export.lines())).startswith("id,")
    assert steward.work_orders.export_csv(status="Completed").chunks()


def test_an_export_is_saved(steward: Steward, tmp_path: Path) -> None:
    steward.work_orders.create(title="Leak")
    target = tmp_path / "orders.csv"
    size = steward.work_orders.export_csv().save(target)
    assert target.stat().st_size == size > 0
    assert target.read_bytes() == b"".join(steward.work_orders.export_csv())
    assert list(tmp_path.iterdir()) == [target]
    assert steward.work_orders.export_csv().save("/dev/null") == size


def test_a_link_and_a_mode_stay_as_they_were(steward: Steward, tmp_path: Path) -> None:
    steward.work_orders.create(title="Leak")
    target, link = tmp_path / "orders.csv", tmp_path / "link.csv"
    target.write_text("of yesterday", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    size = steward.work_orders.export_csv().save(link)
    assert link.is_symlink()
    assert (target.stat().st_size, target.stat().st_mode & 0o777) == (size, 0o640)
    assert set(tmp_path.iterdir()) == {target, link}


class _BreaksOff(httpx.SyncByteStream):
    def __iter__(self) -> Iterator[bytes]:
        yield b"id,title\n"
        raise httpx.RemoteProtocolError("peer closed connection")


def test_a_failed_export_keeps_the_existing_file(tmp_path: Path) -> None:
    target = tmp_path / "orders.csv"
    target.write_text("of yesterday", encoding="utf-8")
    transport = httpx.MockTransport(lambda _request: httpx.Response(200, headers=CSV, stream=_BreaksOff()))
    with httpx.Client(transport=transport) as http:
        steward = Steward("http://steward.test", "key", "org_1", http_client=http)
        with pytest.raises(ConnectionFailed, match="broke off"):
            steward.work_orders.export_csv().save(target)
    assert target.read_text(encoding="utf-8") == "of yesterday"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    "headers", [{"Content-Type": "text/html"}, {"Content-Type": "application/x-ndjson"}, {}]
)
def test_a_login_page_is_not_taken_for_an_export(tmp_path: Path, headers: dict[str, str]) -> None:
    target = tmp_path / "orders.csv"
    target.write_text("of yesterday", encoding="utf-8")
    answer = httpx.MockTransport(
        lambda _request: httpx.Response(200, headers=headers, content=b"<h1>Log in</h1>")
    )
    with httpx.Client(transport=answer) as http:
        steward = Steward("http://steward.test", "key", "org_1", http_client=http)
        with pytest.raises(InvalidAnswer, match="in place of text/csv"):
            steward.work_orders.export_csv().save(target)
    assert target.read_text(encoding="utf-8") == "of yesterday"
    assert list(tmp_path.iterdir()) == [target]


def test_a_refused_export_reports_the_error(steward: Steward) -> None:
    with pytest.raises(Forbidden) as raised:
        list(steward.work_orders.export_csv(organization="org_another"))
    assert raised.value.request_id


def test_a_file_is_sent_in_any_of_its_forms(steward: Steward, tmp_path: Path) -> None:
    file = tmp_path / "sites.csv"
    file.write_bytes(_rows(3000))
    pieces = (_rows(3000)[start : start + 1000] for start in range(0, len(_rows(3000)), 1000))
    tried = steward.locations.import_(file, dry_run=True)
    assert (tried.rows, tried.created, tried.dry_run) == (3000, 3000, True)
    assert steward.locations.import_(str(file)).created == 3000
    assert steward.locations.import_(_rows(3000)).unchanged == 3000
    assert steward.locations.import_(io.BytesIO(_rows(3000))).unchanged == 3000
    assert steward.locations.import_(pieces).unchanged == 3000
    with file.open("rb") as opened:
        assert steward.locations.import_(opened).unchanged == 3000


def test_a_file_with_faults_names_its_rows(steward: Steward) -> None:
    report = steward.locations.import_(HEAD + b"S-1,,Site\n", dry_run=True)
    assert [error.line for error in report.errors] == [2]
    with pytest.raises(ValidationFailed) as raised:
        steward.locations.import_(HEAD + b"S-1,,Site\n")
    assert [detail.field for detail in raised.value.details] == ["line 2: name"]
    assert isinstance(report.errors[0], models.RowError)


def test_a_missing_file_is_reported_before_anything_is_sent(steward: Steward) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        steward.locations.import_("nowhere.csv")


def test_async_pieces_are_for_the_async_client(steward: Steward) -> None:
    with pytest.raises(TypeError, match="AsyncSteward"):
        steward.locations.import_(_pieces())  # type: ignore[arg-type]


async def _pieces() -> AsyncIterator[bytes]:
    yield HEAD
    yield b"S-1,Site 1,Site\n"


async def test_files_of_the_async_client(async_steward: AsyncSteward, tmp_path: Path) -> None:
    file = tmp_path / "sites.csv"
    file.write_bytes(HEAD + b"S-1,Site 1,Site\n")
    assert (await async_steward.locations.import_(_pieces())).created == 1
    assert (await async_steward.locations.import_(file)).unchanged == 1
    assert (await async_steward.locations.import_(iter([file.read_bytes()]))).unchanged == 1
    target = tmp_path / "out.csv"
    size = await async_steward.locations.export_csv().save(target)
    assert target.stat().st_size == size
    async with async_steward.locations.export_ndjson() as export:
        assert [site.external_id async for site in export.records()] == ["S-1"]
    assert b"".join([chunk async for chunk in async_steward.locations.export_csv()]) == target.read_bytes()
