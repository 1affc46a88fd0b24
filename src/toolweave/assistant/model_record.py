"""A configured model as REST and `--json` show it."""

from typing import Literal

from toolweave.json_record import JsonRecord


class ModelRecord(JsonRecord):
    """A configured model, without its key."""

    name: str
    provider: str
    model: str
    base_url: str
    has_key: bool
    is_default: bool
    found_in: Literal["added", "environment"]
    created_at: str | None
    structured_output: Literal["tools", "json_schema", "format", "text"] | None
