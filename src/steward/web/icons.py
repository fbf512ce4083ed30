"""Icons, drawn on 20 × 20 in the colour of the text around them."""

from markupsafe import Markup

from steward.kit.web.html import Html

_ICON = Html(
    '<svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">'
    '<path d="%s"/></svg>'
)
_PATHS = {
    "today": "M3 9.5 10 3.5l7 6V16a1 1 0 0 1-1 1h-3.5v-4.5h-5V17H4a1 1 0 0 1-1-1z",
    "work": "M12.5 3.2a4 4 0 0 0-4.2 5.5L3 14l3 3 5.3-5.3a4 4 0 0 0 5.5-4.2l-2.6 2.2-2.9-.9-.9-2.9z",
    "alert": "M5 8.5a5 5 0 0 1 10 0c0 4.5 1.5 5.5 1.5 5.5h-13S5 13 5 8.5zM8.3 16.5a1.8 1.8 0 0 0 3.4 0",
    "asset": "M10 3 16.5 6.5v7L10 17l-6.5-3.5v-7zM3.5 6.5 10 10l6.5-3.5M10 10v7",
    "calendar": "M4 5h12a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM3 9h14M7 3v4M13 3v4",
    "visitor": "M10 10a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM3.5 17c.4-3.4 3-5 6.5-5s6.1 1.6 6.5 5",
    "location": "M10 17.5S4.5 12.6 4.5 8.4a5.5 5.5 0 0 1 11 0c0 4.2-5.5 9.1-5.5 9.1zM10 10.4a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
    "deck": "M3.5 3.5h5.5v6H3.5zM11.5 3.5h5v3.5h-5zM11.5 9.5h5v7h-5zM3.5 12h5.5v4.5H3.5z",
    "form": "M5 2.8h10a1 1 0 0 1 1 1v12.4a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V3.8a1 1 0 0 1 1-1zM7 7h6M7 10.2h6M7 13.4h3.5",
    "quotation": "M5 2.8h7l4 4v9.4a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V3.8a1 1 0 0 1 1-1zM11.5 3v4.2H16M7 11h6M7 14h4",
    "rate": "M3.5 10.5V4.5a1 1 0 0 1 1-1h6l6.2 6.2a1 1 0 0 1 0 1.4l-5.6 5.6a1 1 0 0 1-1.4 0zM7.2 7.2h.01",
    "report": "M3.5 16.5h13M5.5 16.5V11M10 16.5V4M14.5 16.5V8",
    "plug": "M7 3v4M13 3v4M5 7h10v2.5a5 5 0 0 1-10 0zM10 14.5V18",
    "settings": "M10 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM10 2.8v2M10 15.2v2M2.8 10h2M15.2 10h2M4.9 4.9l1.4 1.4M13.7 13.7l1.4 1.4M15.1 4.9l-1.4 1.4M6.3 13.7l-1.4 1.4",
    "menu": "M3 5.5h14M3 10h14M3 14.5h14",
    "search": "M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13.2 13.2 17 17",
    "plus": "M10 4v12M4 10h12",
    "check": "M4 10.5 8 14.5 16 5.5",
    "close": "M5 5l10 10M15 5 5 15",
    "print": "M6 7V3h8v4M6 14H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1h12a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1h-2M6 11.5h8V17H6z",
    "download": "M10 3v9M6.5 8.8 10 12.3l3.5-3.5M3.5 16.5h13",
    "upload": "M10 12.5v-9M6.5 7 10 3.5 13.5 7M3.5 16.5h13",
    "edit": "M4 16l.8-3.4L13 4.4a1.4 1.4 0 0 1 2 0l.6.6a1.4 1.4 0 0 1 0 2L7.4 15.2z",
    "clock": "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4.2l2.8 1.8",
    "more": "M4.5 10h.01M10 10h.01M15.5 10h.01",
    "screen": "M3 4.5h14v9H3zM7 17h6M10 13.5V17",
    "link": "M8.2 11.8a3 3 0 0 0 4.3 0l3-3a3 3 0 0 0-4.3-4.3l-.8.8M11.8 8.2a3 3 0 0 0-4.3 0l-3 3a3 3 0 0 0 4.3 4.3l.8-.8",
}
_ICONS = {name: _ICON(path) for name, path in _PATHS.items()}


def icon(name: str) -> Markup:
    return _ICONS[name]
