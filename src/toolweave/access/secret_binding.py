"""A secret and where it may go, as REST and `--json` show it."""

from toolweave.json_record import JsonRecord


class SecretBinding(JsonRecord):
    """Where a secret may go; one that is not bound may go anywhere."""

    name: str
    is_bound: bool
    hosts: list[str]
    servers: list[str]
