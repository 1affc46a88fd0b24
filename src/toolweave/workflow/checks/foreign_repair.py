"""Corrects expressions of other languages and systems. Not a check.

The correction is CEL whose names exist: foreign names of nodes are resolved to their ids.
"""

from functools import cached_property
from importlib import import_module

from toolweave.cel.language import Expression, compile_text
from toolweave.cel.paths import Path, write_path
from toolweave.cel.tokens import is_name
from toolweave.patterns import pattern
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.expression_rewrites import rewrites
from toolweave.workflow.checks.missing_signs import meaning_of, with_one_sign
from toolweave.workflow.checks.path_repair import PathRepair
from toolweave.workflow.checks.path_rewriting import rewritten
from toolweave.workflow.checks.typed_expressions import fits
from toolweave.workflow.model import Node, NodeId
from toolweave.workflow.scope.references import Language
from toolweave.workflow.scope.scope import TABLE, Scope
from toolweave.workflow.shapes import UNKNOWN, Kind, ValueShape

# `var.x` of Terraform begins with a reserved word.
_RESERVED = pattern(r"^(?:var|let|const)\.")
# Places for a bracket or quote that are tried in the expressions of a workflow.
MAX_SIGNS_TRIED = 1_000
_TEXT: frozenset[Kind] = frozenset({"string"})
_STARTING = frozenset({"start", "trigger", "TRIGGER"})


def scope_of(case: CheckContext) -> Scope:
    """Return the names and values of a workflow; checks share it by `CheckContext.once`."""
    return Scope(
        case.workflow,
        case.spec,
        case.known.tools_of,
        graph=case.graph,
        given=case.made.given,
        is_older=case.format == "agent-team",
    )


class ForeignRepair:
    """Corrects the expressions of one workflow; looks at its names when first needed."""

    def __init__(self, case: CheckContext) -> None:
        self._case = case
        self._left = MAX_SIGNS_TRIED
        # What `_with_one_sign` found: an expression is asked for twice.
        self._balanced: dict[tuple[NodeId, str, Language, bool], list[str]] = {}

    @cached_property
    def _scope(self) -> Scope:
        return self._case.once(scope_of)

    @cached_property
    def _path_repair(self) -> PathRepair:
        return PathRepair(self._scope)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset((*self._case.graph.nodes, *TABLE))

    def repaired(
        self,
        node: Node,
        given: str,
        language: Language,
        *,
        parameter: str | None = None,
        target: str | None = None,
        is_any: bool = False,
        is_condition: bool = True,
        is_misread: bool = False,
        is_decided: bool = False,
        has_all_signs: bool = False,
    ) -> str | None:
        """The expression in CEL with names that exist; None where it is not clear.

        `is_any`: it may be CEL already. `is_misread`: it is CEL but meant in another language.
        `has_all_signs`: no bracket or quote is looked for.
        """
        text = _RESERVED.sub("vars.", _unbraced(self._with_ids(given)))
        if not has_all_signs:
            balanced = self._with_one_sign(node, text, language, is_decided)
            if balanced:
                return balanced[0] if len(balanced) == 1 else None
        is_ours = not is_misread and compile_text(text).is_ours
        if is_ours and (is_any or text != given):
            return self._resolved(node, text, language, is_json_path=False)

        def shape_of(path: Path) -> ValueShape:
            return self._shape(node, path, language)

        # Few texts are foreign, and loading the translation takes longer than reading one.
        foreign = import_module("toolweave.workflow.formats.foreign.translation")
        found = foreign.translate_foreign(
            text,
            self._names,
            in_template=language in {"value", "config"},
            parameter=parameter,
            target=target,
            is_condition=is_condition,
            is_decided=is_decided,
            shape_of=shape_of,
        )
        if found is None:
            return None
        return self._resolved(node, found.cel, language, is_json_path=found.has_json_path)

    def _shape(self, node: Node, path: Path, language: Language) -> ValueShape:
        """What is known of the value at a path, or at the one that is meant."""
        found = self._scope.find(node, path, language)
        if found.trouble:
            meant = self._path_repair.meant(node, path, language, found)
            found = self._scope.find(node, meant, language) if meant is not None else found
        return UNKNOWN if found.trouble else found.shape

    def rewritten(
        self, node: Node, given: str, language: Language, *, is_decided: bool = False
    ) -> str | None:
        """The nearest rewrite of a text that can be read and whose names exist."""
        if self._with_one_sign(node, given, language, is_decided):
            return None
        for text in rewrites(given):
            expression = compile_text(text)
            is_cel = expression.is_usable and expression.is_ours and not expression.faults
            ours = self.repaired(
                node,
                text,
                language,
                parameter="item",
                is_any=is_cel,
                is_decided=is_decided,
                has_all_signs=True,
            )
            if ours is not None and not compile_text(ours).faults:
                return ours
        return None

    def _with_one_sign(
        self, node: Node, text: str, language: Language, is_decided: bool
    ) -> list[str]:
        """The expressions of different meaning that one bracket or quote makes of a text."""
        key = (node.id, text, language, is_decided)
        if (known := self._balanced.get(key)) is not None or self._left <= 0:
            return known or []
        found: dict[object, str] = {}
        texts = with_one_sign(text)
        self._left -= len(texts)
        # What is CEL so is not read in another language.
        for tried in [one for one in texts if not compile_text(one).faults] or texts:
            ours = self.repaired(
                node,
                tried,
                language,
                parameter="item",
                is_any=True,
                is_decided=is_decided,
                has_all_signs=True,
            )
            expression = None if ours is None else compile_text(ours)
            if ours is None or expression is None or expression.term is None:
                continue
            is_right = expression.kind in {"bool", "dyn"} or not is_decided
            if is_right and fits(self._scope, node, expression, language):
                found[meaning_of(expression.term)] = ours
        return self._balanced.setdefault(key, list(found.values()))

    def without_conversions(self, node: Node, cel: str, language: Language) -> str:
        """The expression without `string(…)` around what is a text already."""
        for reference in compile_text(cel).references if "string(" in cel else ():
            found = self._scope.find(node, reference.path, language)
            if found.trouble is None and found.shape.kinds == _TEXT:
                path = write_path(reference.path)
                cel = cel.replace(f"string({path})", path)
        return cel

    def is_resolved(self, node: Node, expression: Expression, language: Language) -> bool:
        """Whether all names that an expression reads exist."""
        return all(
            self._scope.find(node, one.path, language).trouble is None
            for one in expression.references
        )

    def is_declared(self, node: Node, path: Path) -> bool:
        """Whether a path leads to a declared field of the trigger or of an earlier node."""
        root = str(path[0])
        if len(path) < 2 or (root != "trigger" and root not in self._case.graph.nodes):
            return False
        found = self._scope.find(node, path)
        before = self._scope.find(node, path[:1])
        is_named = isinstance(path[1], str) and path[1] in before.shape.fields
        return found.trouble is None and is_named

    def _with_ids(self, text: str) -> str:
        """The text with titles of several words, which no language reads, as ids."""
        for node in self._case.graph.nodes.values():
            is_it = text == node.name or text.startswith((f"{node.name}.", f"{node.name}["))
            if " " in node.name and is_it:
                others = (one.name for one in self._case.graph.nodes.values() if one is not node)
                if node.name not in others and is_name(node.id):
                    return node.id + text[len(node.name) :]
        return text

    def _resolved(
        self, node: Node, cel: str, language: Language, *, is_json_path: bool
    ) -> str | None:
        for reference in compile_text(cel).references:
            path = reference.path
            found = self._scope.find(node, path, language)
            if found.trouble and found.trouble != "order":
                meant = self._path_repair.meant(node, path, language, found)
                if meant is None:
                    return None
            else:
                meant = path
            meant = _short(self._of_trigger(node, meant, language) if is_json_path else meant)
            changed = cel if meant == path else rewritten(cel, path, meant)
            if changed is None:
                return None
            cel = changed
        return cel

    def _of_trigger(self, node: Node, path: Path, language: Language) -> Path:
        """`trigger.x` for what comes right from the trigger, which stays true further on."""
        if path[0] != "data" or language == "own" or len(path) < 2:
            return path
        sources = {edge.source for edge in self._case.graph.incoming(node.id)}
        nodes = self._case.graph.nodes
        if len(sources) == 1 and all(nodes[one].type in _STARTING for one in sources):
            return ("trigger", *path[1:])
        return path


def _unbraced(text: str) -> str:
    """The text without more braces around it: `{ x }` of `{{{ x }}}`."""
    if len(text) > 2 and text[0] == text[-1] == "#":
        return text[1:-1].strip()  # `{{#node.field#}}` of Dify
    while text[:1] == "{" and text[-1:] == "}" and not compile_text(text).is_usable:
        text = text[1:-1].strip()
    return text


def _short(path: Path) -> Path:
    """`load.rows` for `nodes.load.output.rows`, where the id can stand alone."""
    if len(path) > 3 and path[0] == "nodes" and path[2] == "output":
        name = str(path[1])
        if is_name(name) and name not in TABLE:
            return (name, *path[3:])
    return path
