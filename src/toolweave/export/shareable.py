"""A workflow as it may leave the machine: secrets hidden, references to them kept.

Hidden are values under a secret or marked name, what the rules of `access/mask.py` find in
any text, and what has the shape of a well-known token. `${vault:NAME}`, `${VAR}` and `{{ … }}` say
where a secret comes from, not what it is.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from toolweave.access.mask import MASK, Masker, is_sensitive
from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.workflow.model import Edge, Node, Workflow
from toolweave.workflow.studio_data import without_studio_data

Steps = tuple[str | int, ...]
Names = frozenset[str]

# Bounded, so that hostile text is read in linear time.
_REFERENCE = r"(?:\$\{(?![^{}]{0,200}:-)[^{}]{1,200}\}|\{\{[^{}\"']{0,500}\}\})"
_SCHEME = r"(?:(?i:basic|bearer|token) +)?"
_ONLY_REFERENCES = pattern(rf"\s*{_SCHEME}{_REFERENCE}(?:[\s:/@.,-]*{_REFERENCE})*\s*")
_KEPT = pattern(rf"[\"']?{_SCHEME}{_REFERENCE}[\"']?")
_TOKENS = pattern(
    r"\b(?:gh[opsur]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{40,255}|glpat-[\w-]{20,255}"
    r"|sk-[A-Za-z0-9_-]{20,255}|sk_live_[A-Za-z0-9]{16,255}|xox[abeprs]-[A-Za-z0-9-]{10,255}"
    r"|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}"
    r"|eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,4000})"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
)
# White space to the masker, so that it never masks a reference.
_BLANK = "\x1f"
_PLACE = pattern(f"{_BLANK}([0-9]+){_BLANK}")
# What describes a parameter, as against what it holds: `default`, `const`, `enum`, `examples`.
_DESCRIBING = frozenset(
    {
        *("type", "title", "description", "format", "required", "properties", "items", "pattern"),
        *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "nullable"),
        *("additionalProperties", "writeOnly", "readOnly", "deprecated", "name", "validation"),
        *("anyOf", "oneOf", "allOf", "$ref"),
    }
)
_HOLDING = frozenset({"value", "default", "example", "examples", "const"})
_MASKER = Masker()


def shareable(
    workflow: Workflow, specs: Iterable[NodeSpec]
) -> tuple[Workflow, tuple[Problem, ...]]:
    """Return the workflow without secrets, and a warning for each one hidden; `specs` mark them."""
    marked = {
        spec.ref: frozenset(
            field.name for field in (*spec.configurations, *spec.inputs) if field.sensitive
        )
        for spec in specs
    }
    hiding = _Hiding(marked)
    shared = hiding.workflow(without_studio_data(workflow), ())
    return shared, tuple(_problem(steps) for steps in hiding.hidden)


@dataclass(slots=True)
class _Hiding:
    marked: Mapping[str, Names]
    hidden: list[Steps] = field(default_factory=list[Steps])

    def workflow(self, workflow: Workflow, at: Steps) -> Workflow:
        described = workflow.description
        return replace(
            workflow,
            name=self.text(workflow.name, (*at, "name")),
            description=described and self.text(described, (*at, "description")),
            nodes=tuple(
                self._node(node, (*at, "nodes", index)) for index, node in enumerate(workflow.nodes)
            ),
            edges=tuple(
                self._edge(edge, (*at, "connections", index))
                for index, edge in enumerate(workflow.edges)
            ),
            subflows=tuple(
                self.workflow(flow, (*at, "subAgentFlows", index))
                for index, flow in enumerate(workflow.subflows)
            ),
            metadata=self.fields(workflow.metadata, (*at, "metadata")),
            extras=self.fields(workflow.extras, at),
            kept={},
        )

    def _node(self, node: Node, at: Steps) -> Node:
        names = self.marked.get(node.ref or "", frozenset[str]()) | _passwords(node.data)
        return replace(
            node,
            name=self.text(node.name, (*at, "name")),
            data=self.fields(node.data, (*at, "data"), names),
            extras=self.fields(node.extras, at, names),
            kept={},
        )

    def _edge(self, edge: Edge, at: Steps) -> Edge:
        condition = edge.condition
        return replace(
            edge,
            condition=condition and self.text(condition, (*at, "condition")),
            extras=self.fields(edge.extras, at),
            kept={},
        )

    def text(self, text: str, at: Steps) -> str:
        """`text` without what the rules find in it."""
        shown = _masked(text)
        if shown != text:
            self.hidden.append(at)
        return shown

    def fields(
        self, value: JsonObject, at: Steps, names: Names = frozenset(), *, secret: bool = False
    ) -> JsonObject:
        """Mask an object whose keys may mark secret values."""
        label = value.get("name", value.get("key"))
        holds = isinstance(label, str) and (is_sensitive(label) or label in names)
        shown: JsonObject = {}
        for key, item in value.items():
            if key == "properties" and isinstance(item, dict) and not secret:
                shown[key] = self._schemas(item, (*at, key), names)
                continue
            is_secret = secret or is_sensitive(key) or key in names or (holds and key in _HOLDING)
            shown[key] = self.value(item, (*at, key), names, secret=is_secret)
        return shown

    def value(self, value: Json, at: Steps, names: Names, *, secret: bool) -> Json:
        """Mask any value; `secret` is whether its name marks it as one."""
        match value:
            case str():
                if not secret:
                    return self.text(value, at)
                if not value or value == MASK or _ONLY_REFERENCES.fullmatch(value):
                    return value
            case list():
                return [
                    self.value(item, (*at, index), names, secret=secret)
                    for index, item in enumerate(value)
                ]
            case dict():
                return self.fields(value, at, names, secret=secret)
            case bool() | None:
                return value
            case _:
                if not secret:
                    return value
        self.hidden.append(at)
        return MASK

    def _schemas(self, properties: JsonObject, at: Steps, names: Names) -> JsonObject:
        """The properties of a JSON Schema: `api_key` there is a description, not a value."""
        shown: JsonObject = {}
        for name, schema in properties.items():
            is_secret = is_sensitive(name) or name in names
            if not (is_secret and isinstance(schema, dict)):
                shown[name] = self.value(schema, (*at, name), names, secret=is_secret)
                continue
            shown[name] = {
                key: self.value(item, (*at, name, key), names, secret=key not in _DESCRIBING)
                for key, item in schema.items()
            }
        return shown


def _passwords(data: JsonObject) -> Names:
    """The parameters of a node's tool that say themselves that they are secret."""
    entries = data.get("parameters")
    found: set[str] = set()
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(name := entry.get("name"), str):
            validation = entry.get("validation")
            formats = [entry.get("format")]
            if isinstance(validation, dict):
                formats.append(validation.get("format"))
            if "password" in formats or entry.get("writeOnly") is True:
                found.add(name)
    return frozenset(found)


def _masked(text: str) -> str:
    kept: list[str] = []

    def put_by(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"{_BLANK}{len(kept) - 1}{_BLANK}"

    # A text with that character is masked completely, including references.
    open_text = text if _BLANK in text else _KEPT.sub(put_by, text)
    masked = _TOKENS.sub(MASK, _MASKER.mask_text(open_text))
    return _PLACE.sub(lambda found: kept[int(found[1])], masked) if kept else masked


def _problem(steps: Steps) -> Problem:
    return Problem(
        "EXPORT_SECRET_HIDDEN",
        pointer(*steps),
        f"{steps[-1]!r} looks like a secret; the export has {MASK!r} in its place",
        hint="keep it in the vault and write `${vault:NAME}` instead; references are exported",
        severity="warning",
    )
