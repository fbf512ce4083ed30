"""People in front of a browser: an address of their own, a jar of cookies, and forms that come from our pages."""

import httpx
from tests.support.organizations import PASSWORD, Client


class Person(Client):
    def __init__(self, base_url: str) -> None:
        super().__init__(base_url)
        self.headers["Origin"] = base_url

    def log_in(self, email: str, password: str = PASSWORD, **more: str) -> httpx.Response:
        return self.post("/app/login", data={"email": email, "password": password, **more})

    def sees(self, path: str) -> str:
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text
