"""Suggestions are bounded for a document: a file full of typos is checked in bounded time."""

from tests.workflow.checks.building import known, line, node

from toolweave.json_text import JsonObject
from toolweave.tools.repair_budget import SPENT
from toolweave.workflow.checks import MAX_REPAIRS, check_workflow
from toolweave.workflow.model import Node

_TYPOS_EACH = 20
_RIGHT: JsonObject = {"method": "GET", "url": "https://api.example.com/"}


def _requests(count: int, typos: JsonObject) -> list[Node]:
    settings: JsonObject = {**_RIGHT, **typos}
    return [node(f"get{at}", "ACTION.HTTP_REQUEST", configurations=settings) for at in range(count)]


def test_few_misspelt_fields_get_their_fix() -> None:
    found = check_workflow(line(*_requests(3, {"tiemout": 30})), known())

    typos = [one for one in found if one.pointer.endswith("/tiemout")]
    assert len(typos) == 3
    assert all(one.hint == "did you mean 'timeout'?" and one.patch for one in typos)


def test_many_misspelt_fields_are_all_reported_and_only_the_first_get_a_suggestion() -> None:
    typos: JsonObject = {f"tiemout_{at:02}": at for at in range(_TYPOS_EACH)}
    count = MAX_REPAIRS // _TYPOS_EACH + 5

    found = check_workflow(line(*_requests(count, typos)), known())

    unknown = [one for one in found if one.code == "FIELD_UNKNOWN"]
    spent = [one for one in unknown if one.hint == SPENT]
    assert len(unknown) == count * _TYPOS_EACH
    assert len(spent) == len(unknown) - MAX_REPAIRS
    assert all(one.patch is None for one in spent)
    # The next check has a budget of its own.
    again = check_workflow(line(*_requests(1, {"tiemout": 30})), known())
    assert any(one.patch for one in again if one.pointer.endswith("/tiemout"))
