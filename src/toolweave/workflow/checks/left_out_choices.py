"""Choices that are left out and follow from the settings beside them. Not a check.

`loop_type` is `for_each` where only `array_path` is given; nothing follows where two settings ask
for different choices, or where one of them belongs to what the node does by itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from toolweave.catalog.spec import Field, NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.dependent_settings import NEEDS
from toolweave.workflow.checks.node_facts import NodeFacts

Dependent = tuple[tuple[Field, Field], ...]
_EMPTY: tuple[Json, ...] = (None, "", [], {})
# The port of a mail server that is private from the start.
_TLS_PORT = 465
# Settings and inputs that belong to what a node does by itself, by the choice.
_OF_DEFAULT: Mapping[str, tuple[str, ...]] = {
    "filter_type": ("conditions",),
    "wait_type": ("wait_condition",),
    "outcome": ("result",),
    "operation": ("transformation_script",),
}

# Node and choice -> settings and inputs that only one choice uses, and those of the default.
_USED_BY: Mapping[tuple[str, str], tuple[Mapping[str, str], tuple[str, ...]]] = {
    ("EXTERNAL_ACTION.TELEGRAM_ACTION", "action_type"): (
        {"poll_config": "send_poll"},
        ("message_text",),
    ),
    ("EXTERNAL_ACTION.GOOGLE_CALENDAR", "action_type"): (
        {"text": "quick_add"},
        ("summary", "start", "start_datetime", "end", "end_datetime", "date", "event_id"),
    ),
    ("EXTERNAL_ACTION.DISCORD_ACTION", "action_type"): (
        {"webhook_config": "send_webhook"},
        ("channel_id",),
    ),
    ("EXTERNAL_ACTION.GITHUB", "action_type"): (
        {"workflow_file": "trigger_workflow"},
        ("title", "body"),
    ),
    ("MEMORY.KEY_VALUE_STORE", "operation"): ({"value": "set"}, ()),
    ("MEMORY.ENTITY", "operation"): ({"facts": "set"}, ("text",)),
    ("MEMORY.KNOWLEDGE_BASE", "operation"): ({"content": "add", "file_path": "add"}, ("query",)),
}
_MAIL = "EXTERNAL_ACTION.EMAIL"
# Nodes whose choices follow from more than the settings that are used with them.
LEFT_OUT = frozenset({_MAIL, *(ref for ref, _ in _USED_BY)})


def left_out(facts: NodeFacts, spec: NodeSpec) -> Iterator[Problem]:
    """Yield what does not go together with a choice that is left out."""
    return _security(facts) if spec.ref == _MAIL else _actions(facts, spec)


def _actions(facts: NodeFacts, spec: NodeSpec) -> Iterator[Problem]:
    """Yield what is given to another action than that of a node without a choice."""
    for (ref, name), (used, of_default) in _USED_BY.items():
        given = {**facts.inputs, **facts.settings}
        if ref != spec.ref or name in given or any(given.get(one) for one in of_default):
            continue
        meant = {option: one for one, option in used.items() if given.get(one) not in _EMPTY}
        if len(meant) != 1:
            continue
        ((option, field),) = meant.items()
        own = next((one for one in (*spec.configurations, *spec.inputs) if one.name == name), None)
        part = "configurations" if own in spec.configurations else "inputParams"
        at = "inputParams" if field in facts.inputs else "configurations"
        yield Problem(
            "VALUE_UNLIKELY",
            f"{facts.place}/{at}{pointer(field)}",
            f"{field!r} has no effect while {name!r} is {shown(own and own.default)}",
            hint=f"write {name!r} as {option!r}",
            severity="warning",
            patch=({"op": "add", "path": f"{facts.place}/{part}{pointer(name)}", "value": option},),
        )


def _security(facts: NodeFacts) -> Iterator[Problem]:
    """Yield the port of a mail server that is private from the start, where nothing says so."""
    if "security" in facts.settings or facts.settings.get("smtp_port") != _TLS_PORT:
        return
    place = f"{facts.place}/configurations"
    yield Problem(
        "VALUE_UNLIKELY",
        f"{place}/smtp_port",
        f"port {_TLS_PORT} is used with tls; 'security' is by default starttls",
        hint="write 'security' as 'tls'",
        severity="warning",
        patch=({"op": "add", "path": f"{place}/security", "value": "tls"},),
    )


def left_out_choice(
    problem: Problem, dependent: Dependent, facts: NodeFacts, spec: NodeSpec
) -> Problem:
    """A setting without effect, with the choice that all given settings ask for."""
    name = problem.pointer.rpartition("/")[2]
    decides = next((one for field, one in dependent if field.name == name), None)
    if decides is None or decides.name in facts.settings:
        return problem
    chosen = _choice(decides, dependent, facts, spec)
    if chosen is None:
        return problem
    value: Json = True if decides.type == "boolean" else chosen
    place = f"{facts.place}/configurations{pointer(decides.name)}"
    patch = ({"op": "add", "path": place, "value": value},)
    return replace(problem, hint=f"write {decides.name!r} as {shown(value)}", patch=patch)


def _choice(decides: Field, dependent: Dependent, facts: NodeFacts, spec: NodeSpec) -> str | None:
    """The only choice with which all given settings are used and nothing is missing."""
    given = {**facts.inputs, **facts.settings}
    asked = [
        field.used_when[1:]
        for field, other in dependent
        if other.name == decides.name and given.get(field.name) not in _EMPTY
    ]
    of_default = (given.get(name) for name in _OF_DEFAULT.get(decides.name, ()))
    if not asked or any(value not in _EMPTY for value in of_default):
        return None
    needs = NEEDS.get((spec.ref, decides.name), {})
    shared = [one for one in asked[0] if all(one in other for other in asked)]
    found = [one for one in shared if _has_all(needs.get(one, ()), given)]
    return found[0] if len(found) == 1 else None


def _has_all(paths: tuple[str, ...], given: JsonObject) -> bool:
    return all(given.get(path.partition(".")[0]) not in _EMPTY for path in paths)
