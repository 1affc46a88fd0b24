"""Expression syntax: `{{ CEL }}` in values, and configurations that are CEL.

Older syntax that can be translated is a warning with its CEL translation as the fix. `data_flow`
checks references and types.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from toolweave.catalog.spec import NodeSpec
from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.cel.language import compile_text
from toolweave.cel.paths import quoted
from toolweave.cel.templates import Placeholder, Template, moved, read_template, texts_in
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.cel_fields import CEL_FIELDS, TRANSLATED_FIELDS, CelText, cel_texts
from toolweave.workflow.checks.constant_values import filled
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.edge_conversions import conversion_not_run
from toolweave.workflow.checks.expression_rewrites import is_assignment, retyped
from toolweave.workflow.checks.foreign_repair import ForeignRepair
from toolweave.workflow.checks.misread_expressions import misread
from toolweave.workflow.checks.node_facts import NodeFacts, node_table
from toolweave.workflow.checks.templated_values import MARK
from toolweave.workflow.checks.typed_expressions import as_fraction
from toolweave.workflow.formats.foreign.placeholders import without_sign
from toolweave.workflow.formats.legacy.translate import (
    Translation,
    translate_condition,
    translate_expression,
)
from toolweave.workflow.model import Node
from toolweave.workflow.modes import mode_of, object_at
from toolweave.workflow.scope.references import Language, may_ask

# A placeholder in a placeholder; a lone `{{` in quotes is how braces are written.
_NESTED = pattern(r"\{\{\s*[A-Za-z_][\w.]*\s*\}\}")
_UNCLOSED = pattern(r"\s*([A-Za-z_]\w*(?:\.\w+)+)(\s[^{}]+)")
# `{{ a.b } rest`
_HALF_CLOSED = pattern(r"(\{\{[^{}'\"]+\})(?!\})")
_QUOTED_PLACEHOLDER = pattern(r"(['\"])(\{\{[^{}]*\}\})\1")
# A text that is filled in beside one in quotes has none.
_TEXT_BESIDE = pattern(r"\}\}\s*[!=]=\s*['\"]|['\"]\s*[!=]=\s*\{\{")
_QUOTED = pattern(r"'[^']*'|\"[^\"]*\"")
_CONTAINERS = frozenset({dict, list})
# Characters that do not occur in natural language.
_CODE = ("===", "!==", "&&", "||", "$json", "$input", "$node", "$trigger", "$config")


@dataclass(frozen=True, slots=True)
class _Verdict:
    faults: tuple[SyntaxProblem, ...] = ()
    # The translation that a run applies too.
    ours: str | None = None
    # The corrected expression; unlike a translation, it is not applied at run time.
    repaired: str | None = None
    # Whether the translation gives what the original does for every value.
    is_exact: bool = True


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield invalid templates and CEL fields, and conversions that are never run."""
    texts = _Texts(case)
    for facts, values in zip(
        node_table(case).nodes, node_table(case.once(filled)).nodes, strict=True
    ):
        spec = facts.spec
        if spec is None:
            node = facts.node
            if facts.may_ask and node.type == "mcp" and mode_of(node.data) == "detailed":
                place = f"{facts.place}/parameterValues"
                yield from texts.templates(node, node.data.get("parameterValues"), place, "value")
        elif facts.may_ask or spec.ref in CEL_FIELDS:
            for problem in texts.of_catalog_node(facts, values, spec):
                yield problem if facts.is_enabled else replace(problem, severity="warning")
    for index, edge in case.said_edges:
        if edge.condition:
            yield from _edge_condition(case.at_edge(index, "condition"), edge.condition)
        if source := edge.extras.get("conversion_function"):
            yield from conversion_not_run(
                case, edge, case.at_edge(index, "conversion_function"), source
            )


def is_readable(text: str) -> bool:
    """Whether a CEL field with this text works, as written or translated."""
    return MARK in text or not _errors(_judged(text, translate_condition, is_older=False).faults)


def is_enabled(node: Node) -> bool:
    """Whether the node runs; problems of a disabled node do not matter."""
    return object_at(node.data, "configurations").get("enabled") is not False


class _Texts:
    """The texts of one workflow."""

    def __init__(self, case: CheckContext) -> None:
        self._is_older = case.format == "agent-team"
        self._foreign = ForeignRepair(case)

    def of_catalog_node(
        self, facts: NodeFacts, values: NodeFacts, spec: NodeSpec
    ) -> Iterator[Problem]:
        node, place = facts.node, facts.place
        for cel in cel_texts(spec, values.settings):
            if MARK not in cel.text and _is_fine(
                cel.text, is_condition=cel.field.is_condition, is_older=self._is_older
            ):
                continue
            at = f"{place}/configurations{pointer(*cel.at)}"
            yield from (
                self._with_braces(node, cel, at)
                if MARK in cel.text
                else self._cel_text(node, cel, at)
            )
        for part in ("configurations", "inputParams") if facts.may_ask else ():
            if value := node.data.get(part):
                language = "config" if part == "configurations" else "value"
                yield from self.templates(node, value, f"{place}/{part}", language)

    def templates(
        self, node: Node, value: Json, place: str, language: Language
    ) -> Iterator[Problem]:
        if self._are_fine(value) or not may_ask(value):
            return
        for at, text in texts_in(value, place):
            if MARK in text:
                yield from self._template(node, text, at, language)

    def _are_fine(self, value: Json) -> bool:
        """Whether the templates of values without others inside have no problem."""
        if not isinstance(value, dict):
            return False
        for one in value.values():
            if isinstance(one, str):
                if MARK in one and not _is_fine_template(one, is_older=self._is_older):
                    return False
            elif one and type(one) in _CONTAINERS:
                return False
        return True

    def _template(self, node: Node, text: str, place: str, language: Language) -> Iterator[Problem]:
        template = read_template(text)
        for fault in template.faults:
            repaired = _closed(text) if fault.code == "TEMPLATE_UNCLOSED" else None
            yield _with_text(fault.problem(place), text, repaired)
        pieces: list[str] = []
        end = 0
        for placeholder in template.placeholders:
            content = placeholder.content
            if _NESTED.search(content):
                yield _nested(place, content)
            verdict = _judged(content, translate_expression, is_older=self._is_older)
            if _is_foreign(verdict):
                found = self._foreign.repaired(node, content, language)
                if found is None and not self._is_resolved(node, verdict, language):
                    found = self._foreign.rewritten(node, content, language)
                verdict = _improved(verdict, found, is_older=self._is_older)
            elif not verdict.faults and (fault := misread(content)) is not None:
                found = self._foreign.repaired(node, content, language, is_misread=True)
                verdict = _Verdict((fault,), repaired=found)
            right = verdict.repaired and _filled(text, placeholder, verdict.repaired)
            right = right and without_sign(right, text)
            for fault in verdict.faults:
                found = moved(fault, text, placeholder.at).problem(place)
                yield _with_text(found, content, right)
            yield from _inexact(place, content, verdict)
            if verdict.ours is not None and verdict.is_exact:
                ours = self._foreign.without_conversions(node, verdict.ours, language)
                pieces.append(f"{text[end : placeholder.start]}{{{{ {ours} }}}}")
                end = placeholder.end
        if pieces:
            yield _older(place, text, without_sign("".join([*pieces, text[end:]]), text))

    def _is_resolved(self, node: Node, verdict: _Verdict, language: Language) -> bool:
        """Whether a translation reads only names that exist."""
        if _errors(verdict.faults) or verdict.ours is None:
            return False
        return self._foreign.is_resolved(node, compile_text(verdict.ours), language)

    def _cel_text(self, node: Node, cel: CelText, place: str) -> Iterator[Problem]:
        translate = translate_condition if cel.field.is_condition else translate_expression
        verdict = _judged(cel.text, translate, is_older=self._is_older)
        is_given = cel.field.is_condition and is_assignment(cel.text)
        if _is_foreign(verdict) and not is_given:
            verdict = self._translated(node, cel, verdict)
        elif not verdict.faults and (fault := misread(cel.text)) is not None:
            is_condition = cel.field.is_condition
            found = self._foreign.repaired(
                node, cel.text, "own", is_misread=True, is_decided=is_condition
            )
            verdict = _Verdict((fault,), repaired=found)
        for fault in verdict.faults:
            found = _with_text(fault.problem(place), cel.text, verdict.repaired)
            yield found if cel.is_used else replace(found, severity="warning")
        if verdict.ours is not None:
            yield _older(place, cel.text, verdict.ours, is_exact=verdict.is_exact)

    def _with_braces(self, node: Node, cel: CelText, place: str) -> Iterator[Problem]:
        """Yield a text with placeholders beside CEL; a lone one may give the whole expression."""
        template = read_template(cel.text)
        own = read_template(cel.text.removeprefix("="))
        is_own = self._is_own(node, own)
        if template.is_bare or (own.is_bare and is_own):
            content = own.placeholders[0].content
            expression = compile_text(content)
            # What compares is the condition itself; a path may lead to the text of one. Whether
            # the value of a whole setting fits is checked with its type.
            is_condition = expression.is_ours and expression.kind == "bool" and not expression.path
            if (is_condition and len(cel.at) > 1) or is_own:
                yield _with_text(_braces(place), cel.text, content)
            return
        # `'{{ name }}'` is the value itself; a placeholder within a longer text stays in it.
        unquoted = _QUOTED_PLACEHOLDER.sub(r"\2", cel.text)
        if any("{{" in text for text in _QUOTED.findall(unquoted)):
            return
        repaired = self._foreign.repaired(node, unquoted, "own", parameter="item")
        if repaired is None and is_own and not cel.field.is_condition:
            joined = _joined(cel.text.removeprefix("="), own)
            repaired = self._foreign.without_conversions(node, joined, "own")
        if repaired is not None:
            found = _with_text(_braces(place), cel.text, repaired)
            is_refused = cel.is_used and _is_refused(cel.text, template)
            yield replace(found, severity="error") if is_refused else found

    def _is_own(self, node: Node, template: Template) -> bool:
        """Whether the placeholders read names that only expressions of the node itself have."""
        found = [compile_text(one.content) for one in template.placeholders]
        return all(
            one.is_ours and self._foreign.is_resolved(node, one, "own") for one in found
        ) and not all(self._foreign.is_resolved(node, one, "config") for one in found)

    def _translated(self, node: Node, cel: CelText, verdict: _Verdict) -> _Verdict:
        target = str(cel.at[-1]) if len(cel.at) == 2 else None
        found = self._foreign.repaired(
            node,
            cel.text,
            "own",
            parameter="item",
            target=target,
            is_condition=cel.field.is_condition,
            is_decided=cel.field.is_condition,
        )
        if found is None and _errors(verdict.faults):
            is_condition = cel.field.is_condition
            found = self._foreign.rewritten(node, cel.text, "own", is_decided=is_condition)
        if found is not None:
            found = self._foreign.without_conversions(node, found, "own")
        better = _improved(verdict, found, is_older=self._is_older)
        is_run = cel.field.name in TRANSLATED_FIELDS and translate_condition(cel.text).is_changed
        if better.ours is None or is_run:
            return better
        fault = fault_at(cel.text, 0, "EXPRESSION_INVALID", "this is not CEL")
        faults = tuple(_errors(compile_text(cel.text).faults)) or (fault,)
        return _Verdict(faults, repaired=better.ours if better.is_exact else None)


def _braces(place: str) -> Problem:
    return Problem(
        "EXPRESSION_TEMPLATE",
        place,
        "placeholders are filled with text before the expression is read",
        hint="an expression reads values without braces",
        severity="warning",
    )


def _joined(text: str, template: Template) -> str:
    """A text with placeholders as a sum of texts."""
    pieces, end = list[str](), 0
    for one in template.placeholders:
        pieces += [quoted(text[end : one.start])] if one.start > end else []
        pieces.append(f"string({one.content})")
        end = one.end
    return " + ".join([*pieces, *([quoted(text[end:])] if end < len(text) else [])])


def _is_refused(text: str, template: Template) -> bool:
    """Whether no value of the placeholders gives an expression that can be evaluated."""
    if _TEXT_BESIDE.search(text):
        return True
    pieces, end = list[str](), 0
    for one in template.placeholders:
        pieces += (text[end : one.start], "1")
        end = one.end
    return bool(_errors(compile_text("".join((*pieces, text[end:]))).faults))


def _nested(place: str, content: str) -> Problem:
    return Problem(
        "EXPRESSION_TEMPLATE",
        place,
        f"{content[:100]!r} has a placeholder inside a text of an expression; it is not filled",
        hint="join the parts with +: {{ 'Run ' + run.id }}",
        severity="warning",
    )


def _is_foreign(verdict: _Verdict) -> bool:
    return verdict.ours is not None or bool(_errors(verdict.faults))


def _improved(verdict: _Verdict, found: str | None, *, is_older: bool) -> _Verdict:
    """Prefer the correction that keeps what is CEL already, except in files of older systems."""
    if found is None:
        is_path = verdict.ours is not None and compile_text(verdict.ours).path is not None
        return verdict if is_older or is_path else replace(verdict, is_exact=False)
    if verdict.ours is None:
        return replace(verdict, repaired=found)
    return verdict if is_older and not verdict.faults else replace(verdict, ours=found)


def _filled(text: str, placeholder: Placeholder, content: str) -> str:
    return f"{text[: placeholder.start]}{{{{ {content} }}}}{text[placeholder.end :]}"


def _with_text(problem: Problem, original: str, text: str | None) -> Problem:
    """Attach the corrected text as the problem's patch, if there is one."""
    if text is None:
        return problem
    patch = ({"op": "replace", "path": problem.pointer, "value": text},)
    return replace(
        problem,
        message=f"{original[:100]!r}: {problem.message}",
        hint=f"{problem.hint or 'use'}: {text!r}"[:300],
        patch=patch,
    )


# A cache of a pure function.
@lru_cache(maxsize=2_048)
def _judged(text: str, translate: Callable[[str], Translation], *, is_older: bool) -> _Verdict:
    """In files of older systems a text may have another meaning than in CEL."""
    expression = compile_text(text)
    if expression.is_ours and not is_older:
        is_typed = any(fault.code == "EXPRESSION_TYPE" for fault in _errors(expression.faults))
        return _Verdict(expression.faults, repaired=_retyped(text) if is_typed else None)
    translation = translate(text)
    if translation.is_changed:
        return _Verdict(translation.faults, translation.text)
    if not _errors(expression.faults):
        return _Verdict(expression.faults)
    to_fill = tuple(one for one in translation.faults if one.code == "TEMPLATE_PLACEHOLDER")
    is_typed = any(fault.code == "EXPRESSION_TYPE" for fault in _errors(expression.faults))
    return _Verdict(
        to_fill or expression.faults,
        repaired=_retyped(text) if is_typed and not to_fill else None,
    )


def _retyped(text: str) -> str | None:
    """The expression with types that fit, by the only change that makes them."""
    if (found := as_fraction(text)) is not None:
        return found
    fitting = [one for one in retyped(text) if one != text and not compile_text(one).faults]
    return fitting[0] if len(fitting) == 1 else None


@lru_cache(maxsize=2_048)
def _is_fine(text: str, *, is_condition: bool, is_older: bool) -> bool:
    """Whether nothing is to be said of an expression; true for nearly all."""
    translate = translate_condition if is_condition else translate_expression
    verdict = _judged(text, translate, is_older=is_older)
    return verdict == _Verdict() and misread(text) is None


@lru_cache(maxsize=2_048)
def _is_fine_template(text: str, *, is_older: bool) -> bool:
    template = read_template(text)
    return not template.faults and all(
        not _NESTED.search(one.content)
        and _is_fine(one.content, is_condition=False, is_older=is_older)
        for one in template.placeholders
    )


def _errors(faults: tuple[SyntaxProblem, ...]) -> list[SyntaxProblem]:
    return [fault for fault in faults if fault.severity == "error"]


def _older(place: str, original: str, ours: str, *, is_exact: bool = True) -> Problem:
    """The warning; its fix is offered if it gives the same value for every input."""
    hint = f"write {ours!r}" if len(ours) <= 200 else "apply the CEL translation"
    if not is_exact:
        hint = f"write CEL: {ours!r} runs, but may give another value than the original"[:300]
    return Problem(
        "EXPRESSION_OLDER_SYNTAX",
        place,
        f"{original[:100]!r}: older expression syntax; it is translated when the workflow runs",
        hint=hint,
        severity="warning",
        patch=({"op": "replace", "path": place, "value": ours},) if is_exact else None,
    )


def _inexact(place: str, original: str, verdict: _Verdict) -> Iterator[Problem]:
    """Yield a translation that a run applies and that no fix writes."""
    if verdict.ours is not None and not verdict.is_exact:
        yield _older(place, original, verdict.ours, is_exact=False)


def _edge_condition(place: str, text: str) -> Iterator[Problem]:
    """Yield translatable conditions only: one in natural language is for a model."""
    if any(mark in text for mark in _CODE):
        verdict = _judged(text, translate_condition, is_older=False)
        if verdict.ours is not None:
            yield _older(place, text, verdict.ours)


def _closed(text: str) -> str | None:
    """Close placeholders with one brace, or the last one, if the result can be parsed."""
    whole = f"{text.rstrip().rstrip('}').rstrip()} }}}}"
    head, mark, rest = text.rpartition(MARK)
    # `{{ a.b and more words`: a path ends where words begin.
    inside = _UNCLOSED.fullmatch(rest)
    tried = [_HALF_CLOSED.sub(r"\1}", text), whole]
    if inside is not None:
        tried.append(f"{head}{mark} {inside[1]} }}}}{inside[2]}")
    for repaired in tried:
        template = read_template(repaired)
        is_read = all(
            compile_text(placeholder.content).is_usable for placeholder in template.placeholders
        )
        if template.placeholders and not template.faults and is_read:
            return repaired
    return None
