"""The tag of alternatives that is missing: the only alternative that takes the rest decides."""

import pytest
from tests.tools.builders import a_tool

from toolweave.json_text import Json, JsonObject
from toolweave.tools.check import check_arguments


def _kind(tag: str, **more: JsonObject) -> JsonObject:
    properties: JsonObject = {"method": {"const": tag}, **more}
    needed: list[Json] = ["method", *more]
    return {
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": False,
    }


_PAYMENT: JsonObject = {
    "oneOf": [
        _kind("card", digits={"type": "string"}),
        _kind("invoice", reference={"type": "string"}),
        _kind("cash"),
        _kind("bank", reference={"type": "string"}, iban={"type": "string"}),
    ]
}
_TOOL = a_tool({"payment": _PAYMENT})


def _patches(payment: JsonObject) -> list[object]:
    return [one.patch for one in check_arguments(_TOOL, {"payment": payment}) if one.patch]


@pytest.mark.parametrize(
    ("payment", "method"),
    [({"digits": "1234"}, "card"), ({"reference": "PO-1"}, "invoice")],
)
def test_a_tag_follows_from_what_only_one_alternative_takes(
    payment: JsonObject, method: str
) -> None:
    added = {"op": "add", "path": "/payment/method", "value": method}
    assert _patches(payment) == [(added,)]


@pytest.mark.parametrize("payment", [{}, {"refrence": "PO-1"}, {"digits": 5}])
def test_a_tag_is_not_guessed(payment: JsonObject) -> None:
    assert all("method" not in str(patch) for patch in _patches(payment))
