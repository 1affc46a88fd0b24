"""The kinds that each function takes and gives, for what can be said before anything runs."""

from typing import NamedTuple

NUMBERS = frozenset({"int", "uint", "double"})
# Words in the table that stand for several kinds; `dyn` stands for all.
_GROUPS = {
    "number": NUMBERS,
    "whole": frozenset({"int", "uint"}),
    "sized": frozenset({"string", "bytes", "list", "map"}),
    "dyn": None,
}

# The words of groups by their kinds.
GROUP_NAMES = {kinds: name for name, kinds in _GROUPS.items() if kinds is not None}


class FunctionSignature(NamedTuple):
    """One way to call a function: the kinds of its arguments, none for any, and of its result."""

    takes: tuple[frozenset[str] | None, ...]
    gives: str

    def accepts(self, kinds: list[str]) -> bool:
        """Whether arguments of these kinds may work; `dyn` may always."""
        return len(kinds) == len(self.takes) and all(
            takes is None or kind == "dyn" or kind in takes
            for kind, takes in zip(kinds, self.takes, strict=True)
        )


_CALCULATED = "int int int | uint uint uint | double double double"
_COMPARED = (
    "number number bool | string string bool | bool bool bool | bytes bytes bool"
    " | timestamp timestamp bool | duration duration bool"
)
_FOUND = "list number optional | map dyn optional | optional dyn optional | null dyn optional"
_MOMENT = "timestamp int | timestamp string int"
_TABLE: dict[str, str] = {
    "_+_": f"{_CALCULATED} | string string string | bytes bytes bytes | list list list"
    " | timestamp duration timestamp | duration timestamp timestamp | duration duration duration",
    "_-_": f"{_CALCULATED} | timestamp timestamp duration | timestamp duration timestamp"
    " | duration duration duration",
    **dict.fromkeys(("_*_", "_/_"), _CALCULATED),
    "_%_": "int int int | uint uint uint",
    "-_": "int int | double double",
    "!_": "bool bool",
    **dict.fromkeys(("_<_", "_<=_", "_>_", "_>=_"), _COMPARED),
    **dict.fromkeys(("_==_", "_!=_"), "dyn dyn bool"),
    "@in": "dyn list bool | dyn map bool",
    "_[_]": "list number dyn | map dyn dyn | optional dyn optional",
    **dict.fromkeys(("_[?_]", "_?._"), _FOUND),
    "size": "sized int",
    "type": "dyn type",
    "dyn": "dyn dyn",
    "int": "number int | bool int | string int | timestamp int",
    "uint": "number uint | string uint",
    "double": "number double | string double",
    "bool": "bool bool | string bool",
    "string": "string string | bool string | number string | bytes string"
    " | timestamp string | duration string",
    "bytes": "bytes bytes | string bytes",
    "timestamp": "string timestamp | int timestamp | timestamp timestamp",
    "duration": "string duration | duration duration",
    "format": "string list string",
    "contains": "string string bool | list dyn bool",
    **dict.fromkeys(("startsWith", "endsWith", "matches"), "string string bool"),
    "charAt": "string int string",
    "substring": "string int string | string int int string",
    **dict.fromkeys(("indexOf", "lastIndexOf"), "string string int | string string int int"),
    **dict.fromkeys(("lowerAscii", "upperAscii", "trim", "reverse"), "string string"),
    "replace": "string string string string | string string string int string",
    "split": "string string list | string string int list",
    "join": "list string | list string string",
    "parseJson": "string dyn",
    "base64.encode": "bytes string",
    "base64.decode": "string bytes",
    **dict.fromkeys(("math.ceil", "math.floor", "math.round", "math.trunc"), "double double"),
    **dict.fromkeys(("math.isNaN", "math.isInf", "math.isFinite"), "double bool"),
    **dict.fromkeys(("math.abs", "math.sign"), "int int | uint uint | double double"),
    "math.sqrt": "number double",
    "optional.of": "dyn optional",
    "optional.none": "optional",
    "optional.ofNonZeroValue": "dyn optional",
    "hasValue": "optional bool",
    "value": "optional dyn",
    "or": "optional optional optional",
    "orValue": "optional dyn dyn",
    **dict.fromkeys(("first", "last"), "list optional"),
    **dict.fromkeys(("getFullYear", "getMonth", "getDate", "getDayOfMonth"), _MOMENT),
    **dict.fromkeys(("getDayOfWeek", "getDayOfYear"), _MOMENT),
    **dict.fromkeys(
        ("getHours", "getMinutes", "getSeconds", "getMilliseconds"), f"{_MOMENT} | duration int"
    ),
}


def _signature(written: str) -> FunctionSignature:
    *takes, gives = written.split()
    kinds = tuple(_GROUPS[one] if one in _GROUPS else frozenset({one}) for one in takes)
    return FunctionSignature(kinds, gives)


SIGNATURES: dict[str, tuple[FunctionSignature, ...]] = {
    function: tuple(map(_signature, written.split("|"))) for function, written in _TABLE.items()
}
