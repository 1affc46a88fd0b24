"""Which configurations of catalog nodes hold CEL instead of a value. No subject of its own."""

from collections.abc import Iterator
from dataclasses import dataclass

from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import JsonObject
from toolweave.tools.document import Steps


@dataclass(frozen=True, slots=True)
class CelField:
    """A configuration that is CEL; `chosen_by` is the configuration and value that make it used."""

    name: str
    is_condition: bool = True
    chosen_by: tuple[str, str] | None = None
    # Where there is nothing to compute without it.
    is_needed: bool = False


@dataclass(frozen=True, slots=True)
class CelText:
    """A CEL text of a node, where it stands in its configurations, and whether it will be read."""

    field: CelField
    at: Steps
    text: str
    is_used: bool


CEL_FIELDS: dict[str, tuple[CelField, ...]] = {
    "FLOW.IF": (CelField("condition_expression"),),
    "FLOW.LOOP": (CelField("loop_condition", chosen_by=("loop_type", "while")),),
    "FLOW.WAIT": (CelField("wait_condition", chosen_by=("wait_type", "condition")),),
    "FLOW.FILTER": (
        CelField(
            "custom_filter_function",
            chosen_by=("filter_type", "custom_function"),
            is_needed=True,
        ),
    ),
    "ACTION.DATA_TRANSFORMATION": (
        CelField(
            "transformation_script",
            is_condition=False,
            chosen_by=("operation", "custom"),
            is_needed=True,
        ),
    ),
}
# The guidance of FLOW.FILTER: each condition has an `expression`.
_CONDITION = CelField("conditions", chosen_by=("filter_type", "complex_expression"))


def cel_texts(spec: NodeSpec, configurations: JsonObject) -> Iterator[CelText]:
    """Every CEL text in the configurations of a node."""
    for field in CEL_FIELDS.get(spec.ref, ()):
        text = configurations.get(field.name)
        if isinstance(text, str):
            yield CelText(field, (field.name,), text, is_chosen(spec, field, configurations))
    conditions = configurations.get("conditions")
    if spec.ref == "FLOW.FILTER" and isinstance(conditions, list):
        is_used = is_chosen(spec, _CONDITION, configurations)
        for index, condition in enumerate(conditions):
            text = condition.get("expression") if isinstance(condition, dict) else None
            if isinstance(text, str):
                yield CelText(_CONDITION, ("conditions", index, "expression"), text, is_used)


def is_chosen(spec: NodeSpec, field: CelField, configurations: JsonObject) -> bool:
    """Whether the node certainly reads the field, as it is configured."""
    if field.chosen_by is None:
        return True
    name, value = field.chosen_by
    default = next((one.default for one in spec.configurations if one.name == name), None)
    return configurations.get(name, default) == value
