"""Pages as a browser reads them: however their templates break lines."""

import re

_KEPT = re.compile(r"<(textarea|pre|script)\b.*?</\1>|[ \t\r\n]+", re.DOTALL)
_TAG = r"""(?:"[^"]*"|'[^']*'|[^>"'])*>"""
# Whitespace beside these means nothing.
_BLOCKS = (
    "article aside body dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 head header html label legend li "
    "link main meta nav ol option p script section select summary table tbody td textarea tfoot th thead title tr ul"
)
_BESIDE = re.compile(rf" ?(</?(?:{'|'.join(_BLOCKS.split())})\b{_TAG}) ?")
_BUTTON = re.compile(rf"(<(?:button|a class=\"button)\b{_TAG}) | (</(?:button|a)>)")


def compact(html: str) -> str:
    """Each run of whitespace is one space, and none beside blocks and within buttons."""
    text = _KEPT.sub(lambda found: found[0] if found[1] else " ", html)
    return _BUTTON.sub(r"\1\2", _BESIDE.sub(r"\1", _BESIDE.sub(r"\1", text)))
