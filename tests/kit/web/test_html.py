from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from steward.kit.web.html import Html, escaped


@given(st.text() | st.text("&<>'\"a") | st.integers() | st.none())
def test_values_are_escaped_as_everywhere_else(value: object) -> None:
    assert escaped(value) == escape(value)


def test_markup_stays_as_it_is() -> None:
    assert Html("<p>%s %s</p>")(Markup("<b>&amp;</b>"), "<i>") == Markup("<p><b>&amp;</b> &lt;i&gt;</p>")
