"""SQL statements as texts: which may run, and the values they ask for. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern

MAX_QUERY_CHARS = 100_000
_READING = frozenset({"select", "with", "values", "table", "explain", "show", "pragma"})
# Copies to and from files and programs of the database's machine.
_NEVER = frozenset({"copy", "attach", "detach", "vacuum"})
_FIRST = pattern(r"(?:\s|--[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/|\()*([a-zA-Z]+)")
# Texts, names, comments and casts are skipped; `?`, `:name` and `%` elsewhere are ours.
PIECE = pattern(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*(?:[^*]|\*(?!/))*\*/"
    r"|\$(\w*)\$.*?\$\1\$|::|:([A-Za-z_]\w*)|(\?)|(%)",
    re.DOTALL,
)
# What something must follow.
_CUT = pattern(
    r"(?:[<>=,(]|\b(?:and|or|where|from|select|by|in|like|set|join|on|values|into|not|between))"
    r"\s*;?\s*$",
    re.IGNORECASE,
)
_OWN_PLACEHOLDER = pattern(r"\?\d|[@$]\w")
_NUMBERED = pattern(r"\$(\d+)")
_BEGINNINGS = ("postgresql://", "postgres://", "sqlite:///", "${vault:")


@dataclass(frozen=True, slots=True)
class SqlFault:
    """Why a statement cannot run; `is_denied` if it is a matter of permission."""

    code: str
    message: str
    hint: str | None = None
    is_denied: bool = False


def address_fault(database: str) -> SqlFault | None:
    """Why a text is no database that can be asked."""
    scheme, mark, _ = database.partition("://")
    if not mark or database.startswith(_BEGINNINGS):
        return None
    return SqlFault(
        "DATABASE_ADDRESS_INVALID",
        f"a database cannot begin with {scheme[:40]!r}",
        "write a SQLite file's path, postgresql://… or ${vault:NAME}",
    )


def statement_fault(sql: str, *, allow_writes: bool) -> SqlFault | None:
    """Why a statement may never run; the database enforces the rest."""
    found = _FIRST.match(sql) if len(sql) <= MAX_QUERY_CHARS else None
    if found is None or "\0" in sql:
        message = f"{sql[:80]!r} is no SQL statement of at most {MAX_QUERY_CHARS} characters"
        return SqlFault("DATABASE_QUERY_INVALID", message)
    word = found[1].lower()
    if word in _NEVER:
        message = f"a workflow may not run {word.upper()}"
        return SqlFault("DATABASE_DENIED", message, is_denied=True)
    if not allow_writes and word not in _READING:
        return SqlFault(
            "DATABASE_DENIED",
            f"{word.upper()} may change data, and the node may only read",
            "switch allow_writes on if that is what you want",
            is_denied=True,
        )
    if _CUT.search(PIECE.sub(lambda found: "''" if found[0][0] in "'\"$" else found[0], sql)):
        return SqlFault("DATABASE_QUERY_INVALID", f"the query ends too early: {sql[-40:]!r}")
    if _without_texts(sql).rstrip().rstrip(";").count(";"):
        message = "the query has more than one statement; expected one"
        return SqlFault("DATABASE_QUERY_INVALID", message, "use one node for each statement")
    return None


def parameter_fault(sql: str, parameters: Sequence[object] | Mapping[str, object]) -> str | None:
    """Why the values are not those that a statement asks for."""
    names = {found[2] for found in PIECE.finditer(sql) if found[2]}
    marks = sum(1 for found in PIECE.finditer(sql) if found[3])
    if (names and marks) or _OWN_PLACEHOLDER.search(_without_texts(sql)):
        return None
    if isinstance(parameters, Mapping):
        missing = sorted(names - parameters.keys())
        if missing:
            return f"the query asks for :{missing[0]}, which parameters does not have"
        if parameters and marks:
            return "the query has ?, and parameters is an object; expected a list, or :name"
        if parameters and not names and not marks:
            return f"the query asks for no values, and parameters has {len(parameters)}"
        return None
    if names and parameters:
        return f"the query asks for :{min(names)}; expected an object of names and values"
    if names or marks != len(parameters):
        wanted = f":{min(names)}" if names else f"{marks} values"
        return f"the query asks for {wanted}, and parameters has {len(parameters)}"
    return None


def named_values(sql: str, parameters: Sequence[Json]) -> JsonObject | None:
    """`{"day": x}` for `[{"name": "day", "value": x}]`, or `[x]` where one name is asked for."""
    names = {found[2] for found in PIECE.finditer(sql) if found[2]}
    items = [one for one in parameters if isinstance(one, dict)]
    if len(parameters) == len(names) == 1 and not items:
        return {names.pop(): parameters[0]}
    found: JsonObject = {
        str(one["name"]).lstrip(":"): one["value"]
        for one in items
        if one.keys() == {"name", "value"}
    }
    return found if len(found) == len(parameters) and found.keys() == names else None


def with_marks(sql: str) -> str | None:
    """The statement with `?` for `$1`, which only some databases know; None if it has none.

    Numbers in another order than the values are left as they are.
    """
    numbers = _NUMBERED.findall(_without_texts(sql))
    if not numbers:
        return None
    is_ordered = numbers == [str(at + 1) for at in range(len(numbers))]
    return _NUMBERED.sub("?", sql) if is_ordered and _without_texts(sql) == sql else sql


def meant_parameters(sql: str, parameters: Mapping[str, object]) -> dict[str, object] | None:
    """The values under the name that is asked for, where one name is left on each side."""
    names = {found[2] for found in PIECE.finditer(sql) if found[2]}
    missing, spare = names - parameters.keys(), parameters.keys() - names
    if len(missing) != 1 or len(spare) != 1:
        return None
    (old,), (new,) = spare, missing
    return {new if name == old else name: value for name, value in parameters.items()}


def _without_texts(sql: str) -> str:
    return PIECE.sub(lambda found: " " if found[0][0] in "'\"-/$" else found[0], sql)
