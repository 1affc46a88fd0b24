"""Checks the mode of an MCP node, with the codes and messages of the mode specification.

Pointers and patches are relative to the node's `data`. A broken rule is an error; a failed
integrity check is a warning with its repair as the patch.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from types import MappingProxyType

from toolweave.clock import timestamp
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.check import check_arguments
from toolweave.tools.conversions import conversions
from toolweave.tools.value_preview import shown
from toolweave.workflow.mode_fields import beside, check_parameters, misnamed, misnamed_words
from toolweave.workflow.mode_status import STATUSES
from toolweave.workflow.model import Node
from toolweave.workflow.modes import (
    CONFIG_OF,
    KEPT,
    MODES,
    PARAM_CONFIG,
    PRESERVED,
    TASK_CONFIG,
    WORDS,
    Mode,
    mode_of,
    object_at,
    read_snapshot,
    text_at,
    tool_of,
)

MIN_CHARS = {PARAM_CONFIG: 10, TASK_CONFIG: 20}
MAX_CHARS = 10_000
MAX_TOOLS = 200
STALE_AFTER = timedelta(days=7)

TOO_SHORT = (
    "Natural language description is too short ({length} characters). Please provide at least "
    "{min} characters to help Claude Code understand your intent."
)
EMPTY = "Natural language description cannot be empty. Please describe what you want to accomplish."
INVALID_MODE = (
    "Invalid configuration mode. Please select Detailed, Natural Language Parameter, "
    "or Full Natural Language mode."
)
MISMATCH = "Configuration data does not match the selected mode. Please reconfigure the node."
NO_TOOLS = (
    "No tools available from the selected MCP server. Cannot configure Full Natural Language mode."
)
FEWER_TOOLS = (
    f"choose at most {MAX_TOOLS} of the tools: in the studio under 'Tools', or with "
    "`toolweave node mode FILE NODE --set fullNaturalLanguage --only TOOL --only TOOL`"
)
STALE = "Tool list may be outdated. Server may have new tools."

# The fields each mode requires besides its configuration, with their defaults.
_TOOL: dict[str, tuple[type, Json]] = {
    "serverId": (str, None),
    "toolName": (str, None),
    "toolDescription": (str, ""),
    "parameters": (list, []),
}
_REQUIRED: dict[Mode, dict[str, tuple[type, Json]]] = {
    "detailed": {**_TOOL, "parameterValues": (dict, {})},
    "naturalLanguageParam": _TOOL,
    "fullNaturalLanguage": {"serverId": (str, None)},
}
_KINDS = [kind for kind, _ in _REQUIRED["detailed"].values()]
_CALLED: dict[type, str] = {str: "text", list: "a list", dict: "an object"}
# Other names of the three modes found in files.
_OTHER_NAMES: dict[str, Mode] = {
    "manualParameterConfig": "detailed",
    "aiParameterConfig": "naturalLanguageParam",
    "aiToolSelection": "fullNaturalLanguage",
}
# Words for choosing everything oneself, and for leaving some of it to a model.
_DETAILED = frozenset({"manual", "manually", "explicit", "fixed", "static", "structured", "form"})
_DESCRIBED = frozenset(
    {"ai", "nl", "language", "naturallanguage", "natural_language", "natural-language"}
)
_USUAL_STATUSES = (None, *STATUSES)
# What a node in detailed mode has; none of it belongs to another mode.
_USUAL = frozenset({*_REQUIRED["detailed"], "mode", "validationStatus", "outputPorts"})
_TIMESTAMP = pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


def check_mode(node: Node, now: datetime) -> Iterable[Problem]:
    """Return the problems of an MCP node's mode; none for other nodes."""
    return _data(node.data, now, node.extras) if node.type == "mcp" else ()


def check_words(config: str, words: str) -> Problem | None:
    """Yield the problems of the description in a language configuration."""
    least = MIN_CHARS[config]
    place = pointer(WORDS[config])
    if not words.strip():
        return Problem("MCP_NL_DESC_EMPTY", place, EMPTY)
    if len(words) < least:
        message = TOO_SHORT.format(length=len(words), min=least)
        return Problem("MCP_NL_DESC_TOO_SHORT", place, message)
    if len(words) > MAX_CHARS:
        message = f"the description has {len(words)} characters; at most {MAX_CHARS} are allowed"
        return Problem("MCP_NL_DESC_TOO_LONG", place, message, hint="shorten it")
    return None


def _data(
    data: JsonObject, now: datetime, extras: Mapping[str, Json] = MappingProxyType({})
) -> Iterator[Problem]:
    mode = mode_of(data)
    if mode is None:
        yield _invalid_mode(data, now)
        return
    if mode != "detailed" or not _has_all(data):
        for key, (kind, default) in _REQUIRED[mode].items():
            value = data.get(key)
            if not isinstance(value, kind) or (default != "" and _is_blank(value)):
                found = misnamed(data, key, kind) or beside(extras, key, kind)
                found = found or _required(value, key, kind, default)
                is_added = default == {} and _is_without_values(data, mode)
                yield replace(found, patch=None) if is_added else found
    if data.get("validationStatus") not in _USUAL_STATUSES:
        yield from _status(data)
    if mode != "detailed" or not _USUAL.issuperset(data):
        yield from _strays(data, mode, now)
    if mode != "fullNaturalLanguage":
        yield from check_parameters(data.get("parameters"), ("parameters",))
    if config := CONFIG_OF.get(mode):
        yield from _config(data, config, now)
    if not _USUAL.issuperset(data):
        yield from _preserved(data, now)


def _has_all(data: JsonObject) -> bool:
    """Whether a node in detailed mode has every field, as nearly always."""
    if [*map(type, map(data.get, _REQUIRED["detailed"]))] != _KINDS:
        return False
    return not (_is_blank(data["serverId"]) or _is_blank(data["toolName"]))


def _invalid_mode(data: JsonObject, now: datetime) -> Problem:
    named = data.get("mode")
    guess = _guessed(named, data) if isinstance(named, str) else None
    # A word that resembles no mode may mean any of them, whatever configuration is there.
    is_near = isinstance(named, str) and (
        named.casefold() in _DESCRIBED or _guessed(named, {}) is not None
    )
    patch = (_replace(guess, "mode"),) if guess and is_near else None
    # The correct mode may reveal other problems; then no patch is offered.
    if guess and any(one.severity == "error" for one in _data({**data, "mode": guess}, now)):
        patch = None
    hint = f"{shown(named)} is not a mode; " + (
        f"did you mean {guess!r}?" if guess else f"use one of {', '.join(MODES)}"
    )
    return Problem("MCP_INVALID_MODE", "/mode", INVALID_MODE, hint=hint, patch=patch)


def _guessed(named: str, data: JsonObject) -> Mode | None:
    if named in _OTHER_NAMES:
        return _OTHER_NAMES[named]
    if named.casefold() in _DETAILED:
        return "detailed"
    described: list[Mode] = [mode for mode, config in CONFIG_OF.items() if config in data]
    if named.casefold() in _DESCRIBED:
        return described[0] if len(described) == 1 else None
    folded: dict[str, Mode] = {mode.casefold(): mode for mode in MODES}
    if close := get_close_matches(named.casefold(), folded, n=1, cutoff=0.6):
        return folded[close[0]]
    present: list[Mode] = [mode for mode, config in CONFIG_OF.items() if config in data]
    return present[0] if len(present) == 1 else None


def _is_blank(value: Json) -> bool:
    return isinstance(value, str) and not value.strip()


def _required(value: Json, key: str, kind: type, default: Json) -> Problem:
    if value is None or _is_blank(value):
        message = f"an MCP node in this mode needs {key!r}, {_CALLED[kind]}"
    else:
        message = f"{key!r} is {shown(value)}; expected {_CALLED[kind]}"
    # A field with a default may be missing: the node still runs.
    is_lenient = default is not None and value is None
    converted = next(conversions(value, ["object"]), None) if kind is dict else None
    patch = (_add(default, key),) if default is not None and value is None else None
    if isinstance(converted, dict):
        patch = (_replace(converted, key),)
    return Problem(
        "MCP_NODE_FIELD_INVALID",
        pointer(key),
        message,
        hint=None if default is not None else "choose a server and a tool again",
        severity="warning" if is_lenient else "error",
        patch=patch,
    )


def _status(data: JsonObject) -> Iterator[Problem]:
    status = data.get("validationStatus")
    if status is not None and status not in STATUSES:
        yield Problem(
            "MCP_NODE_FIELD_INVALID",
            "/validationStatus",
            f"'validationStatus' is {shown(status)}; expected {', '.join(STATUSES)}",
            hint="remove it: it is computed when the workflow is loaded",
            severity="warning",
            patch=({"op": "remove", "path": "/validationStatus"},),
        )


def _strays(data: JsonObject, mode: Mode, now: datetime) -> Iterator[Problem]:
    """Yield a warning for data of another mode, which the patch clears."""
    for other, config in CONFIG_OF.items():
        if other != mode and data.get(config) is not None and not _is_only_clue(data, mode, other):
            patch: tuple[dict[str, Json], ...] | None = ({"op": "remove", "path": pointer(config)},)
            if _is_without_values(data, mode):
                # Without values of its own, the node is meant to be in the only other mode.
                patch = (_replace(other, "mode"),) if _fits_mode(data, other, now) else None
            yield Problem(
                "MCP_MODE_CONFIG_MISMATCH",
                pointer(config),
                MISMATCH,
                hint=f"{config!r} belongs to mode {other!r}, but the node is in {mode!r}",
                severity="warning",
                patch=patch,
            )
    if mode == "fullNaturalLanguage":
        for key in ("toolName", "toolDescription"):
            if data.get(key):
                yield Problem(
                    "MCP_MODE_CONFIG_MISMATCH",
                    pointer(key),
                    MISMATCH,
                    hint=f"{key!r} must be empty in this mode: the tool is chosen at run time",
                    severity="warning",
                    patch=(_replace("", key),),
                )


def _fits_mode(data: JsonObject, mode: Mode, now: datetime) -> bool:
    """Whether a mode is the only one that has a configuration, and nothing is wrong in it."""
    others = [one for one, config in CONFIG_OF.items() if data.get(config) is not None]
    changed: JsonObject = {**data, "mode": mode}
    return others == [mode] and all(one.severity != "error" for one in _data(changed, now))


def _is_without_values(data: JsonObject, mode: Mode) -> bool:
    """Whether a node in detailed mode has no values, and words in the place of another mode."""
    is_described = any(
        isinstance(words := object_at(data, config).get(WORDS[config]), str) and words.strip()
        for config in CONFIG_OF.values()
    )
    return mode == "detailed" and is_described and not data.get("parameterValues")


def _is_only_clue(data: JsonObject, mode: Mode, other: Mode) -> bool:
    """Whether clearing it would leave a language node without a configuration."""
    own = CONFIG_OF.get(mode)
    return own is not None and data.get(own) is None and isinstance(data[CONFIG_OF[other]], dict)


def _config(data: JsonObject, key: str, now: datetime) -> Iterator[Problem]:
    config = data.get(key)
    if not isinstance(config, dict):
        yield _missing_config(data, key, now)
        return
    words = config.get(WORDS[key])
    if words is not None and not isinstance(words, str):
        message = f"{WORDS[key]!r} is {shown(words)}; expected text"
        yield Problem("MCP_NODE_FIELD_INVALID", pointer(key, WORDS[key]), message)
    elif problem := misnamed_words(config, key) or check_words(key, words or ""):
        yield replace(problem, pointer=pointer(key) + problem.pointer)
    yield from _timestamp(config, key, now)
    if key == TASK_CONFIG:
        yield from _tools(data, config, now)


def _missing_config(data: JsonObject, key: str, now: datetime) -> Problem:
    """Return a patch that moves a misplaced configuration, or sets the matching mode."""
    kept = KEPT[key]
    repaired: JsonObject = {name: value for name, value in data.items() if name != kept}
    patch: list[dict[str, Json]] = []
    if isinstance(data.get(kept), dict):
        repaired[key] = data[kept]
        patch = [{"op": "move", "from": pointer(kept), "path": pointer(key)}]
    else:
        others: list[Mode] = [mode for mode, config in CONFIG_OF.items() if config in data]
        if len(others) == 1 and isinstance(data[CONFIG_OF[others[0]]], dict):
            repaired = {**data, "mode": others[0]}
            patch = [_replace(others[0], "mode")]
        elif not others and data.get("parameterValues") and _has_all(data):
            # Values are there, and no words: they are what is configured.
            repaired = {**data, "mode": "detailed"}
            patch = [_replace("detailed", "mode")]
    is_good = patch and not any(one.severity == "error" for one in _data(repaired, now))
    return Problem(
        "MCP_MODE_CONFIG_MISMATCH",
        pointer(key),
        MISMATCH,
        hint=f"the mode requires the object {key!r}",
        patch=tuple(patch) if is_good else None,
    )


def _timestamp(config: JsonObject, key: str, now: datetime) -> Iterator[Problem]:
    written = config.get("timestamp")
    moment = _moment(written) if isinstance(written, str) else None
    place = pointer(key, "timestamp")
    if not (moment and isinstance(written, str) and _TIMESTAMP.fullmatch(written)):
        repaired = timestamp(min(moment or now, now))
        is_there = "timestamp" in config
        yield Problem(
            "MCP_TIMESTAMP_INVALID",
            place,
            f"{shown(written)} is not a timestamp; expected YYYY-MM-DDTHH:mm:ss.sssZ"
            if is_there
            else "a timestamp is missing; expected YYYY-MM-DDTHH:mm:ss.sssZ",
            severity="warning",
            patch=((_replace if is_there else _add)(repaired, key, "timestamp"),),
        )
    elif moment > now:
        yield Problem(
            "MCP_TIMESTAMP_FUTURE",
            place,
            f"{written} is in the future; the current time is used",
            severity="warning",
            patch=(_replace(timestamp(now), key, "timestamp"),),
        )


def _moment(written: str) -> datetime | None:
    """Parse any ISO 8601 timestamp; without an offset it is UTC."""
    try:
        moment = datetime.fromisoformat(written)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _tools(data: JsonObject, config: JsonObject, now: datetime) -> Iterator[Problem]:
    place = pointer(TASK_CONFIG, "availableTools")
    entries = config.get("availableTools")
    if entries is not None and not isinstance(entries, list):
        message = f"'availableTools' is {shown(entries)}; expected a list"
        yield Problem("MCP_NODE_FIELD_INVALID", place, message)
        return
    if not entries:
        hint = f"choose the server {text_at(data, 'serverId')!r} again to list its tools"
        # A list that was never made is made good by the server when the workflow runs.
        severity = "error" if "availableTools" in config else "warning"
        yield Problem("MCP_TOOL_LIST_EMPTY", place, NO_TOOLS, hint=hint, severity=severity)
        return
    if len(entries) > MAX_TOOLS:
        message = f"{len(entries)} tools; at most {MAX_TOOLS} are allowed"
        yield Problem("MCP_TOOL_LIST_TOO_LONG", place, message, hint=FEWER_TOOLS)
    for index, entry in enumerate(entries[:MAX_TOOLS]):
        yield from _snapshot(entry, index)
    moment = _moment(text_at(config, "timestamp"))
    if moment and now - moment > STALE_AFTER:
        yield Problem(
            "MCP_TOOL_LIST_STALE",
            place,
            STALE,
            hint="list the server's tools again",
            severity="warning",
        )


def _snapshot(entry: Json, index: int) -> Iterator[Problem]:
    at = (TASK_CONFIG, "availableTools", index)
    if not isinstance(entry, dict):
        message = f"a tool must be an object with a name and parameters, not {shown(entry)}"
        yield Problem("MCP_TOOL_SCHEMA_INVALID", pointer(*at), message)
        return
    if not (text_at(entry, "name") or text_at(entry, "toolName")):
        message = "a tool needs a non-empty name"
        yield Problem("MCP_TOOL_SCHEMA_INVALID", pointer(*at, "name"), message)
    key = next((key for key in ("parameters", "normalizedParameters") if key in entry), None)
    if isinstance(entry.get("inputSchema"), dict):
        for problem in read_snapshot("", entry).problems:
            if problem.severity == "error" and problem.pointer.startswith("/inputSchema"):
                yield replace(problem, pointer=pointer(*at) + problem.pointer)
    elif key is None or not isinstance(entry[key], list):
        message = "a tool needs a list of parameters"
        yield Problem("MCP_TOOL_SCHEMA_INVALID", pointer(*at, key or "parameters"), message)
    if key is not None:
        yield from check_parameters(entry[key], (*at, key))


def _preserved(data: JsonObject, now: datetime) -> Iterator[Problem]:
    kept = data.get(PRESERVED)
    if kept is None:
        return
    if not isinstance(kept, dict) or not isinstance(kept.get("parameterValues"), dict):
        message = "the preserved values are not an object with 'parameterValues'"
        yield Problem("MCP_NODE_FIELD_INVALID", pointer(PRESERVED), message)
        return
    yield from _timestamp(kept, PRESERVED, now)
    name = text_at(data, "toolName")
    if not name or text_at(kept, "toolName") not in ("", name):
        return  # values of another tool, kept until it is chosen again
    values = object_at(kept, "parameterValues")
    for problem in check_arguments(tool_of(data), _settled(values)):
        # Values may have been incomplete when the mode was changed.
        if problem.code != "MCP_PARAMETER_REQUIRED":
            place = pointer(PRESERVED, "parameterValues") + problem.pointer
            yield replace(problem, pointer=place, severity="warning", patch=None)


def _settled(values: JsonObject) -> JsonObject:
    """Return the values known before a run: those without an expression."""
    return {key: value for key, value in values.items() if not _has_expression(value)}


def _has_expression(value: Json) -> bool:
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text if "{{" in text:
                return True
            case list() as items:
                waiting.extend(items)
            case dict() as members:
                waiting.extend(members.values())
            case _:
                pass
    return False


def _replace(value: Json, *at: str) -> dict[str, Json]:
    return {"op": "replace", "path": pointer(*at), "value": value}


def _add(value: Json, *at: str) -> dict[str, Json]:
    return {"op": "add", "path": pointer(*at), "value": value}
