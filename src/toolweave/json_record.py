"""The base class of records that REST, `--json` and MCP show: their JSON is defined once."""

from typing import Any, Literal, Self

from pydantic import AliasGenerator, BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class JsonRecord(BaseModel):
    """A record as camelCase JSON, read from attributes; also the `response_model` of routes."""

    model_config = ConfigDict(
        frozen=True,
        defer_build=True,  # most processes use few of all records
        from_attributes=True,
        alias_generator=AliasGenerator(serialization_alias=to_camel),
    )

    @classmethod
    def of(cls, source: object) -> Self:
        """Read the fields from the attributes of `source`, or from a mapping."""
        return cls.model_validate(source)

    @classmethod
    def brief(cls, source: object) -> Self:
        """Read the fields as `of` does, and leave out those without a value."""
        values = {name: getattr(source, name) for name in cls.model_fields}
        return cls.model_validate(
            {key: value for key, value in values.items() if value is not None}
        )

    # Any: JSON to be written or extended by the caller.
    def as_json(self) -> dict[str, Any]:
        """Return the record as JSON, without optional fields that were not set."""
        return self.model_dump(by_alias=True, exclude_unset=True)


class ProblemRecord(JsonRecord):
    """A problem of the input."""

    code: str
    severity: Literal["error", "warning"]
    pointer: str
    message: str
    hint: str | None = None
    patch: list[dict[str, Any]] | None = None
