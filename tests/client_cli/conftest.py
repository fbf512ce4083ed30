from pathlib import Path

import pytest
from tests.client_cli.users import User
from tests.support.organizations import Organization


@pytest.fixture
def user(organization: Organization, tmp_path: Path) -> User:
    return User(organization, tmp_path)
