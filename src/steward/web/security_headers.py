"""Security headers of all pages."""

from steward.kit.http.response import Headers

_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY: Headers = [
    ("content-security-policy", _POLICY),
    # Not `no-referrer`: with it, browsers hide the origin of our own forms from us.
    ("referrer-policy", "same-origin"),
]
# For pages with a secret address: the referrer must not contain the path, not even for our own server. Forms still need the
# origin.
SECRET_ADDRESS: Headers = [("referrer-policy", "strict-origin")]
