"""Values of editor nodes that are one of a few words, and types of their described parameters.

The editor may have more words than these: only what means a known one is reported, with its fix.
"""

from collections.abc import Iterator

from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.tools.conversions import conversions
from toolweave.tools.keywords import TYPES
from toolweave.tools.meaning import meant, words
from toolweave.tools.misspelling import misspelt
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.stored_parameters import nodes_with_odd_parameters
from toolweave.workflow.ids import slug
from toolweave.workflow.model import Node

_SCOPES = ("user", "project", "local")
_STATUSES = ("valid", "missing", "invalid")
_OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "subAgent": {
        "model": ("sonnet", "opus", "haiku", "inherit"),
        "memory": _SCOPES,
        "commandScope": _SCOPES,
        "color": ("red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"),
    },
    "skill": {
        "scope": _SCOPES,
        "validationStatus": _STATUSES,
        "executionMode": ("load", "execute"),
    },
    "codex": {
        "promptMode": ("fixed", "ai-generated"),
        "reasoningEffort": ("minimal", "low", "medium", "high", "xhigh"),
        "sandbox": ("read-only", "workspace-write", "danger-full-access"),
    },
    "mcp": {"validationStatus": _STATUSES},
}
_MAX_PARAMETERS = 100


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield values that mean a known one."""
    odd = nodes_with_odd_parameters(case)
    for facts in node_table(case).of_kinds(_OPTIONS):
        data, kind = facts.node.data, facts.kind
        for key, options in _OPTIONS[kind].items():
            given = data.get(key)
            if isinstance(given, str) and given not in options:
                at = facts.place + pointer(key)
                yield from _problem(at, key, given, _one_of(given, options))
        if kind == "mcp":
            if facts.index in odd:
                yield from _parameters(data.get("parameters"), f"{facts.place}/parameters")
        elif kind == "skill":
            yield from _name(facts.node, f"{facts.place}/name")


def _one_of(given: str, options: tuple[str, ...]) -> str | None:
    """The only option that a value is, means, or is a longer name of."""
    found = misspelt(given, options) or next(iter(meant(given, options)), None)
    if found is not None:
        return found if len(meant(given, options)) < 2 else None
    named = [one for one in options if words(one) <= words(given)]
    return named[0] if len(named) == 1 else None


def _parameters(listed: Json, place: str) -> Iterator[Problem]:
    """Yield parameters of a tool whose `required` or `type` is written in another way."""
    for at, one in enumerate(listed[:_MAX_PARAMETERS] if isinstance(listed, list) else ()):
        if not isinstance(one, dict):
            continue
        required, kind = one.get("required"), one.get("type")
        if required is not None and not isinstance(required, bool):
            switch = next(conversions(required, ["boolean"]), None)
            yield from _problem(f"{place}/{at}/required", "required", required, switch)
        if isinstance(kind, str) and kind not in TYPES:
            named = meant(kind, TYPES)
            answer = named[0] if len(named) == 1 else None
            yield from _problem(f"{place}/{at}/type", "type", kind, answer)


def _name(node: Node, place: str) -> Iterator[Problem]:
    """Yield a skill's title in place of its name, which is the folder of its file."""
    name, path = node.data.get("name"), node.data.get("skillPath")
    if not isinstance(name, str) or not isinstance(path, str) or not name.strip():
        return
    try:
        folder = slug(name)
    except Invalid:
        return
    if folder != name and folder in path.split("/"):
        yield from _problem(place, "name", name, folder)


def _problem(place: str, key: str, given: Json, answer: Json) -> Iterator[Problem]:
    if answer is not None:
        yield Problem(
            "FIELD_OPTION_INVALID",
            place,
            f"{key!r} is {shown(given)}; expected {shown(answer)}",
            hint=f"use {shown(answer)}",
            severity="warning",
            patch=({"op": "replace", "path": place, "value": answer},),
        )
