"""Faults of texts: references, expressions, templates, prompts, modes, choices, secrets."""

import re
from collections.abc import Iterator
from typing import Any

from tests.workflow.corpus.bases import Base, Document, a_list, an_object, edge, node
from tests.workflow.corpus.faults import (
    Fault,
    Faults,
    Fix,
    drop,
    parts,
    put,
    rename,
    swapped,
    values_of,
)

NAME = ("REFERENCE_NAME_UNKNOWN", "REFERENCE_NODE_UNKNOWN")
FIELD = ("REFERENCE_FIELD_UNKNOWN", "REFERENCE_PORT_UNKNOWN")
UNREADABLE = (
    *("EXPRESSION_INVALID", "TEMPLATE_UNCLOSED", "EXPRESSION_OLDER_SYNTAX"),
    *("EXPRESSION_UNSUPPORTED", "EXPRESSION_FUNCTION_UNKNOWN"),
)
_HOLE = re.compile(r"\{\{ *([^{}]+?) *\}\}")
_PATH = re.compile(r"^(?:nodes\.)?[A-Za-z_]\w*(?:\.\w+)*$")
_OPEN = frozenset({"data", "input", "inputs", "trigger", "run", "loop"})
Steps = tuple[str | int, ...]


def faults(base: Base) -> Iterator[Fault]:
    """Every fault of texts that the base has room for."""
    made = Faults(base)
    for at, one in made.nodes():
        yield from _references(made, at, one)
        yield from _conditions(made, at, one)
        yield from _modes(made, at, one)
        yield from _contents(made, at, one)
        yield from _secrets(made, at, one)
    yield from _patterns(made)


def _texts(value: Any, steps: Steps) -> Iterator[tuple[Steps, str]]:
    if isinstance(value, str):
        yield steps, value
    for key, item in an_object(value).items():
        yield from _texts(item, (*steps, key))
    for at, item in enumerate(a_list(value)):
        yield from _texts(item, (*steps, at))


def _references(made: Faults, at: int, one: Document) -> Iterator[Fault]:
    if one["type"] in ("prompt", "template", "subAgent"):
        return
    texts = [
        (steps, text)
        for part in ("configurations", "inputParams", "parameterValues")
        for steps, text in _texts(one.get("data", {}).get(part), (at, "data", part))
    ]
    later = [node["id"] for number, node in made.nodes() if number > at and node["type"] == "mcp"]
    for steps, text in texts:
        placeholder = _HOLE.search(text)
        if placeholder is None or "$" in text:
            continue
        place = "/".join(map(str, steps))
        asked = placeholder[1]

        def with_asked(new: str, text: str = text, placeholder: re.Match[str] = placeholder) -> str:
            return text[: placeholder.start(1)] + new + text[placeholder.end(1) :]

        open_text = text[: placeholder.end(1)] + text[placeholder.end() :]
        yield made.made("placeholder-unclosed", put(open_text, *steps), *UNREADABLE, place=place)
        change = put(with_asked(f"{asked} +"), *steps)
        yield made.made("expression-cut", change, *UNREADABLE, place=place)
        change = put(with_asked(f"({asked}"), *steps)
        yield made.made("expression-open", change, *UNREADABLE, place=place)
        change = put(with_asked(f"{asked} !== null ? {asked} : {asked}"), *steps)
        yield made.made(
            "expression-javascript", change, *UNREADABLE, fix="valid", grave=False, place=place
        )
        if later:
            change = put(with_asked(f"nodes['{later[-1]}'].output"), *steps)
            yield made.made("reference-later", change, "REFERENCE_NOT_RUN", place=place)
        if made.base.name != "pages":  # in a loop's body it may be what the last round gave
            change = put(with_asked(f"nodes['{one['id']}'].output"), *steps)
            yield made.made("reference-itself", change, "REFERENCE_NOT_RUN", place=place)
        if _PATH.match(asked):
            yield from _path(made, steps, asked, with_asked, place)


def _path(made: Faults, steps: Steps, asked: str, with_asked: Any, place: str) -> Iterator[Fault]:
    root, *rest = asked.split(".")
    if root == "nodes":
        root, rest = rest[0], rest[2:]
        if wrong := swapped(root):
            change = put(with_asked(asked.replace(root, wrong)), *steps)
            yield made.made("reference-node-swapped", change, *NAME, fix="same", place=place)
    elif wrong := swapped(root):
        change = put(with_asked(".".join((wrong, *rest))), *steps)
        yield made.made("reference-root-swapped", change, *NAME, fix="same", place=place)
    change = put(with_asked(".".join(("quantum", *rest))), *steps)
    yield made.made("reference-root-nonsense", change, *NAME, place=place)
    is_known = root not in _OPEN or (root == "trigger" and "inputSchema" in made.document)
    if rest and is_known and _has_schema(made, root) and (wrong := swapped(rest[0])):
        new = asked.replace(f".{rest[0]}", f".{wrong}")
        is_trigger = any(one["id"] == root and one["type"] == "TRIGGER" for _, one in made.nodes())
        is_tool = any(one["id"] == root and one["type"] == "TOOL" for _, one in made.nodes())
        grave = not is_trigger and not is_tool and root != "trigger"
        change = put(with_asked(new), *steps)
        yield made.made(
            "reference-field-swapped", change, *FIELD, fix="same", grave=grave, place=place
        )


def _has_schema(made: Faults, root: str) -> bool:
    """Whether something says what a node gives: its specification, or its tool's output."""
    found = next((one for _, one in made.nodes() if one["id"] == root), None)
    if found is None or found["type"] != "mcp":
        # The sample reads what its trigger's specification does not name.
        is_open = found is not None and found["id"] == "t"
        return root == "trigger" or (found is not None and not is_open)
    has_tool = made.base.world != "alone" and "/" not in made.base.name
    return has_tool and found["data"].get("toolName") in ("word_count", "add")


def _conditions(made: Faults, at: int, one: Document) -> Iterator[Fault]:
    data = one.get("data", {})
    text = values_of(one, "configurations").get("condition_expression")
    steps: Steps = (at, "data", "configurations", "condition_expression")
    if not isinstance(text, str) or "configurations" not in data:
        return
    slips: tuple[tuple[str, str, Fix], ...] = (
        ("condition-javascript", text.replace("==", "===").replace(">", "> 0 && 1 >"), "valid"),
        ("condition-open", f"({text}", "none"),
        ("condition-cut", f"{text} &&", "none"),
        ("condition-quote", f"{text} + '", "none"),
        ("condition-words", "if the amount is large", "none"),
        ("condition-assigned", re.sub(r"==|>", "=", text, count=1), "none"),
    )
    for kind, wrong, fix in slips:
        if wrong != text and not (kind == "condition-javascript" and "===" not in wrong):
            yield made.made(
                kind,
                put(wrong, *steps),
                *UNREADABLE,
                "EXPRESSION_TYPE",
                fix=fix,
                grave=fix == "none",
            )
    yield made.made("condition-number", put(5, *steps), "FIELD_TYPE_INVALID")
    yield made.made("condition-lost", drop(*steps), "FIELD_REQUIRED")


def _modes(made: Faults, at: int, one: Document) -> Iterator[Fault]:
    data = one.get("data", {})
    mode = data.get("mode")
    if one["type"] != "mcp" or mode is None or "/" in made.base.name:
        return
    steps: Steps = (at, "data", "mode")
    if wrong := swapped(mode):
        yield made.made("mode-swapped", put(wrong, *steps), "MCP_INVALID_MODE", fix="same")
    yield made.made("mode-nonsense", put("telepathy", *steps), "MCP_INVALID_MODE")
    yield made.made("mode-number", put(3, *steps), "MCP_INVALID_MODE")
    if mode == "detailed":
        change = put("fullNaturalLanguage", *steps)
        yield made.made(
            "mode-without-config", change, "MCP_MODE_CONFIG_MISMATCH", "MCP_NL_DESC_EMPTY"
        )
        return
    key, words = (
        ("naturalLanguageParamConfig", "description")
        if mode == "naturalLanguageParam"
        else ("fullNaturalLanguageConfig", "taskDescription")
    )
    here: Steps = (at, "data", key)
    yield made.made(
        "words-empty", put("", *here, words), "MCP_NL_DESC_EMPTY", "MCP_NL_DESC_TOO_SHORT"
    )
    yield made.made("words-short", put("short", *here, words), "MCP_NL_DESC_TOO_SHORT")
    yield made.made("words-long", put("x" * 20_000, *here, words), "MCP_NL_DESC_TOO_LONG")
    yield made.made("words-lost", drop(*here, words), "MCP_NL_DESC_EMPTY", "MCP_NODE_FIELD_INVALID")
    yield made.made(
        "words-number", put(5, *here, words), "MCP_NL_DESC_EMPTY", "MCP_NODE_FIELD_INVALID"
    )
    change = rename(str(swapped(words)), *here, words)
    codes = ("MCP_NL_DESC_EMPTY", "MCP_NODE_FIELD_INVALID")
    yield made.made("words-misnamed", change, *codes)
    yield made.made("mode-config-lost", drop(*here), "MCP_MODE_CONFIG_MISMATCH", *codes)
    change = put("2099-01-01T00:00:00.000Z", *here, "timestamp")
    yield made.made("time-future", change, "MCP_TIMESTAMP_FUTURE", fix="valid", grave=False)
    change = put("yesterday", *here, "timestamp")
    yield made.made("time-words", change, "MCP_TIMESTAMP_INVALID", fix="valid", grave=False)
    if mode == "fullNaturalLanguage":
        change = put([], *here, "availableTools")
        yield made.made("tools-empty", change, "MCP_TOOL_LIST_EMPTY", grave=False)
        change = put("2025-01-01T00:00:00.000Z", *here, "timestamp")
        yield made.made("tools-stale", change, "MCP_TOOL_LIST_STALE", grave=False)


_CHOICES = {"askUserQuestion": "options", "ifElse": "branches", "switch": "branches"}
_TEXTS = {
    "prompt": "prompt",
    "askUserQuestion": "questionText",
    "codex": "prompt",
    "template": "template",
}


def _contents(made: Faults, at: int, one: Document) -> Iterator[Fault]:
    data = one.get("data", {})
    key = _TEXTS.get(one["type"], "")
    told = ("FIELD_REQUIRED", "FIELD_TYPE_INVALID", "FIELD_UNKNOWN", "MISSING_VARIABLES")
    if isinstance(data.get(key), str):
        has_other = bool(data.get("selectedTemplateId"))
        here: Steps = (at, "data", key)
        place = one["id"]
        if not has_other:
            yield made.made("text-lost", drop(*here), *told, place=place)
            yield made.made("text-blank", put("  ", *here), *told, place=place)
            change = rename(str(swapped(key)), *here)
            yield made.made("text-misnamed", change, *told, fix="same", place=place)
        yield made.made("text-number", put(12, *here), *told, fix="valid", place=place)
        yield from _prompt_names(made, here, data[key])
    listed = _CHOICES.get(one["type"], "")
    if isinstance(data.get(listed), list):
        here = (at, "data", listed)
        place = one["id"]
        yield made.made("choices-lost", drop(*here), *told, place=place)
        yield made.made("choices-empty", put([], *here), *told, place=place)
        yield made.made("choices-text", put("yes, no", *here), *told, place=place)
        yield made.made("choice-number", put(5, *here, 0), *told, place=place)
        change = rename("lable", *here, 0, "label")
        yield made.made("label-swapped", change, *told, fix="same", grave=False, place=place)
        one_left = put(data[listed][:1], *here)
        codes = ("CHOICES_TOO_FEW", "EDGE_PORT_UNKNOWN")
        yield made.made("choices-few", one_left, *codes, grave=False, place=place)


def _prompt_names(made: Faults, here: Steps, text: str) -> Iterator[Fault]:
    placeholder = re.search(r"\{\{?(\w+)\}?\}", text)
    if placeholder and (wrong := swapped(placeholder[1])):
        change = put(text.replace(placeholder[1], wrong), *here)
        codes = ("PROMPT_NAME_UNKNOWN", "MISSING_VARIABLES")
        place = "/".join(map(str, here))
        yield made.made("prompt-name-swapped", change, *codes, fix="same", grave=False, place=place)


def _secrets(made: Faults, at: int, one: Document) -> Iterator[Fault]:
    values = values_of(one, "configurations")
    if "bot_token" in values:
        # Put together here, so that nobody takes this file's own text for a secret.
        change = put("xoxb-" + "1234567890" * 3, at, "data", "configurations", "bot_token")
        yield made.made("secret", change, "SECRET_IN_WORKFLOW", grave=False)
    if "parameterValues" in one.get("data", {}) and one["data"]["parameterValues"]:
        key = next(iter(one["data"]["parameterValues"]))
        change = put("ghp_" + "a1B2" * 9, at, "data", "parameterValues", key)
        yield made.made("secret-in-parameter", change, "SECRET_IN_WORKFLOW", grave=False)


def _patterns(made: Faults) -> Iterator[Fault]:
    """Larger mistakes: a reply that is analysed twice, a loop without a body, wrong types."""
    ids = {one["id"]: at for at, one in made.nodes()}
    if made.base.name == "triage":

        def analysed(document: Document) -> None:
            parts(document).nodes.append(
                node("really", "FLOW.IF", configurations={"condition_expression": "data != null"})
            )
            parts(document).edges.append(edge("review", "really", "confirmed"))

        yield made.made("reply-analysed-twice", analysed, "HIL_ANALYSED_TWICE", grave=False)
    if made.base.name.startswith("numbers") and made.base.world != "alone":
        misfit = "VALUE_TYPE_MISFIT"
        here: Steps = (ids["greeting"], "data", "parameterValues", "name")
        yield made.made("number-into-text", put("{{ total.sum }}", *here), misfit, fix="valid")
        here = (ids["total"], "data", "parameterValues", "a")
        yield made.made("text-into-number", put("{{ trigger.essay }}", *here), misfit, fix="valid")
        yield made.made(
            "list-into-number", put("{{ counted.most_frequent }}", *here), misfit, *FIELD
        )
        yield made.made(
            "text-around-number", put("{{ counted.words }} ", *here), misfit, fix="valid"
        )
        yield made.made("words-around-number", put("n={{ counted.words }}", *here), misfit)
        here = (ids["greeting"], "data", "parameterValues", "language")
        yield made.made("number-into-option", put("{{ total.sum }}", *here), misfit)
    if made.base.name == "pages":

        def bodiless(document: Document) -> None:
            found = parts(document)
            found.edges[:] = [one for one in found.edges if one["fromPort"] != "loop"]

        codes = (
            "NODE_UNREACHED",
            "LOOP_BODY_MISSING",
            "REFERENCE_OUTSIDE_LOOP",
            "CIRCULAR_DEPENDENCY",
        )
        yield made.made("loop-without-body", bodiless, *codes, grave=False)
        here = (ids["ordered"], "data", "configurations", "sort_field")
        outside = put("{{ loop.item.name }}", *here)
        yield made.made("loop-outside", outside, "REFERENCE_OUTSIDE_LOOP")
