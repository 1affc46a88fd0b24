"""Whether values match a node's inputs, and whether required inputs can arrive. Not a check.

`data_flow` uses it for texts whose references are valid.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from toolweave.catalog.schema import configuration_schema, field_schema, input_schema
from toolweave.catalog.spec import NodeSpec
from toolweave.cel.language import compile_text
from toolweave.cel.paths import write_path
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.json_text import read as parse_json
from toolweave.patterns import pattern
from toolweave.problems import Problem
from toolweave.tools.document import Steps
from toolweave.workflow.checks.cel_fields import cel_texts
from toolweave.workflow.checks.context import CheckContext, RequiredInput
from toolweave.workflow.checks.spelling import closest
from toolweave.workflow.model import Node
from toolweave.workflow.modes import named_tool, object_at, schema_of
from toolweave.workflow.scope.references import NodeReferences
from toolweave.workflow.scope.scope import Scope
from toolweave.workflow.shapes import (
    BOOLEAN,
    SCALARS,
    TEXT,
    UNKNOWN,
    ValueShape,
    fits,
    look_up,
    of_schema,
    shape_at,
)

_NUMBERS = frozenset({"integer", "fraction"})
_ONE = pattern(r"\{\{[^{}]*\}\}")
_SEVERAL = pattern(r"\s*\{\{[^{}]*\}\}(?:[ \t\r]*[,;\n]\s*\{\{[^{}]*\}\})+\s*")
# Templates whose constants are values.
_FILLED = frozenset({"value", "config"})


class InputFit:
    """The checks of one workflow; the inputs of each node type are computed once."""

    def __init__(self, case: CheckContext, scope: Scope) -> None:
        self._case = case
        self._scope = scope
        self._needed_by = case.made.needed
        self._taken: dict[tuple[str, ...], ValueShape] = {}
        self._schemas: dict[tuple[str, str], JsonObject | None] = {}
        # Whether a value may be the primary input: nodes of one type get the same from others.
        self._whole: dict[tuple[ValueShape, ValueShape], bool] = {}

    def misfit(self, node: Node, asked: NodeReferences) -> Problem | None:
        """Return the problem of a text whose value never has the expected type."""
        wanted = self._wanted(node, asked)
        if wanted is UNKNOWN or asked.expression is None:
            return None
        if asked.language in _FILLED and not asked.expression.references:
            return None  # a constant is checked as the value that it is
        given = self._scope.shape_of(node, asked) if asked.is_whole else TEXT
        if given.is_unknown or fits(given, wanted) != "no":
            return None
        place = self._case.at(node, *asked.steps)
        if asked.is_condition:
            unquoted = _unquoted(asked.ours)
            return Problem(
                "EXPRESSION_NOT_CONDITION",
                place,
                f"{asked.ours!r} returns {given.words}; expected true or false",
                hint=f"write it without quotes: {unquoted!r}"
                if unquoted
                else "compare it with a value: `… > 0`, `… != ''`",
                severity="error" if asked.language == "own" and asked.is_binding else "warning",
                patch=({"op": "replace", "path": place, "value": unquoted},)
                if unquoted and asked.text == asked.ours
                else None,
            )
        if (whole := self._unwrapped(node, asked, given)) is not None:
            at, text = whole
            message = f"{asked.ours!r} returns {given.words}; it is an item of another list"
            patch = ({"op": "replace", "path": at, "value": text},)
            return Problem("VALUE_TYPE_MISFIT", place, message, f"write {text!r}", patch=patch)
        if not asked.is_whole and (listed := _listed(asked.text, wanted)) is not None:
            patch = ({"op": "replace", "path": place, "value": listed},)
            message = f"{asked.steps[-1]!r} is several values in a text; it expects {wanted.words}"
            return Problem("VALUE_TYPE_MISFIT", place, message, "write a list", patch=patch)
        if not asked.is_whole and (read := _read_json(asked.text, wanted)) is not None:
            patch = ({"op": "replace", "path": place, "value": read},)
            message = f"{asked.steps[-1]!r} is JSON in a text; it expects {wanted.words}"
            return Problem("VALUE_TYPE_MISFIT", place, message, "write it as JSON", patch=patch)
        repaired = self._converted(node, asked, given, wanted)
        if asked.is_whole and self._is_cel(node, asked):
            repaired = asked.ours  # the field is an expression itself
        return Problem(
            "VALUE_TYPE_MISFIT",
            place,
            f"{asked.ours!r} returns {given.words}; {asked.steps[-1]!r} expects {wanted.words}",
            hint=f"use {repaired!r}" if repaired else None,
            patch=({"op": "replace", "path": place, "value": repaired},) if repaired else None,
        )

    def _unwrapped(
        self, node: Node, asked: NodeReferences, given: ValueShape
    ) -> tuple[str, str] | None:
        """The place and text of a list that is the only item of another one: `["{{ rows }}"]`."""
        if not asked.is_whole or asked.steps[-1] != 0 or not given.kinds <= {"array"}:
            return None
        _, part, *rest = asked.steps[:-1]
        outer: Json = object_at(node.data, str(part))
        shape = self._takes(node, str(part))
        for step in rest:
            outer = outer.get(str(step)) if isinstance(outer, dict) else None
            shape = look_up(shape, step).shape
        is_only = isinstance(outer, list) and len(outer) == 1
        if not is_only or shape.is_unknown or fits(given, shape) == "no":
            return None
        return self._case.at(node, *asked.steps[:-1]), asked.text

    def _is_cel(self, node: Node, asked: NodeReferences) -> bool:
        """Whether a text is that of a field which is an expression without braces."""
        spec = self._case.spec(node)
        settings = object_at(node.data, "configurations")
        found = cel_texts(spec, settings) if spec is not None else ()
        return any(asked.steps == ("data", "configurations", *one.at) for one in found)

    def missing(self, node: Node, spec: NodeSpec) -> Iterable[Problem]:
        """Return required inputs of a catalog node that no incoming value matches."""
        needed = self._needed(spec)
        if not needed:
            return ()
        came = self._scope.incoming(node.id)
        is_one = len(needed) == 1 and spec.origin is None
        # Nearly always nothing is known of what comes in, or it may be the only one.
        if is_one and (came is UNKNOWN or self._may_be_whole(came, needed[0].shape)):
            return ()
        return self._unfed(node, spec, needed, came)

    def _unfed(
        self, node: Node, spec: NodeSpec, needed: Sequence[RequiredInput], came: ValueShape
    ) -> Iterator[Problem]:
        given = object_at(node.data, "inputParams")
        if spec.origin is not None:
            # A tool gets the arguments that are written, or those of a model.
            unset = [one for one in needed if one.field.name not in given]
            if not self._scope.reach.is_attached(node.id):
                yield from (self._missing(node, spec, one, came) for one in unset)
            return
        if len(self._case.graph.incoming(node.id)) != 1 or came.is_unknown:
            return
        for at, one in enumerate(needed):
            # The first may be the whole value; nearly always nothing more is needed.
            if at == 0 and self._may_be_whole(came, one.shape):
                continue
            if not given.keys().isdisjoint(one.names):
                continue
            verdicts = {look_up(came, name).verdict for name in one.names}
            if verdicts <= {"absent", "unsaid"}:
                found = self._missing(node, spec, one, came)
                # What a schema does not list may be there nevertheless.
                is_sure = "unsaid" not in verdicts
                yield found if is_sure else replace(found, severity="warning", patch=None)

    def _may_be_whole(self, came: ValueShape, shape: ValueShape) -> bool:
        found = self._whole.get((came, shape))
        if found is None:
            found = self._whole[came, shape] = _whole_fits(came, shape)
        return found

    def _needed(self, spec: NodeSpec) -> tuple[RequiredInput, ...]:
        found = self._needed_by.get(spec.ref)
        if found is not None:
            return found
        needed = [
            RequiredInput(one, (one.name, *one.aliases), of_schema(field_schema(one)))
            for one in spec.inputs
            if one.required and one.default is None
        ]
        found = tuple(sorted(needed, key=lambda one: one.field.name != "data"))
        self._needed_by[spec.ref] = found
        return found

    def _missing(
        self, node: Node, spec: NodeSpec, needed: RequiredInput, came: ValueShape
    ) -> Problem:
        wanted = needed.field
        fitting = [
            name for name, shape in came.fields.items() if fits(shape, needed.shape) == "yes"
        ]
        known = {name for one in spec.inputs for name in (one.name, *one.aliases)}
        # An unknown key may be the misspelt input; then nothing is added beside it.
        is_clear = object_at(node.data, "inputParams").keys() <= known
        meant = closest(wanted.name, fitting) if is_clear else None
        patch = None
        if meant is not None:
            value: Json = f"{{{{ {write_path(('data', meant))} }}}}"
            has_any = isinstance(node.data.get("inputParams"), dict)
            steps: Steps = ("data", "inputParams", wanted.name) if has_any else _PARAMS
            patch = (
                {
                    "op": "add",
                    "path": self._case.at(node, *steps),
                    "value": value if has_any else {wanted.name: value},
                },
            )
        return Problem(
            "INPUT_MISSING",
            self._case.at(node, "data"),
            f"{spec.ref} needs {wanted.name!r} ({wanted.type}); "
            + ("it is not given" if spec.origin else "no incoming value matches it"),
            hint=f"set inputParams.{wanted.name}"
            + (f"; incoming fields: {', '.join(came.fields)}" if came.fields else ""),
            patch=patch,
        )

    def _wanted(self, node: Node, asked: NodeReferences) -> ValueShape:
        if asked.language == "own" or asked.language == "words":
            return BOOLEAN if asked.is_condition else UNKNOWN
        _, part, *rest = asked.steps
        if rest == ["array_path"]:
            return UNKNOWN  # `loop_lists` says more
        shape = self._takes(node, str(part))
        for step in rest:
            shape = shape_at(shape, step)
        return shape

    def _takes(self, node: Node, part: str) -> ValueShape:
        spec = self._case.spec(node)
        if spec is not None:
            made, of_part = self._case.made.taken, (spec.ref, part)
            if of_part not in made:
                made[of_part] = of_schema(self._schema(node, spec, part))
            return made[of_part]
        if part != "parameterValues":
            return UNKNOWN
        called = named_tool(node.data)
        if (taken := self._taken.get(called)) is not None:
            return taken
        live = self._live(*called)
        key = (*called, node.id) if live is None else called
        if key not in self._taken:
            self._taken[key] = of_schema(self._schema(node, spec, part))
        return self._taken[key]

    def _schema(self, node: Node, spec: NodeSpec | None, part: str) -> JsonObject:
        if spec is not None:
            return input_schema(spec) if part == "inputParams" else configuration_schema(spec)
        live = self._live(*named_tool(node.data))
        if live is not None:
            return live
        entries = node.data.get("parameters")
        return schema_of(entries if isinstance(entries, list) else [])

    def _live(self, server: str, name: str) -> JsonObject | None:
        """Return the input schema of an MCP node's tool, if its server is known."""
        if (server, name) not in self._schemas:
            tools = self._case.known.tools_of(server) or ()
            tool = next((tool for tool in tools if tool.name == name), None)
            schema = tool and (tool.input_schema if tool.is_usable else {})
            self._schemas[server, name] = schema
        return self._schemas[server, name]

    def _converted(
        self, node: Node, asked: NodeReferences, given: ValueShape, wanted: ValueShape
    ) -> str | None:
        """Return the text with a lossless conversion, if there is one."""
        if not asked.is_whole:
            return self._stripped(node, asked, wanted)
        for ours, shape in _conversions(asked, given, wanted):
            is_right = shape.kinds <= SCALARS or shape.kinds <= {"array"}
            if is_right and fits(shape, wanted) != "no" and compile_text(ours).is_usable:
                return f"{{{{ {ours} }}}}"
        return None

    def _stripped(self, node: Node, asked: NodeReferences, wanted: ValueShape) -> str | None:
        """Drop the spaces around the only placeholder, which turn its value into a text."""
        placeholder = asked.text[asked.placeholder.start : asked.placeholder.end]
        if asked.text.strip() != placeholder:
            return None
        return None if fits(self._scope.shape_of(node, asked), wanted) == "no" else placeholder


_PARAMS: Steps = ("data", "inputParams")


def _conversions(
    asked: NodeReferences, given: ValueShape, wanted: ValueShape
) -> Iterator[tuple[str, ValueShape]]:
    number = replace(TEXT, kinds=_NUMBERS & wanted.kinds)
    is_free = wanted.options is None and given.options is None
    if is_free and given.kinds <= _NUMBERS | {"boolean"} and "string" in wanted.kinds:
        yield f"string({asked.ours})", TEXT
    if is_free and given.kinds <= {"string"} and number.kinds:
        yield f"{'double' if 'fraction' in wanted.kinds else 'int'}({asked.ours})", number
    if wanted.kinds <= {"array", "null"} and wanted.items and fits(given, wanted.items) == "yes":
        yield f"[{asked.ours}]", replace(TEXT, kinds=frozenset({"array"}))
    fitting = [name for name, shape in given.fields.items() if fits(shape, wanted) == "yes"]
    if given.kinds <= {"object"} and len(fitting) == 1 and asked.path is not None:
        yield write_path((*asked.path, fitting[0])), given.fields[fitting[0]]


def _listed(text: str, wanted: ValueShape) -> list[Json] | None:
    """The items of a text that is nothing but placeholders with commas between them."""
    if _SEVERAL.fullmatch(text) is None or "array" not in wanted.kinds or "string" in wanted.kinds:
        return None
    return [*_ONE.findall(text)]


def _read_json(text: str, wanted: ValueShape) -> Json:
    """The object or list that a text with placeholders in its texts is as JSON."""
    if text.strip()[:1] not in {"{", "["} or "string" in wanted.kinds:
        return None
    try:
        read = parse_json(text)
    except Invalid:
        return None
    kind = "object" if isinstance(read, dict) else "array"
    return read if kind in wanted.kinds else None


def _whole_fits(came: ValueShape, shape: ValueShape) -> bool:
    """Whether the incoming value or its first field may be the primary input."""
    first = next(iter(came.fields.values()), None)
    return fits(came, shape) != "no" or (first is not None and fits(first, shape) != "no")


def _unquoted(text: str) -> str | None:
    """The expression inside quotes around all of it."""
    plain = text.strip()
    if len(plain) < 3 or plain[0] not in "'\"" or plain[-1] != plain[0] or plain[0] in plain[1:-1]:
        return None
    expression = compile_text(plain[1:-1])
    is_one = expression.is_usable and expression.is_ours and bool(expression.references)
    return plain[1:-1] if is_one and expression.path is None else None
