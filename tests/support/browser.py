"""People in front of a browser: an address of their own, a jar of cookies, and forms that come from our pages."""

import re

import httpx
from tests.support.organizations import PASSWORD, Client
from tests.support.pages import compact


class BrowserClient(Client):
    def __init__(self, base_url: str) -> None:
        super().__init__(base_url)
        self.headers["Origin"] = base_url

    def log_in(self, email: str, password: str = PASSWORD, **more: str) -> httpx.Response:
        return self.post("/app/login", data={"email": email, "password": password, **more})

    def accept(self, link: str, **fields: str) -> httpx.Response:
        """What the page behind an invitation's link asks for, filled in: with the account that is logged in, if there is one."""
        page = self.sees(link)
        user = re.search(r'name="user" value="([^"]+)"', page)
        return self.post(link, data={**({"user": user[1]} if user else {}), **fields})

    def joins(self, link: str, password: str | None = None, *, old: str | None = None) -> None:
        fields = {} if password is None else {"newPassword": password, "repeated": password}
        if old is not None:
            fields["oldPassword"] = old
        answer = self.accept(link, **fields)
        assert (answer.status_code, answer.headers["location"]) == (303, "/app"), answer.text

    def sees(self, path: str) -> str:
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return compact(answer.text) if answer.headers["content-type"].startswith("text/html") else answer.text
