"""Cells that only lists of forms have."""

from typing import Any

from markupsafe import Markup

from steward.forms.model import Form, FormStatus
from steward.kit.security.permissions import Permission
from steward.kit.web.cells import ListedColumn
from steward.kit.web.html import Html

_FILL = Html('<a class="button is-small" href="/app/forms/%s/fill">Fill in<span class="sr"> %s</span></a> ')
_SUBMISSIONS = Html(
    '<a class="button is-small" href="/app/forms/%s/submissions">Submissions<span class="sr"> of %s</span></a>'
)


def actions(column: ListedColumn, record: Form, _value: Any) -> str:
    fills = column.request.may(Permission.FORMS_WRITE, Permission.FORMS_SUBMIT)
    found = Markup()
    if record.status is FormStatus.PUBLISHED and fills:
        found += _FILL(record.id, record.name)
    if record.version:
        found += _SUBMISSIONS(record.id, record.name)
    return found
