"""Placeholders and references of other systems in texts, which a run passes on as written.

A text may be meant as it is, so that this is never an error; a fix is offered only where the
placeholder names something that the node can read.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from toolweave.access.mask import is_sensitive
from toolweave.catalog.spec import QUEUE, NodeSpec
from toolweave.cel.language import compile_text
from toolweave.cel.templates import read_template
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.cel_fields import cel_texts
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.foreign_repair import ForeignRepair
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.templated_values import MARK
from toolweave.workflow.formats.foreign.placeholders import (
    BLOCK,
    ForeignPlaceholder,
    bare_expression,
    marked_paths,
    may_be_foreign,
    placeholders_in,
)
from toolweave.workflow.model import Node
from toolweave.workflow.modes import mode_of
from toolweave.workflow.scope.references import Language

_LANGUAGES: dict[str, Language] = {
    "configurations": "config",
    "inputParams": "value",
    "parameterValues": "value",
}
# Fields with source code of other languages, where such placeholders are usual.
_SOURCE = frozenset({"code", "script", "command", "commands", "args", "pattern", "regex"})
_CONTAINERS = frozenset({dict, list})
# The steps to a field of a part: `/nodes/0/data/inputParams/code`.
_DIRECT = 5
_ENVIRONMENT = pattern(r"\$\{?[A-Z][A-Z0-9_]+\}?|%[A-Z][A-Z0-9_]+%")
# Placeholders of other systems that name nothing here: a path in marks that no prose has.
_UNFILLED = pattern(
    r"(?<!\{)\$\{(?!vault:|env:|input:)[A-Za-z_]\w*(?:\.\w+)+\}|\$\([A-Za-z_]\w*(?:\.[\w-]+)+\)"
    r"|<%=?\s*[$\w]+\.[\w.]+\s*-?%>|\\\([A-Za-z_]\w*(?:\.\w+)+\)|#\{[A-Za-z_]\w*(?:\.\w+)*\}"
    r"|(?<!\{)\{\s*[A-Za-z_]\w*(?:\.\w+)+\s*\}\}"
    r"|\bStates\.[A-Z]\w+\(|@\{[A-Za-z_]\w*\([^{}]*\)[^{}]*\}|<<\s*[A-Za-z_]\w*(?:\.\w+)+\s*>>"
)
_F_STRING = pattern(r"[fF](['\"])(.*)\1", re.DOTALL)
_OURS = pattern(r"\{\{.*?\}\}", re.DOTALL)
_PATH = pattern(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*|\[\d+\])+")


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield foreign placeholders in the values of nodes."""
    texts = _ForeignTexts(case)
    for facts in node_table(case).nodes:
        # Most nodes have no such text.
        if not facts.is_nested and not (facts.texts and may_be_foreign(facts.texts)):
            continue
        node = facts.node
        for part in _LANGUAGES:
            value = node.data.get(part)
            if value and _is_filled(node, part):
                place = f"{facts.place}/{part}"
                if not (suspect := [one for one in _texts(value, place) if _is_suspect(one[2])]):
                    continue
                unknown = _unknown(case, case.specs[facts.index], value, part)
                cel = _expressions(case.specs[facts.index], value, part, place)
                for at, name, text in suspect:
                    # A setting that the node does not have is removed, not translated.
                    if unknown and any(at == place + pointer(key) for key in unknown):
                        continue
                    if (at in cel or name == "array_path") and MARK not in text:
                        continue  # `expressions` and `loop_lists` read it
                    yield from texts.problems(node, name, text, at, _LANGUAGES[part])


def _unknown(case: CheckContext, spec: NodeSpec | None, value: Json, part: str) -> set[str]:
    """The settings that a built-in node does not have."""
    if spec is None or spec.origin is not None or part != "configurations":
        return set()
    known = case.made.of_spec(_setting_names, spec)
    return value.keys() - known if isinstance(value, dict) else set()


def _setting_names(spec: NodeSpec) -> frozenset[str]:
    names = (name for one in spec.all_configurations for name in (one.name, *one.aliases))
    return frozenset({*names, QUEUE.name})


def _expressions(spec: NodeSpec | None, value: Json, part: str, place: str) -> set[str]:
    """The places of texts that are expressions without braces."""
    if spec is None or part != "configurations" or not isinstance(value, dict):
        return set()
    return {place + pointer(*one.at) for one in cel_texts(spec, value)}


def _is_filled(node: Node, part: str) -> bool:
    return part != "parameterValues" or (node.type == "mcp" and mode_of(node.data) == "detailed")


def _texts(value: Json, place: str) -> Iterator[tuple[str, str, str]]:
    """Yield the texts that may have a foreign placeholder, with their pointers and keys."""
    waiting: list[tuple[str, str, Json]] = [(place, "", value)]
    while waiting:
        at, name, one = waiting.pop()
        if isinstance(one, str):
            if may_be_foreign(one):
                yield at, name, one
        elif isinstance(one, dict):
            waiting += [
                (at + pointer(key), key, part)
                for key, part in reversed(one.items())
                if (may_be_foreign(part) if isinstance(part, str) else type(part) in _CONTAINERS)
            ]
        elif isinstance(one, list):
            waiting.extend((f"{at}/{index}", name, item) for index, item in enumerate(one))


@lru_cache(maxsize=2_048)
def _is_suspect(text: str) -> bool:
    """Whether a text has a placeholder, a reference or a block of another system."""
    return (
        bare_expression(text) is not None
        or _PATH.fullmatch(text) is not None
        or BLOCK.search(text) is not None
        or _ENVIRONMENT.fullmatch(text.strip()) is not None
        or _UNFILLED.search(_OURS.sub("", text)) is not None
        or any(True for _ in placeholders_in(text))
        or any(True for _ in marked_paths(text))
    )


class _ForeignTexts:
    def __init__(self, case: CheckContext) -> None:
        self._case = case
        self._foreign = ForeignRepair(case)

    def problems(
        self, node: Node, name: str, text: str, place: str, language: Language
    ) -> Iterator[Problem]:
        # The key of an object in a field is the author's own.
        is_source = name in _SOURCE and place.count("/") <= _DIRECT
        if is_source or is_sensitive(name):
            return
        if (bare := self._bare(node, text, language)) is not None:
            yield _problem(place, text, bare)
            return
        if BLOCK.search(text):
            hint = "decide with FLOW.IF, or write a condition: {{ a ? b : c }}"
            yield _problem(place, text, None, hint)
            return
        found = list(placeholders_in(text)) or list(marked_paths(text))
        is_marked = bool(found) and not any(True for _ in placeholders_in(text))
        replaced = [
            self._marked(node, one) if is_marked else self._replaced(node, one, language)
            for one in found
        ]
        if any(one is not None for one in replaced):
            yield self._placeholders(place, text, found, replaced)
        elif _ENVIRONMENT.fullmatch(text.strip()):
            yield _problem(place, text, None, "read a value of the run with {{ trigger.NAME }}")
        elif (left := _UNFILLED.search(_OURS.sub("", text))) is not None:
            hint = "read a value of the run with {{ trigger.NAME }}, of a node with {{ ID.FIELD }}"
            yield _problem(place, left[0], None, hint)

    def _bare(self, node: Node, text: str, language: Language) -> str | None:
        """The whole text as a placeholder, if it is a reference without braces."""
        expression = bare_expression(text)
        if expression is None:
            is_path = language == "value" and _PATH.fullmatch(text)
            return self._named(node, text) if is_path else None
        repaired = self._foreign.repaired(node, expression, language)
        if repaired is None:
            return None
        if expression.startswith("`"):
            return _as_template(expression, self._foreign, node, language)
        return f"{{{{ {repaired} }}}}"

    def _named(self, node: Node, text: str) -> str | None:
        """A path without braces, if it leads to a declared field of an earlier node."""
        path = compile_text(text).path
        return f"{{{{ {text} }}}}" if path and self._foreign.is_declared(node, path) else None

    def _marked(self, node: Node, one: ForeignPlaceholder) -> str | None:
        """A path between any marks, if it leads to a declared field, by any name for its root."""
        path = compile_text(one.expression).path
        if path is not None and self._foreign.is_declared(node, path):
            return f"{{{{ {one.expression} }}}}"
        ours = self._foreign.repaired(node, one.expression, "value", is_any=True) if path else None
        path = compile_text(ours).path if ours else None
        is_declared = path is not None and self._foreign.is_declared(node, path)
        return f"{{{{ {ours} }}}}" if is_declared else None

    def _replaced(self, node: Node, one: ForeignPlaceholder, language: Language) -> str | None:
        if not one.expression:
            return ""
        expression = compile_text(one.expression)
        is_plain = expression.is_ours and self._foreign.is_resolved(node, expression, language)
        if is_plain and expression.path and len(expression.path) > 1:
            return f"{{{{ {one.expression} }}}}"
        repaired = self._foreign.repaired(node, one.expression, language, is_any=True)
        if repaired is not None and compile_text(repaired).references:
            is_long = all(len(ref.path) > 1 for ref in compile_text(repaired).references)
            return f"{{{{ {repaired} }}}}" if is_long else None
        is_read = expression.is_ours and self._foreign.is_resolved(node, expression, language)
        return f"{{{{ {one.expression} }}}}" if one.contains_ours and is_read else None

    def _placeholders(
        self, place: str, text: str, found: list[ForeignPlaceholder], replaced: list[str | None]
    ) -> Problem:
        pieces: list[str] = []
        end = 0
        for one, ours in zip(found, replaced, strict=True):
            if ours is not None:
                pieces += (text[end : one.start], ours)
                end = one.end
        first = next(one for one, ours in zip(found, replaced, strict=True) if ours is not None)
        shown = first.text if first.expression else text
        return _problem(place, shown, "".join((*pieces, text[end:])))


def _as_template(
    literal: str, foreign: ForeignRepair, node: Node, language: Language
) -> str | None:
    """The text of a template literal with our placeholders."""
    pieces: list[str] = []
    end = 0
    text = literal[1:-1]
    for one in placeholders_in(text):
        ours = foreign.repaired(node, one.expression, language, is_any=True) or one.expression
        if not one.text.startswith("${") or not compile_text(ours).is_usable:
            return None
        pieces += (text[end : one.start], f"{{{{ {ours} }}}}")
        end = one.end
    whole = "".join((*pieces, text[end:]))
    return None if read_template(whole).faults else whole


def _problem(place: str, text: str, ours: str | None, hint: str | None = None) -> Problem:
    shown = text if len(text) <= 100 else f"{text[:97]}..."
    if ours is not None and (python := _F_STRING.fullmatch(ours)):
        ours = python[2]
    return Problem(
        "TEMPLATE_FOREIGN_SYNTAX",
        place,
        f"{shown!r} is syntax of another system; it is passed on as written",
        hint=f"write {ours!r}"[:300] if ours else hint,
        severity="warning",
        patch=({"op": "replace", "path": place, "value": ours},) if ours else None,
    )
