"""One Postgres for all folders; databases begin with their tables, but for those of this folder."""

import pytest
from tests.storage.postgres import postgres as postgres
from tests.storage.template import template


def pytest_collection_finish() -> None:
    template.use()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    template.is_used = item.path.parent.name != "storage"
