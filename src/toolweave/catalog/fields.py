"""A field of a node: one configuration, input or output, in the catalog's own type language."""

from dataclasses import dataclass
from typing import Literal

from toolweave.json_text import Json, JsonObject

FieldType = Literal["string", "integer", "float", "boolean", "object", "array", "any"]


@dataclass(frozen=True, slots=True)
class Field:
    """One configuration, input or output of a node."""

    name: str
    type: FieldType
    description: str
    default: Json = None
    required: bool = False
    minimum: float | None = None
    maximum: float | None = None
    options: tuple[str, ...] = ()
    # Model names and the like are suggestions: other values are allowed.
    is_open: bool = False
    # Unsupported options: reported as a problem before a run.
    not_built_in: tuple[str, ...] = ()
    sensitive: bool = False
    multiline: bool = False
    pattern: str | None = None
    aliases: tuple[str, ...] = ()
    # What the items of an array are, where that is known.
    items: FieldType | None = None
    # The JSON types that a field of type `any` takes, where it does not take all of them.
    kinds: tuple[str, ...] = ()
    # A setting, then those of its values with which this field is used; forms hide it otherwise.
    used_when: tuple[str, ...] = ()
    # A live tool's own JSON Schema, if it has more detail: nesting, limits.
    schema: JsonObject | None = None
    # The members of an object, or of the objects in an array, in the notation of `member_shapes`.
    members: str | None = None
