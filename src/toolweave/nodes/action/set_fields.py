"""ACTION.SET_FIELDS: set, compute, rename and remove fields."""

from collections.abc import Iterator, Mapping

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.expression_values import check_text, value_of

MAX_DEPTH = 64


def check_fields(given: NodeInput) -> None:
    """Whether every change can be made. Raises `FIELDS_INVALID`."""
    for old, new in _entries(given.config, "rename"):
        if not isinstance(new, str) or not new:
            message = f"{old!r} cannot be renamed to {new!r:.80}"
            raise refused_at(("rename", old), "FIELDS_INVALID", message)
        _check_path(new, "rename", old)
    for index, path in enumerate(given.listing("remove")):
        if not isinstance(path, str):
            message = f"remove names {path!r:.80}; expected a path"
            raise refused_at(("remove", index), "FIELDS_INVALID", message)
    for path, _ in _entries(given.config, "set"):
        _check_path(path, "set", path)
    for path, text in _entries(given.config, "expressions"):
        _check_path(path, "expressions", path)
        if not isinstance(text, str):
            message = f"the expression of {path!r} is {text!r:.80}, no text"
            raise refused_at(("expressions", path), "FIELDS_INVALID", message)
        check_text(text, "expressions", path)


def _check_path(path: str, *at: str) -> None:
    if not all(path.split(".")) or path.count(".") >= MAX_DEPTH:
        message = f"{path!r} is no path of a field; write it as a.b.c"
        raise refused_at(at, "FIELDS_INVALID", message)


class SetFields:
    """Changes fields of a record, or of each record of a list."""

    may_be_heavy = True
    spec = NodeSpec(
        type="ACTION",
        subtype="SET_FIELDS",
        summary="Set, compute, rename or remove fields of a record, or of each record of a list.",
        effect="pure",
        configurations=(
            Field(
                "set",
                "object",
                'Path to value, templates allowed: {"status": "open", "meta.run": "{{ run.id }}"}.',
                {},
            ),
            Field(
                "expressions",
                "object",
                'CEL by path, over item, index, data and variables: {"total": "item.price * 2"}.',
                {},
            ),
            Field("rename", "object", 'Old path to new path: {"user.mail": "email"}.', {}),
            Field("remove", "array", 'Paths to take away: ["password"].', [], items="string"),
            Field(
                "keep_others", "boolean", "Whether fields that are not named here are kept.", True
            ),
        ),
        inputs=(
            Field(
                "data",
                "any",
                "A record, or a list of records.",
                required=True,
                kinds=("object", "array"),
                items="object",
            ),
            Field("context", "object", "More values for the expressions, as `context.name`."),
            Field("variables", "object", "Variables for the expressions, as `variables.name`."),
        ),
        outputs=(
            Field("data", "any", "The record or list with its fields changed.", required=True),
        ),
        tags=("action", "data", "fields"),
        keywords=(
            *("set", "edit", "fields", "assign", "rename", "remove", "compute"),
            *("variable", "value", "property", "add", "drop"),
            *("text", "message", "template", "string"),
        ),
        guidance=(
            "First rename, then remove, then set, then expressions in their order; `item` is the "
            "record as it came in, with what was made so far. The next node gets the changed "
            "record as its data. With keep_others off only what is set, computed or renamed is "
            "left."
        ),
        checks=(check_fields,),
        examples=(
            Example(
                "Total and state",
                "One computed field, one constant, one renamed, one removed.",
                {
                    "rename": {"user.mail": "email"},
                    "remove": ["secret"],
                    "set": {"state": "open"},
                    "expressions": {"total": "item.price * item.quantity"},
                },
                {
                    "data": {
                        "price": 4,
                        "quantity": 3,
                        "secret": "x",
                        "user": {"name": "Ada", "mail": "ada@example.com"},
                    }
                },
                {
                    "data": {
                        "price": 4,
                        "quantity": 3,
                        "user": {"name": "Ada"},
                        "email": "ada@example.com",
                        "state": "open",
                        "total": 12,
                    }
                },
            ),
            Example(
                "Only two fields of each",
                "Every record of a list is reduced to its number and a label.",
                {
                    "keep_others": False,
                    "rename": {"id": "id"},
                    "expressions": {"label": "string(index + 1) + '. ' + item.name"},
                },
                {"data": [{"id": 7, "name": "Ada"}, {"id": 9, "name": "Alan"}]},
                {"data": [{"id": 7, "label": "1. Ada"}, {"id": 9, "label": "2. Alan"}]},
            ),
            Example(
                "Nested value",
                "Objects on the way are made where they are missing.",
                {"set": {"meta.source.name": "import"}},
                {"data": {"id": 1}},
                {"data": {"id": 1, "meta": {"source": {"name": "import"}}}},
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The record, or each of the records, with its fields changed."""
        check_fields(given)
        data = given.value("data")
        if isinstance(data, list):
            changed: list[Json] = [
                _changed(given, _record(item, index), index) for index, item in enumerate(data)
            ]
            return Outcome({"data": changed})
        return Outcome({"data": _changed(given, _record(data, None), 0)})


class _Names(Mapping[str, Json]):
    """What a step may name, and the record at hand."""

    def __init__(self, names: Mapping[str, Json], own: Mapping[str, Json]) -> None:
        self._names = names
        self._own = own

    def __getitem__(self, name: str) -> Json:
        return self._own[name] if name in self._own else self._names[name]

    def __iter__(self) -> Iterator[str]:
        yield from {*self._own, *self._names}

    def __len__(self) -> int:
        return len({*self._own, *self._names})


def _record(value: Json, index: int | None) -> JsonObject:
    if isinstance(value, dict):
        return value
    what = "data" if index is None else f"item {index} of data"
    raise Invalid("FIELDS_INVALID", f"{what} is {value!r:.80}; expected an object")


def _changed(given: NodeInput, record: JsonObject, index: int) -> JsonObject:
    config = given.config
    left = record
    moved: JsonObject = {}
    for old, new in _entries(config, "rename"):
        found, left = _taken(left, old)
        if found is not None:
            moved[str(new)] = found[0]
    result = left if given.flag("keep_others") else {}
    for path in given.listing("remove"):
        _, result = _taken(result, str(path))
    for path, value in (*moved.items(), *_entries(config, "set")):
        result = _with(result, path, value)
    for path, text in _entries(config, "expressions"):
        own: JsonObject = {"item": {**record, **result}, "index": index}
        result = _with(result, path, value_of(str(text), _Names(given.names, own)))
    return result


def _entries(config: JsonObject, name: str) -> list[tuple[str, Json]]:
    found = config.get(name)
    return list(found.items()) if isinstance(found, dict) else []


def _taken(record: JsonObject, path: str) -> tuple[tuple[Json] | None, JsonObject]:
    if path in record:
        rest = {name: value for name, value in record.items() if name != path}
        return (record[path],), rest
    first, _, below = path.partition(".")
    inner = record.get(first)
    if not below or not isinstance(inner, dict):
        return None, record
    found, rest = _taken(inner, below)
    return found, record if found is None else {**record, first: rest}


def _with(record: JsonObject, path: str, value: Json) -> JsonObject:
    first, _, below = path.partition(".")
    if not below:
        return {**record, first: value}
    inner = record.get(first)
    if inner is not None and not isinstance(inner, dict):
        message = f"{path!r} cannot be set: {first!r} is {inner!r:.80}, no object"
        raise Invalid("FIELDS_INVALID", message)
    return {**record, first: _with(inner or {}, below, value)}


node = SetFields()
