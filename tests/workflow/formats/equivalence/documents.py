"""The schema of the input that the expressions read, documents that fit it, and others."""

from copy import deepcopy
from typing import Any

from toolweave.json_text import Json, JsonObject

_TEXTS: JsonObject = {"type": "array", "items": {"type": "string"}}
_ITEM: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number"},
        "qty": {"type": "integer"},
        "active": {"type": "boolean"},
        "tags": _TEXTS,
    },
    "required": ["name", "price", "qty", "active", "tags"],
}
_ADDRESS: JsonObject = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "zip": {"type": "string"}},
}
_USER: JsonObject = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "address": _ADDRESS},
    "required": ["name"],
}
_FIELDS: JsonObject = {
    **{key: {"type": "string"} for key in ("name", "email", "text")},
    **{key: {"type": "integer"} for key in ("n", "m")},
    "price": {"type": "number"},
    **{key: {"type": "boolean"} for key in ("active", "done")},
    "tags": _TEXTS,
    "nums": {"type": "array", "items": {"type": "integer"}},
    "prices": {"type": "array", "items": {"type": "number"}},
    "items": {"type": "array", "items": _ITEM},
    "user": _USER,
    "meta": {"type": "object"},
    "maybe": {"type": ["string", "null"]},
}
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {**_FIELDS, "nick": {"type": "string"}},
    "required": list(_FIELDS),
}

_PEN: JsonObject = {"name": "pen", "price": 2.5, "qty": 2, "active": True, "tags": ["new"]}
_CUP: JsonObject = {"name": "cup", "price": 7, "qty": 1, "active": False, "tags": []}
_USUAL: JsonObject = {
    "name": "Ada",
    "email": "Ada@Example.com",
    "text": "1, 2,3",
    "n": 3,
    "m": 2,
    "price": 2.5,
    "active": True,
    "done": False,
    "tags": ["vip", "new"],
    "nums": [3, 1, 2],
    "prices": [2.5, 1],
    "items": [_PEN, _CUP],
    "meta": {"a": 1, "b": "x"},
    "maybe": "set",
    "user": {"name": "Ada", "address": {"city": "Paris", "zip": "75"}},
    "nick": "ad",
}


def _changed(**fields: Json) -> JsonObject:
    return {**deepcopy(_USUAL), **fields}


def _without(name: str) -> JsonObject:
    return {key: value for key, value in deepcopy(_USUAL).items() if key != name}


_EMPTY = _changed(
    **dict.fromkeys(("name", "email", "text", "nick"), ""),
    **dict.fromkeys(("n", "m", "price"), 0),
    **{key: list[Json]() for key in ("tags", "nums", "prices", "items")},
    active=False,
    meta={},
    maybe=None,
    user={"name": ""},
)
_OTHER = _changed(
    name=" \u00c4nne Stra\u00dfe ",
    email="a@b@c",
    text="4.5",
    n=-7,
    m=3,
    price=-2.5,
    active=False,
    done=True,
    tags=["", "\u00dcber", "vip"],
    nums=[0, -4, 5],
    prices=[-1.25, 1e6],
    maybe="",
    user={"name": "b"},
    meta={"\u00e9": None},
    items=[{**_CUP, "name": "", "qty": 0}, {**_PEN, "price": 0}],
)
_LARGE = _changed(
    name="ADA\tK\u00c9",
    email="x",
    text="42",
    n=5,
    m=5,
    price=1234567.25,
    tags=["a"],
    nums=[1234567],
    prices=[0.00001],
    nick="\u0130",
    meta={"a": ""},
    items=[{**_PEN, "price": 1e7, "active": False, "name": "\u00c9lan"}],
    maybe="x",
    user={"name": "c", "address": {}},
)
_HALF = _changed(n=1, m=-2, price=0.5, text=" 7 ", name="d", nums=[2], prices=[3], maybe="b")
_WHOLE = _changed(price=3, prices=[1, 2], n=-1, text="abc", name="12", tags=["vip"])
_THREE = _changed(price=1.005, n=10, m=4, tags=["x", "vip", "x"], name="a a", text="a\nb\n")
FITTING: tuple[JsonObject, ...] = (
    *(_USUAL, _EMPTY, _OTHER, _LARGE, _HALF, _WHOLE, _THREE),
    _without("nick"),
)

# Any: values of every kind.
_OTHER_KINDS: dict[str, list[Any]] = {
    "name": [None, 0, 5, True, ["d"], {"d": 1}],
    "nick": [None, 0, 2.5, False, [], {}],
    "maybe": [0, False, [], {}],
    "n": [None, "3", "", 2.5, True, [], {}],
    "price": [None, "2.5", "", 2, False, []],
    "active": [None, 0, 1, "", "no", [], {}],
    "tags": [None, "vip", [1, None], [True, "vip"], {"vip": 1}, 0],
    "items": [None, [None], [{}], [{"name": "pen", "price": "2"}], {}],
    "user": [None, {}, "Ada", {"address": None}, {"address": "x"}, []],
    "meta": [None, [], {"a": None}, {"a": 0}, "a"],
    "nums": [None, ["1"], [2.5, 0.5], []],
}
# Where nothing is declared: also null, missing fields and values of other kinds.
ANY: tuple[JsonObject, ...] = (
    *FITTING,
    *(_changed(**{name: one}) for name, values in _OTHER_KINDS.items() for one in values),
    *(_without(name) for name in _USUAL),
    {},
)
