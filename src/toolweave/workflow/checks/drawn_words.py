"""Fields of the visual editor that take one of a few words, and entries of its lists.

Warnings: an export or a run goes on with another word, but not as its author means.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from toolweave.catalog.member_shapes import member_schema
from toolweave.json_text import JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.misspelling import misspelt
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.compiled_schemas import CompiledSchemas
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.kinds import type_of
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.problem_location import placed
from toolweave.workflow.checks.prompt_names import variables_of
from toolweave.workflow.checks.stored_parameters import nodes_with_odd_parameters
from toolweave.workflow.checks.templated_values import check_values
from toolweave.workflow.checks.values import CODES
from toolweave.workflow.model import Node

_MODELS = "sonnet|opus|haiku|inherit"
_SCOPES = "user|project|local|personal"
# In the notation of the members of settings.
_WORDS = {
    "subAgent": (
        f"{{model: {_MODELS}, memory: user|project|local, commandScope: {_SCOPES}, "
        "color: red|blue|green|yellow|purple|orange|pink|cyan, outputPorts: integer 1..1, …}"
    ),
    "skill": (
        f"{{scope: {_SCOPES}, validationStatus: valid|missing|invalid, "
        "executionMode: execute|load, outputPorts: integer 1..1, …}"
    ),
    "codex": (
        "{promptMode: fixed|ai-generated, reasoningEffort: none|minimal|low|medium|high|xhigh, "
        "sandbox: read-only|workspace-write|danger-full-access, outputPorts: integer 1..1, …}"
    ),
    "mcp": (
        "{parameters: [{name*, type: string|number|integer|boolean|array|object, "
        "required: boolean, …}], …}"
    ),
    "slashCommandOptions": (
        f"{{model: default|{_MODELS}, context: default|fork, disableModelInvocation: boolean, "
        "allowedTools, argumentHint, …}"
    ),
    "askUserQuestion": "{multiSelect: boolean, useAiSuggestions: boolean, …}",
    "ifElse": "{branches: [{isDefault: boolean, …}], …}",
    "switch": "{branches: [{isDefault: boolean, …}], …}",
    "branch": "{branches: [{isDefault: boolean, …}], branchType: conditional|switch, …}",
}
_LABELLED = {"askUserQuestion": "options"} | dict.fromkeys(
    ("ifElse", "switch", "branch"), "branches"
)
_SEPARATED = pattern(r"\w+(?:\s*[;|\n]\s*\w+|\s+\w+)+")
_SEPARATORS = pattern(r"[\s;|]+")
_SKILL_NAME = pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PLUGIN = pattern(r"[\w-]+:.+")
_PLACEHOLDER = pattern(r"(?<!\{)\{([A-Za-z_][\w-]*)\}(?!\})")
# How a prompt and a template write a variable, and how others would.
_MARKS = {"prompt": "{{{{{}}}}}", "template": "{{{}}}"}
_FOREIGN_MARKS = {
    "prompt": r"(?<![{{$])\$?\{{{}\}}(?!\}})|\${}\b|<{}>|\[{}\]".replace("{}", "{0}"),
    "template": r"\$\{{{}\}}|(?<!\{{)\${}\b|<{}>".replace("{}", "{0}"),
}
_RESULTS = ("_result", "_template")
_KINDS = frozenset({*_WORDS, *_LABELLED, *_MARKS, "subAgent", "skill", "template"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield words that the visual editor does not know, and lists that leave something out."""
    options = case.workflow.extras.get("slashCommandOptions")
    if isinstance(options, dict):
        yield from _words("slashCommandOptions", options, "/slashCommandOptions")
    table, odd = node_table(case), nodes_with_odd_parameters(case)
    for facts in table.of_kinds(_KINDS):
        node = facts.node
        if (node.type != "mcp" or facts.index in odd) and "subtype" not in node.data:
            yield from _of_node(case, node, facts.kind, facts.place)
    for facts in table.grouped:
        if "subtype" not in facts.node.data:
            yield from _in_no_group(case, facts.node, facts.index)


def _of_node(case: CheckContext, node: Node, kind: str, place: str) -> Iterator[Problem]:
    if kind in _WORDS:
        yield from _words(kind, node.data, place)
    if kind in _LABELLED:
        yield from _same_labels(node, _LABELLED[kind], place)
    if kind in {"subAgent", "skill"}:
        yield from _separated(node, place)
    if kind == "skill":
        yield from _skill_name(node, place)
    if kind == "template":
        yield from _undeclared(node, place, case.once(given_names))
    if kind in _MARKS:
        yield from _marked(node, kind, place)


def given_names(case: CheckContext) -> frozenset[str]:
    """The names that the input nodes of a flow and the schema of its input give a value."""
    schema = case.workflow.extras.get("inputSchema")
    known = schema.get("properties") if isinstance(schema, dict) else None
    names = {name for one in case.workflow.nodes for name in variables_of(one)}
    return frozenset(names | {*(known if isinstance(known, dict) else ())})


@cache
def _judge(kind: str) -> CompiledSchemas:
    return CompiledSchemas(member_schema(_WORDS[kind]))


def _words(kind: str, data: JsonObject, place: str) -> Iterator[Problem]:
    judge = _judge(kind)
    # A field without a value is as good as none; wrong types of fields are a matter of others.
    held: JsonObject = {
        name: value
        for name in data.keys() & judge.names
        if (value := data[name]) not in (None, "", [])
    }
    if not held or judge.accepts(held):
        return
    for problem in check_values(judge, held):
        is_inner = problem.pointer.count("/") > 1 or kind == "slashCommandOptions"
        is_word = problem.code == "MCP_PARAMETER_ENUM_INVALID" or is_inner
        if is_word:
            code = CODES.get(problem.code, problem.code)
            yield placed(replace(problem, code=code, severity="warning"), place)


def _same_labels(node: Node, key: str, place: str) -> Iterator[Problem]:
    listed = node.data.get(key)
    labels: list[str] = []
    for at, one in enumerate(listed if isinstance(listed, list) else ()):
        label = one.get("label") if isinstance(one, dict) else None
        if isinstance(label, str) and label.strip() and label.casefold() in labels:
            message = (
                f"{shown(label)} is the label of two {key}, which makes them indistinguishable"
            )
            at_label = f"{place}/{key}/{at}/label"
            yield Problem("VALUE_UNLIKELY", at_label, message, severity="warning")
        labels.append(label.casefold() if isinstance(label, str) else "")


def _separated(node: Node, place: str) -> Iterator[Problem]:
    for name in ("tools", "allowedTools"):
        text = node.data.get(name)
        if isinstance(text, str) and _SEPARATED.fullmatch(text):
            message = f"{name!r} is {shown(text)}; expected names with commas between them"
            meant = ",".join(one.strip() for one in _SEPARATORS.split(text) if one.strip())
            at = place + pointer(name)
            patch = ({"op": "replace", "path": at, "value": meant},)
            hint = f"use {meant!r}"
            yield Problem("FIELD_FORM_UNUSUAL", at, message, hint, "warning", patch)


def _skill_name(node: Node, place: str) -> Iterator[Problem]:
    name = node.data.get("name")
    if not isinstance(name, str) or not name or _SKILL_NAME.fullmatch(name):
        return
    if _PLUGIN.fullmatch(name):
        return
    meant = "-".join(name.casefold().replace("_", " ").split())
    at = f"{place}/name"
    is_name = _SKILL_NAME.fullmatch(meant) is not None
    yield Problem(
        "FIELD_FORM_UNUSUAL",
        at,
        f"the name of a skill is {shown(name)}; expected small letters, digits and hyphens",
        hint=f"use {meant!r}" if is_name else None,
        severity="warning",
        patch=({"op": "replace", "path": at, "value": meant},) if is_name else None,
    )


def _undeclared(node: Node, place: str, given: frozenset[str]) -> Iterator[Problem]:
    """Yield names of a template that its own list of variables leaves out."""
    listed, text = node.data.get("variables"), node.data.get("template")
    if not isinstance(listed, list) or not isinstance(text, str):
        return
    declared = [one for one in listed if isinstance(one, str)]
    if len(declared) != len(listed):
        return
    used = list(dict.fromkeys(_PLACEHOLDER.findall(text)))
    absent = [one for one in used if one not in listed]
    if absent and (listed or not any(one.endswith(_RESULTS) for one in absent)):
        names = ", ".join(map(repr, absent[:5]))
        # A name that nothing gives a value may be a misspelling, or one too many.
        is_new = not any(one.endswith(_RESULTS) or misspelt(one, declared) for one in absent)
        is_new = is_new and (not given or given.issuperset(absent))
        at = place + pointer("variables")
        yield Problem(
            "VALUE_UNLIKELY",
            at,
            f"the template uses {names}, which 'variables' does not list",
            hint="list every name of the template",
            severity="warning",
            patch=({"op": "replace", "path": at, "value": [*listed, *absent]},) if is_new else None,
        )


def _marked(node: Node, kind: str, place: str) -> Iterator[Problem]:
    """Yield variables in the marks of another system, which are not filled in."""
    variables = node.data.get("variables")
    names = [str(one) for one in variables] if isinstance(variables, dict | list) else []
    text, ours = node.data.get(kind), _MARKS[kind]
    if not isinstance(text, str) or not names:
        return
    meant, wrong = text, ""
    for name in names:
        own = ours.format(name)
        foreign = _FOREIGN_MARKS[kind].format(re.escape(name))
        if own not in text and (found := re.search(foreign, text)) is not None:
            wrong = wrong or found[0]
            meant = re.sub(foreign, lambda _, own=own: own, meant)
    if wrong:
        at = place + pointer(kind)
        yield Problem(
            "TEMPLATE_FOREIGN_SYNTAX",
            at,
            f"{wrong!r} is not filled in; a variable is written as {ours.format('name')!r}",
            hint=f"write {meant!r}"[:300],
            severity="warning",
            patch=({"op": "replace", "path": at, "value": meant},),
        )


def _in_no_group(case: CheckContext, node: Node, index: int) -> Iterator[Problem]:
    parent = case.graph.nodes.get(node.parent) if node.parent is not None else None
    if parent is None or type_of(parent) == "group":
        return
    message = f"{shown(parent.id)}, which the node is in, is no group"
    hint = "use the id of a group, or remove it"
    yield Problem(
        "GROUP_UNKNOWN", pointer("nodes", index, "parentId"), message, hint=hint, severity="warning"
    )
