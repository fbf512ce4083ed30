"""What browsers may do with our pages."""

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
# For pages whose address is a secret: not even our own server is told where its next request comes from. The origin of our forms
# stays.
SECRET_ADDRESS: Headers = [("referrer-policy", "strict-origin")]
