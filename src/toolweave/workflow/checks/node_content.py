"""Required content of editor and flow nodes: texts, options, branches, variables.

A missing field is an error if the node cannot run without it, else a warning. `limits` checks the
number of choices and characters.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, Severity, pointer
from toolweave.tools.conversions import conversions
from toolweave.tools.inner_keys import is_meant
from toolweave.tools.misspelling import misspelt
from toolweave.tools.name_words import words_in
from toolweave.tools.value_preview import shown, written
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.drawn_words import given_names
from toolweave.workflow.checks.kinds import type_of
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.problem_location import beside_data, placed
from toolweave.workflow.model import Node

_CALLED: dict[type, str] = {str: "text", list: "a list", bool: "true or false", int: "a number"}


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    kind: type = str
    missing: Severity | None = None
    # Any of these replaces it.
    instead: tuple[str, ...] = ()


def _optional(kind: type, *names: str) -> tuple[_Rule, ...]:
    return tuple(_Rule(name, kind) for name in names)


_BRANCHES = (_Rule("branches", list, "error"), *_optional(str, "evaluationTarget"))
_RULES: dict[str, tuple[_Rule, ...]] = {
    "prompt": (_Rule("prompt", str, "error"), *_optional(str, "label")),
    "subAgent": (
        _Rule("prompt", str, "error", ("agentDefinition", "builtInType", "commandFilePath")),
        _Rule("description", str, "warning"),
        *_optional(str, "agentDefinition", "agentType", "tools", "model", "memory", "color"),
        *_optional(str, "commandFilePath", "commandScope", "pluginName", "builtInType"),
    ),
    "subAgentFlow": (_Rule("subAgentFlowId", str, "error"), *_optional(str, "label")),
    "askUserQuestion": (
        _Rule("questionText", str, "error"),
        _Rule("options", list, "error", ("useAiSuggestions",)),
        *_optional(bool, "multiSelect", "useAiSuggestions"),
    ),
    "ifElse": _BRANCHES,
    "switch": _BRANCHES,
    "branch": (*_BRANCHES, *_optional(str, "branchType")),
    "skill": (
        _Rule("name", str, "error", ("skillPath",)),
        _Rule("skillPath", str, "warning"),
        _Rule("description", str, "warning"),
        _Rule("scope", str, "warning"),
        *_optional(str, "source", "allowedTools", "executionMode", "executionPrompt"),
    ),
    "codex": (
        _Rule("prompt", str, "error"),
        *_optional(str, "label", "promptMode", "model", "reasoningEffort", "sandbox"),
    ),
    "group": _optional(str, "label"),
    "template": (
        _Rule("template", str, "error", ("selectedTemplateId", "templateId")),
        *_optional(list, "variables"),
    ),
    "multi_input": (_Rule("variables", list, "error"),),
    "input": _optional(list, "variables"),
    "flow-link": (_Rule("flow", str, "error", ("flowId", "flowName")),),
}
_KNOWN_KEYS = ("label", "description", "name", "variables", "notes", "comment", "outputPorts")
_CHOICES = {"askUserQuestion": "options", "ifElse": "branches", "switch": "branches"} | {
    "branch": "branches"
}
_LABELLED = frozenset(_CHOICES.values())
_OF_CHOICES = frozenset({"id", "label", "condition", "description", "isDefault"})
_TEXTS = frozenset({"prompt", "template"})
# What other systems call the text of a template.
_TEXT_KEYS = frozenset({"content", "text", "body", "prompt", "message", "value", "format"})
# Texts that hold names with commas between them.
_LISTED_TEXTS = frozenset({"tools", "allowedTools"})
_NAMES = pattern(r"[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*")
_GAP = pattern(r"(?<!\{)\{([A-Za-z_][\w-]*)\}(?!\})")
_RESULTS = ("_result", "_template")
_ANSWERS = ("substitution", "model")
_NAMING = frozenset({"name", "key", "id"})
_WITH_VARIABLES = frozenset({"prompt", "multi_input", "template", "input"})
_KINDS = frozenset({*_RULES, *_CHOICES, *_WITH_VARIABLES, *_TEXTS})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield fields that are missing, misspelt or of the wrong type."""
    table = node_table(case)
    for facts in table.of_kinds({"mcp"}):
        ports = facts.node.data.get("outputPorts", 1)
        if ports != 1:
            yield beside_data(placed(_one_port(ports), facts.place))
    for facts in table.of_kinds(_KINDS):
        for problem in _of_node(case, facts.node, facts.kind):
            yield beside_data(placed(problem, facts.place))


def _of_node(case: CheckContext, node: Node, kind: str) -> Iterator[Problem]:
    rules = _RULES.get(kind, ())
    for rule in rules:
        if rule.name == "prompt" and case.format == "flow" and _is_template(node):
            yield _other_type(node, "template")
        else:
            yield from _field(node, rule, rules)
    if kind in _CHOICES:
        yield from _choices(node, _CHOICES[kind])
    if kind in _WITH_VARIABLES:
        yield from _variables(node)
    if kind == "template":
        yield from _undeclared(node, case.once(given_names))
    if kind in _TEXTS:
        yield from _answered_by(node)
    if kind in _CHOICES and "outputPorts" in node.data:
        yield from _port_for_each(case, node, _CHOICES[kind])


def _answered_by(node: Node) -> Iterator[Problem]:
    """Yield an `answeredBy` that is neither of the two, which would output the filled text."""
    given = node.data.get("answeredBy")
    if given is None or given in _ANSWERS:
        return
    place = pointer("answeredBy")
    meant = misspelt(given, _ANSWERS) if isinstance(given, str) else None
    yield Problem(
        "FIELD_OPTION_INVALID",
        place,
        f"'answeredBy' is {shown(given)}; expected 'substitution' or 'model'",
        hint=f"use {meant!r}" if meant else "use 'model' to ask a model, else remove it",
        patch=({"op": "replace", "path": place, "value": meant},) if meant else None,
    )


def _port_for_each(case: CheckContext, node: Node, key: str) -> Iterator[Problem]:
    """Yield a number of ports that is not that of the branches or options."""
    given, listed = node.data["outputPorts"], node.data.get(key)
    is_one_way = node.data.get("multiSelect") is True or node.data.get("useAiSuggestions") is True
    if not isinstance(listed, list) or is_one_way or given == len(listed):
        return
    # Too few or too many of them are reported; then the number may be the right one.
    if not 2 <= len(listed) <= (4 if key == "options" else 100):
        return
    # An edge from a port without a branch speaks for the number: then a branch may be missing.
    ports = {f"branch-{at}" for at in range(len(listed))}
    used = {one.source_port for one in case.graph.outgoing(node.id)}
    is_lost = any(one.startswith("branch-") and one not in ports for one in used)
    meant = {"op": "replace", "path": pointer("outputPorts"), "value": len(listed)}
    yield Problem(
        "FIELD_LIMIT_VIOLATED",
        pointer("outputPorts"),
        f"'outputPorts' is {shown(given)}; there are {len(listed)} {key}",
        hint=f"add the missing {key}, or remove the edge" if is_lost else f"use {len(listed)}",
        severity="warning",
        patch=None if is_lost else (meant,),
    )


def _one_port(given: Json) -> Problem:
    """Yield MCP nodes that do not have exactly one output port."""
    return Problem(
        "FIELD_LIMIT_VIOLATED",
        pointer("outputPorts"),
        f"'outputPorts' is {shown(given)}; a node of type 'mcp' has 1 output port",
        hint="use 1; to branch, add a decision after it",
        severity="warning",
        patch=({"op": "replace", "path": pointer("outputPorts"), "value": 1},),
    )


def _is_template(node: Node) -> bool:
    """Whether a node has what another type of a flow needs, and not what its own type does."""
    return node.type == "prompt" and "prompt" not in node.data and bool(node.data.get("template"))


def _other_type(node: Node, meant: str) -> Problem:
    return Problem(
        "NODE_TYPE_UNKNOWN",
        "/../type",
        f"{node.type!r} needs 'prompt', and this node has what {meant!r} needs",
        hint=f"use {meant!r}",
        patch=({"op": "replace", "path": "/../type", "value": meant},),
    )


def _field(node: Node, rule: _Rule, rules: tuple[_Rule, ...]) -> Iterator[Problem]:
    value = node.data.get(rule.name)
    if _is_empty(value):
        if rule.missing and not any(node.data.get(name) for name in rule.instead):
            yield _missing(node, rule, rules)
        elif rule.missing == "error" and rule.name not in node.data:
            yield from _other_name(node, rule, rules)
    elif not _is(value, rule.kind):
        yield _wrong_kind(node, rule, value)


def _other_name(node: Node, rule: _Rule, rules: tuple[_Rule, ...]) -> Iterator[Problem]:
    """Yield a key that is ignored and means a field for which the node has something else."""
    known = {one.name for one in rules} | {*_KNOWN_KEYS}
    strange = [
        one
        for one in node.data
        if one not in known and (is_meant(one, rule.name) or _with_kind(one, rule.name, node))
    ]
    if len(strange) == 1 and _is(node.data[strange[0]], rule.kind) and node.data[strange[0]]:
        move = {"op": "move", "from": pointer(strange[0]), "path": pointer(rule.name)}
        message = f"{node.type!r} has no {strange[0]!r}; it is ignored"
        hint = f"rename {strange[0]!r} to {rule.name!r}?"
        yield Problem("FIELD_UNKNOWN", pointer(strange[0]), message, hint, "warning", (move,))


def _is_empty(value: Json) -> bool:
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


def _is(value: Json, kind: type) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _missing(node: Node, rule: _Rule, rules: tuple[_Rule, ...]) -> Problem:
    names = [one.name for one in rules]
    # Unknown fields with a similar name or one that means the same.
    strange = [key for key in node.data if key not in names]
    slips = [key for key in strange if misspelt(key, names) == rule.name]
    slips = slips or [key for key in strange if is_meant(key, rule.name) and node.data[key]]
    slips = slips or [key for key in strange if _has_form(rule.name, key, node.data[key])]
    slips = slips or [key for key in strange if _without_kind(key, rule.name, type_of(node))]
    slips = slips or [key for key in strange if _with_kind(key, rule.name, node)]
    patch = None
    if len(slips) == 1 and _is(node.data[slips[0]], rule.kind) and node.data[slips[0]]:
        patch = ({"op": "move", "from": pointer(slips[0]), "path": pointer(rule.name)},)
    elif not slips and _is(beside := node.extras.get(rule.name), rule.kind) and beside:
        # Pointers are below `data`; what else of it stands beside it goes there too.
        others = {*names, "variables", "selectedTemplateId"} - {rule.name} - node.data.keys()
        moved = (rule.name, *(key for key in node.extras if key in others))
        patch = tuple(
            {"op": "move", "from": f"/..{pointer(key)}", "path": pointer(key)} for key in moved
        )
    return Problem(
        "FIELD_REQUIRED",
        pointer(rule.name),
        f"{node.type!r} needs {rule.name!r}, {_CALLED[rule.kind]}",
        hint=f"rename {slips[0]!r}?" if slips else None,
        severity=rule.missing or "warning",
        patch=patch,
    )


def _has_form(name: str, key: str, value: Json) -> bool:
    """Whether a value under another key can only be the missing one, by its form.

    Options and branches are the only lists of labels; a text with gaps is a template.
    """
    if name in _LABELLED and isinstance(value, list) and value:
        return all(isinstance(one, dict) and isinstance(one.get("label"), str) for one in value)
    is_text = isinstance(value, str) and key.casefold() in _TEXT_KEYS
    return name == "template" and is_text and _GAP.search(str(value)) is not None


def _without_kind(key: str, name: str, kind: str) -> bool:
    """Whether a key is a field without the word for the node: `path` of a skill's `skillPath`."""
    given, known = words_in(key), words_in(name)
    is_end = len(given) > 1 and known[-len(given) :] == given  # `flowId` of `subAgentFlowId`
    return (*words_in(kind), *given) == known or is_end


def _with_kind(key: str, name: str, node: Node) -> bool:
    """Whether a key is a field with the word for the node before it: `skillName` of a skill."""
    return words_in(key) == (*words_in(type_of(node)), *words_in(name))


def _wrong_kind(node: Node, rule: _Rule, value: Json) -> Problem:
    repaired = _converted(value, rule)
    is_needed = rule.missing == "error"
    return Problem(
        "FIELD_TYPE_INVALID",
        pointer(rule.name),
        f"{rule.name!r} of {node.type!r} is {shown(value)}; expected {_CALLED[rule.kind]}",
        hint=f"use {shown(repaired)}" if repaired is not None else None,
        severity="error" if is_needed else "warning",
        patch=({"op": "replace", "path": pointer(rule.name), "value": repaired},)
        if repaired is not None
        else None,
    )


def _converted(value: Json, rule: _Rule) -> Json:
    """Convert a value to the expected type, if that loses nothing."""
    if rule.kind is str and isinstance(value, int | float):
        return written(value)
    if rule.kind is bool:
        return next(conversions(value, ["boolean"]), None)
    if rule.kind is str and isinstance(value, list) and value and rule.name in _LISTED_TEXTS:
        return ",".join(map(str, value)) if all(isinstance(one, str) for one in value) else None
    if rule.name == "variables" and isinstance(value, str) and _NAMES.fullmatch(value):
        return [one.strip() for one in value.split(",")]
    if rule.name == "variables" and isinstance(value, dict):
        return [{"key": key, "value": one} for key, one in value.items()]
    return [value] if rule.kind is list and isinstance(value, dict) else None


def _choices(node: Node, key: str) -> Iterator[Problem]:
    choices = node.data.get(key)
    if not isinstance(choices, list) or not choices:
        return
    for index, choice in enumerate(choices):
        yield from _choice(choice, (key, index), needs_condition=key == "branches")
    defaults = [one for one in choices if isinstance(one, dict) and one.get("isDefault") is True]
    if len(defaults) > 1:
        message = f"{len(defaults)} branches are marked as default; only the first is used"
        yield Problem("BRANCH_DEFAULT_TWICE", pointer(key), message, severity="warning")


def _choice(choice: Json, at: tuple[str, int], *, needs_condition: bool) -> Iterator[Problem]:
    if not isinstance(choice, dict):
        yield _no_choice(choice, at, is_label=isinstance(choice, str) and not needs_condition)
        return
    wanted = ("label", "condition") if needs_condition else ("label",)
    for name in wanted:
        value = choice.get(name)
        if name == "condition" and choice.get("isDefault") is True:
            continue
        if isinstance(value, str) and value.strip():
            continue
        other = choice.get("condition" if name == "label" else "label")
        is_labelled = isinstance(other, str) and bool(other.strip())
        yield _unsaid(choice, (*at, name), name, value, is_labelled=is_labelled)


def _no_choice(choice: Json, at: tuple[str, int], *, is_label: bool) -> Problem:
    label = {"op": "replace", "path": pointer(*at), "value": {"label": choice}}
    return Problem(
        "FIELD_TYPE_INVALID",
        pointer(*at),
        f"a choice must be an object with a label, not {shown(choice)}",
        severity="warning" if is_label else "error",
        patch=(label,) if is_label else None,
    )


def _unsaid(
    choice: JsonObject, at: tuple[str | int, ...], name: str, value: Json, *, is_labelled: bool
) -> Problem:
    slips = [key for key in choice if misspelt(key, ("label", "condition")) == name]
    if not slips and _is_empty(value):
        others = [key for key in choice if key not in _OF_CHOICES and is_meant(key, name)]
        slips = others if len(others) == 1 else []
    patch: tuple[dict[str, Json], ...] | None = None
    if len(slips) == 1 and slips[0] != name and isinstance(choice[slips[0]], str):
        patch = ({"op": "move", "from": pointer(*at[:-1], slips[0]), "path": pointer(*at)},)
    elif isinstance(value, int | float):
        patch = ({"op": "replace", "path": pointer(*at), "value": written(value)},)
    return Problem(
        "FIELD_REQUIRED" if _is_empty(value) else "FIELD_TYPE_INVALID",
        pointer(*at),
        f"a choice requires the text {name!r}",
        hint=f"rename {slips[0]!r}?" if patch and slips else None,
        severity="warning" if is_labelled else "error",
        patch=patch,
    )


def _undeclared(node: Node, given: frozenset[str]) -> Iterator[Problem]:
    """Yield names in a template that its list of variables does not have."""
    template, listed = node.data.get("template"), node.data.get("variables")
    if not isinstance(template, str) or not isinstance(listed, list):
        return
    declared = [one for one in listed if isinstance(one, str)]
    if len(declared) != len(listed):
        return
    used = list(dict.fromkeys(_GAP.findall(template)))
    letters = {_letters(one): one for one in declared}
    for name in (one for one in used if one not in declared):
        if (same := letters.get(_letters(name))) is not None:
            path, value = "/template", template.replace(f"{{{name}}}", f"{{{same}}}")
            message = f"{name!r} is {same!r} among the variables"
            patch = ({"op": "replace", "path": path, "value": value},)
            yield Problem("MISSING_VARIABLES", path, message, f"write {same!r}", "warning", patch)
        else:
            whole: list[Json] = [*declared, *(one for one in used if one not in declared)]
            message = f"'variables' does not have {name!r}, which the template reads"
            # A name that nothing gives a value may be a misspelling, or one too many.
            is_given = not given or name in given or name.endswith(_RESULTS)
            patch = ({"op": "replace", "path": "/variables", "value": whole},) if is_given else None
            hint = f"add {name!r}" if is_given else f"give {name!r} a value, or remove it"
            yield Problem("MISSING_VARIABLES", "/variables", message, hint, "warning", patch)
            return


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _variables(node: Node) -> Iterator[Problem]:
    """Check variables: names, `{key, value}` objects or, in prompts, an object of values."""
    variables = node.data.get("variables")
    if (
        type_of(node) == "prompt"
        and variables is not None
        and not isinstance(variables, dict | list)
    ):
        message = f"'variables' is {shown(variables)}; expected an object of names and values"
        yield Problem("FIELD_TYPE_INVALID", "/variables", message, severity="warning")
    if not isinstance(variables, list):
        return
    if type_of(node) == "prompt" and (values := _listed_values(variables)) is not None:
        message = "'variables' is a list of values; expected an object of names and values"
        patch = ({"op": "replace", "path": "/variables", "value": values},)
        hint = f"use {shown(values)}"
        yield Problem("FIELD_TYPE_INVALID", "/variables", message, hint, "warning", patch)
    for index, variable in enumerate(variables):
        if isinstance(variable, str) and variable.strip():
            continue
        named = variable if isinstance(variable, dict) else {}
        if not any(isinstance(named.get(name), str) for name in ("key", "name", "id")):
            message = f"a variable must be a name or have a 'key', not {shown(variable)}"
            place = pointer("variables", index)
            yield Problem("FIELD_TYPE_INVALID", place, message, severity="warning")


def _listed_values(variables: list[Json]) -> JsonObject | None:
    """The object that a list of `{name, value}` stands for; None for any other list."""
    found: JsonObject = {}
    for one in variables:
        others = {*one} - {"value"} if isinstance(one, dict) and "value" in one else set[str]()
        name = one.get(next(iter(others))) if isinstance(one, dict) and len(others) == 1 else None
        if not isinstance(name, str) or name in found or not others <= _NAMING:
            return None
        found[name] = one["value"] if isinstance(one, dict) else None
    return found or None
