"""Fields of the answer of a request: they are in `json`, not in its text or beside it."""

import pytest
from tests.workflow.checks.building import known, line, node

from toolweave.workflow.modes import object_at
from toolweave.workflow.repair import fix

URL = "https://api.example.com/orders"


def repaired(reference: str) -> str:
    get = node("get", "ACTION.HTTP_REQUEST", configurations={"method": "GET", "url": URL})
    keep = node(
        "keep", "ACTION.SET_FIELDS", configurations={"set": {"a": f"{{{{ {reference} }}}}"}}
    )
    workflow = fix(line(node("start", "start"), get, keep), known(), "toolweave").workflow
    settings = object_at(workflow.nodes[2].data, "configurations")
    return str(object_at(settings, "set")["a"])


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("get.body.id", "get.json.id"),
        ("get.body.items[0].name", "get.json.items[0].name"),
        ("get.id", "get.json.id"),
        ("get.access_token", "get.json.access_token"),
        ("get.json.id", "get.json.id"),
        # What is said of the request itself.
        ("get.statusCode", "get.status_code"),
        ("get.cookies", "get.cookies"),
        ("get.statusText", "get.statusText"),
        ("get.url.id", "get.url.id"),
    ],
)
def test_a_field_of_the_answer_is_read_from_what_was_parsed(given: str, right: str) -> None:
    assert repaired(given) == f"{{{{ {right} }}}}"
