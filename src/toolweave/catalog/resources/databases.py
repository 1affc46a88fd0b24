"""SQL databases that nodes may query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from toolweave.json_text import Json

# Positional for `?`, named for `:name`.
Parameters: TypeAlias = Sequence[Json] | Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Rows of JSON values, in the order of the columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Json, ...], ...]
    affected: int
    is_truncated: bool


class Databases(Protocol):
    """Queries SQLite files of the allowed folders, and Postgres by URL."""

    async def query(
        self,
        database: str,
        sql: str,
        parameters: Parameters,
        *,
        allow_writes: bool,
        max_rows: int,
        timeout_s: float,
    ) -> QueryResult:
        """Run one statement; it cannot write unless `allow_writes` is set.

        Raises:
            Invalid: `DATABASE_ADDRESS_INVALID`, `DATABASE_QUERY_INVALID`,
                `DATABASE_RESULT_TOO_LARGE`.
            Denied: `DATABASE_DENIED`, `FILE_DENIED`.
            NotFound: `FILE_NOT_FOUND`, `SECRET_NOT_FOUND`.
            Conflict: `DATABASE_CONFLICT`.
            Unavailable: `DATABASE_UNREACHABLE`.
            TimedOut: `DATABASE_TIMED_OUT`.
        """
        ...
