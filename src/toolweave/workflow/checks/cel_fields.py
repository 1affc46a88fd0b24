"""The configurations of catalog nodes that contain CEL instead of a value. Not a check."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import JsonObject
from toolweave.tools.document import Steps


@dataclass(frozen=True, slots=True)
class CelField:
    """A configuration that is CEL; `chosen_by` is the configuration and value that require it."""

    name: str
    is_condition: bool = True
    chosen_by: tuple[str, str] | None = None
    # Whether it is evaluated wherever it is given, also where nothing requires it.
    is_always_used: bool = False


class CelText(NamedTuple):
    """A CEL text of a node, its path in the configurations, and whether a run evaluates it."""

    field: CelField
    at: Steps
    text: str
    is_used: bool


CEL_FIELDS: dict[str, tuple[CelField, ...]] = {
    "FLOW.IF": (CelField("condition_expression"),),
    "FLOW.STOP": (CelField("when"),),
    "FLOW.SWITCH": (CelField("cases"),),
    "FLOW.LOOP": (CelField("loop_condition", chosen_by=("loop_type", "while")),),
    "FLOW.WAIT": (
        CelField("wait_condition", chosen_by=("wait_type", "condition"), is_always_used=True),
    ),
    "FLOW.FILTER": (
        CelField(
            "custom_filter_function",
            chosen_by=("filter_type", "custom_function"),
        ),
    ),
    "ACTION.DATA_TRANSFORMATION": (
        CelField(
            "transformation_script",
            is_condition=False,
            chosen_by=("operation", "custom"),
        ),
    ),
    "ACTION.SET_FIELDS": (CelField("expressions", is_condition=False),),
}
# Fields whose older syntax the engine translates when the workflow runs.
TRANSLATED_FIELDS = frozenset(
    {"condition_expression", "loop_condition", "wait_condition", "transformation_script"}
)
# Lists whose items each contain CEL, with the key that holds it.
_LISTS: dict[str, tuple[CelField, str]] = {
    "FLOW.FILTER": (
        CelField("conditions", chosen_by=("filter_type", "complex_expression")),
        "expression",
    ),
    "FLOW.SWITCH": (CelField("cases"), "when"),
}


def cel_texts(spec: NodeSpec, configurations: JsonObject) -> Iterable[CelText]:
    """Yield every CEL text in the configurations of a node."""
    return _texts(spec, configurations) if spec.ref in CEL_FIELDS else ()


def _texts(spec: NodeSpec, configurations: JsonObject) -> Iterator[CelText]:
    for field in CEL_FIELDS[spec.ref]:
        text = configurations.get(field.name)
        if isinstance(text, str):
            is_used = field.is_always_used or is_chosen(spec, field, configurations)
            yield CelText(field, (field.name,), text, is_used)
        elif isinstance(text, dict):
            for key, one in text.items():
                if isinstance(one, str):
                    yield CelText(field, (field.name, key), one, True)
    if spec.ref in _LISTS:
        field, key = _LISTS[spec.ref]
        listed = configurations.get(field.name)
        is_used = is_chosen(spec, field, configurations)
        for index, item in enumerate(listed if isinstance(listed, list) else []):
            text = item.get(key) if isinstance(item, dict) else None
            if isinstance(text, str):
                yield CelText(field, (field.name, index, key), text, is_used)


def is_chosen(spec: NodeSpec, field: CelField, configurations: JsonObject) -> bool:
    """Whether the node evaluates the field as configured."""
    if field.chosen_by is None:
        return True
    name, value = field.chosen_by
    default = next((one.default for one in spec.configurations if one.name == name), None)
    return configurations.get(name, default) == value
