"""What a browser sends, as the Struct that a page names."""

import asyncio
from datetime import UTC, tzinfo
from enum import StrEnum
from typing import Annotated, Any, cast
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Meta, UnsetType

from steward.kit.domain.problems import BadRequest, PayloadTooLarge, UnsupportedMediaType
from steward.kit.http.request import Request
from steward.kit.web.form import SubmittedForm
from steward.web.form_data import MAXIMUM_FORM, MAXIMUM_PUBLIC_FORM, read_form

BERLIN = ZoneInfo("Europe/Berlin")
_FORM = "application/x-www-form-urlencoded"


class Colour(StrEnum):
    RED = "Red"
    BLUE = "Blue"


class Line(msgspec.Struct, frozen=True):
    text: Annotated[str, Meta(max_length=5)]
    quantity: int = 1


class Target(msgspec.Struct, frozen=True):
    minutes: Annotated[int, Meta(ge=1)]


class Order(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    title: Annotated[str, Meta(max_length=10)]
    due_at: int | None = None
    colour: Colour = Colour.RED
    done: bool = False
    tags: Annotated[list[str], Meta(max_length=2)] = []
    lines: list[Line] = []
    targets: dict[Colour, Target] = {}


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    title: str | UnsetType = UNSET
    note: str | UnsetType | None = UNSET


class _Sent:
    """As much of a request as a form is."""

    def __init__(self, body: bytes, content_type: str | None) -> None:
        self._body, self._type = body, content_type

    def header(self, name: str) -> str | None:
        return self._type if name == "content-type" else None

    async def body(self, limit: int) -> bytes:
        if len(self._body) > limit:
            raise PayloadTooLarge("too large")
        return self._body


def _read(
    sent: Any,
    model: type[msgspec.Struct] = Order,
    zone: tzinfo = UTC,
    *,
    content_type: str | None = _FORM,
    public: bool = False,
    upload: bool = False,
) -> SubmittedForm[Any]:
    body = sent if isinstance(sent, bytes) else urlencode(sent).encode()
    request = cast(Request, _Sent(body, content_type))
    return asyncio.run(read_form(request, model, zone, public=public, upload=upload))


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({}, {}),
        ({"dueAt": "", "colour": " "}, {}),
        ({"colour": "Blue", "done": "true"}, {"colour": Colour.BLUE, "done": True}),
        # A browser sends a hidden field and then the box; the last one counts.
        ([("done", "false"), ("done", "true")], {"done": True}),
        ([("tags", ""), ("tags", "a"), ("tags", "b")], {"tags": ["a", "b"]}),
        ({"tags": ""}, {"tags": []}),
        ({"lines.0.text": "a", "lines.0.quantity": "2"}, {"lines": [Line("a", 2)]}),
        # By number and not by letter, without what nobody filled in.
        (
            {"lines.10.text": "c", "lines.9.text": "b", "lines.2.text": " ", "lines.1.text": "a"},
            {"lines": [Line("a"), Line("b"), Line("c")]},
        ),
        ({"lines": ""}, {"lines": []}),
        ({"targets.Red.minutes": "5"}, {"targets": {Colour.RED: Target(5)}}),
        ({"unknown": "x", "title.0": "y"}, {}),
        # Deeper and longer than any form of ours: no field, and nothing worse.
        ({"lines." + "0." * 5000 + "text": "x"}, {}),
    ],
)
def test_form_data_becomes_a_struct(sent: Any, expected: dict[str, Any]) -> None:
    pairs = [("title", "Lift"), *(sent.items() if isinstance(sent, dict) else sent)]
    form = _read(pairs)
    assert form.errors == {}
    assert form.content == Order(title="Lift", **expected)


@pytest.mark.parametrize(
    ("sent", "errors"),
    [
        ({}, {"title": "Fill this in."}),
        ({"title": "  "}, {"title": "Fill this in."}),
        ({"title": "x" * 11}, {"title": "Use at most 10 characters."}),
        ({"title": "x", "colour": "Green"}, {"colour": "Choose one of the values that are offered."}),
        ({"title": "x", "dueAt": "soon"}, {"dueAt": "Use a whole number."}),
        ({"title": "x", "lines.0.text": "toolong"}, {"lines.0.text": "Use at most 5 characters."}),
        ({"title": "x", "lines.3.quantity": "2"}, {"lines.0": "Fill this in."}),
        (
            {"title": "x", "lines.0.text": "a", "lines.0.quantity": "b"},
            {"lines.0.quantity": "Use a whole number."},
        ),
        ([("title", "x"), *[("tags", "t")] * 3], {"tags": "Give at most 2 of these."}),
        (
            {"title": "x", "targets.Red.minutes": "0", "targets.Blue.minutes": "many"},
            {
                "targets.Red.minutes": "Use a number that is at least 1.",
                "targets.Blue.minutes": "Use a whole number.",
            },
        ),
        ({"title": "x", "lines." + "9" * 5000 + ".text": "a"}, {"lines": "This does not look right."}),
        (
            {"title": "", "colour": "?"},
            {"title": "Fill this in.", "colour": "Choose one of the values that are offered."},
        ),
    ],
)
def test_errors_use_the_field_names_of_the_form(sent: Any, errors: dict[str, str]) -> None:
    form = _read(sent)
    assert form.content is None
    assert form.errors == errors


def test_a_required_field_cannot_be_blank() -> None:
    assert _read({"title": " ", "note": "x"}, Changes).errors == {"title": "Fill this in."}


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({}, Changes()),
        ({"note": "x"}, Changes(note="x")),
        ({"note": " "}, Changes(note=None)),
    ],
)
def test_in_changes_a_blank_clears_and_an_absent_field_stays(sent: dict[str, str], expected: Changes) -> None:
    assert _read(sent, Changes).content == expected


@pytest.mark.parametrize(
    ("text", "zone", "seconds"),
    [
        ("2026-11-16T09:30", UTC, 1_794_821_400),
        ("2026-11-16T09:30", BERLIN, 1_794_817_800),
        ("2026-07-16T09:30:15", BERLIN, 1_784_187_015),
        ("2026-11-16", BERLIN, 1_794_783_600),
        # The clocks go forward from two to three: half past two is not there, and means half past three.
        ("2026-03-29T01:59", BERLIN, 1_774_745_940),
        ("2026-03-29T02:30", BERLIN, 1_774_747_800),
        ("2026-03-29T03:30", BERLIN, 1_774_747_800),
        # They go back from three to two: half past two is there twice, and the first one is meant.
        ("2026-10-25T02:30", BERLIN, 1_792_888_200),
        ("2026-10-25T03:30", BERLIN, 1_792_895_400),
        ("1794821400", BERLIN, 1_794_821_400),
    ],
)
def test_times_are_shown_in_the_viewers_time_zone(text: str, zone: tzinfo, seconds: int) -> None:
    assert _read({"title": "x", "dueAt": text}, zone=zone).content == Order(title="x", due_at=seconds)


@pytest.mark.parametrize("text", ["2026-02-30T10:00", "2026-11-16T25:00", "0000-01-01", "16.11.2026"])
def test_a_nonexistent_local_time_is_reported(text: str) -> None:
    assert "dueAt" in _read({"title": "x", "dueAt": text}, zone=BERLIN).errors


def test_lines_end_with_one_character() -> None:
    assert _read({"title": "a\r\nb"}).content == Order(title="a\nb")


@pytest.mark.parametrize(
    "body", [b"title=%00", b"ti%00tle=x", b"title=%ff", "title=ü".encode(), b"&".join([b"a=1"] * 4001)]
)
def test_unreadable_requests_are_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        _read(body)


def test_anonymous_bodies_have_a_lower_limit() -> None:
    with pytest.raises(PayloadTooLarge):
        _read({"title": "x" * MAXIMUM_PUBLIC_FORM}, public=True)
    with pytest.raises(BadRequest):
        _read({f"f{number}": "1" for number in range(201)}, public=True)
    assert _read({"title": "x" * MAXIMUM_PUBLIC_FORM}).errors == {"title": "Use at most 10 characters."}
    with pytest.raises(PayloadTooLarge):
        _read({"title": "x" * MAXIMUM_FORM})


@pytest.mark.parametrize(
    "content_type", ["application/json", "text/plain", "multipart/form-data; boundary=b"]
)
def test_another_type_is_no_form(content_type: str) -> None:
    with pytest.raises(UnsupportedMediaType):
        _read(b"{}", content_type=content_type)


class Upload(msgspec.Struct, frozen=True):
    file: str
    name: str | None = None


def _multipart(*parts: tuple[str, bytes], boundary: str = "----b") -> bytes:
    head = "--{}\r\nContent-Disposition: form-data; {}\r\n\r\n"
    body = b"".join(head.format(boundary, about).encode() + content + b"\r\n" for about, content in parts)
    return body + f"--{boundary}--\r\n".encode()


def _upload(body: bytes, boundary: str = "----b") -> SubmittedForm[Any]:
    kind = f"multipart/form-data; boundary={boundary}"
    return _read(body, Upload, content_type=kind, upload=True)


def test_a_file_is_the_text_that_it_holds() -> None:
    rows = "key,name\r\n1,Räume\r\n\r\n".encode()
    sent = _multipart(
        ('name="file"; filename="Räume & so.csv"\r\nContent-Type: text/csv', b"\xef\xbb\xbf" + rows),
        ('name="name"', b"Import"),
    )
    form = _upload(sent)
    assert form.content == Upload("key,name\n1,Räume\n\n", "Import")
    # No file was chosen.
    assert _upload(_multipart(('name="file"; filename=""', b""))).errors == {"file": "Fill this in."}


@pytest.mark.parametrize(
    "body",
    [
        b"nothing of the kind",
        b"",
        _multipart(('name="file"; filename="a"', b"\xff\xfe")),
        _multipart(('filename="a"', b"x")),
        _multipart(('name="file"', b"\0")),
        _multipart(('name="file"\r\nContent-Type: multipart/mixed; boundary=c', b"--c\r\n\r\nx\r\n--c--")),
        # Cut short: in a header, in the file, and in the last boundary.
        *(_multipart(('name="file"; filename="a"', b"x"))[:end] for end in (30, -20, -3)),
        _multipart(*[('name="name"', b"x")] * 201),
        _multipart(('name="file"\r\n' + "X: y\r\n" * 20, b"x")),
        _multipart(('name="file"\r\nX: ' + "y" * 5000, b"x")),
        _multipart(('name="file"\r\nContent-Transfer-Encoding: base64', b"?")),
    ],
)
def test_upload_that_is_malformed_or_not_text_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest):
        _upload(body)


@pytest.mark.parametrize("parameter", ["", "; boundary=" + "x" * 300, "; boundary=\u20ac"])
def test_upload_without_a_usable_boundary_is_refused(parameter: str) -> None:
    body = _multipart(('name="file"', b"x"), boundary=parameter.partition("=")[2])
    with pytest.raises(BadRequest):
        _read(body, Upload, content_type=f"multipart/form-data{parameter}", upload=True)


@pytest.mark.parametrize(
    "content", ["\r" * 999, "\r\n" * 999, "\r\n--" * 999, "\r\n------" * 999, "-" * 9999]
)
def test_upload_that_looks_like_boundaries_stays_whole(content: str) -> None:
    form = _upload(_multipart(('name="file"; filename="a"', content.encode() + b".")))
    assert form.content == Upload((content + ".").replace("\r\n", "\n"))


_NAMES = st.lists(
    st.sampled_from(["title", "lines", "targets", "tags", "0", "1", "٣", "text", "Red", "minutes", "", "x"]),
    min_size=1,
    max_size=5,
).map(".".join)


@given(st.lists(st.tuples(_NAMES, st.text(st.characters(codec="utf-8"), max_size=8)), max_size=8))
def test_any_input_is_content_or_errors(pairs: list[tuple[str, str]]) -> None:
    try:
        form = _read(pairs)
    except BadRequest:
        assert any("\0" in value for _, value in pairs)
    else:
        assert (form.content is None) == bool(form.errors)


@given(
    st.datetimes(
        timezones=st.sampled_from([UTC, BERLIN, ZoneInfo("America/St_Johns"), ZoneInfo("Asia/Kolkata")])
    )
)
def test_a_displayed_time_can_be_parsed_again(moment: Any) -> None:
    shown = moment.replace(second=0, microsecond=0)
    content = _read(
        {"title": "x", "dueAt": shown.strftime("%Y-%m-%dT%H:%M").zfill(16)}, zone=shown.tzinfo
    ).content
    assert content is None or content.due_at in {int(shown.replace(fold=fold).timestamp()) for fold in (0, 1)}
