"""ACTION.DATABASE_QUERY: ask or change a database with one SQL statement."""

from functools import partial
from typing import cast

from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_input import read_each, refused_at
from toolweave.catalog.spec import Effect, Example, Field, NodeSpec
from toolweave.catalog.sql_texts import (
    address_fault,
    meant_parameters,
    named_values,
    parameter_fault,
    statement_fault,
    with_marks,
)
from toolweave.json_text import Json, JsonObject


def read_parameters(given: NodeInput) -> list[Json] | JsonObject:
    """The values of the query. Raises `DATABASE_QUERY_INVALID`."""
    value = given.inputs.get("parameters")
    if value is None:
        return []
    if isinstance(value, list | dict):
        return value
    message = f"parameters is {value!r:.80}; expected a list for ? or an object for :name"
    refused = refused_at(("parameters",), "DATABASE_QUERY_INVALID", message)
    refused.facts["expected"] = ["array", "object"]
    raise refused


def check_query(given: NodeInput) -> None:
    """Whether the statement can run with its values. Raises `DATABASE_QUERY_INVALID` and others."""
    read_each(partial(one, given) for one in (_check_database, _check_statement, _check_values))


def _check_database(given: NodeInput) -> None:
    if (fault := address_fault(given.text("database"))) is not None:
        raise refused_at(("database",), fault.code, fault.message, hint=fault.hint)


def _check_statement(given: NodeInput) -> None:
    fault = statement_fault(given.text("query"), allow_writes=given.flag("allow_writes"))
    if fault is not None:
        raise refused_at(("query",), fault.code, fault.message, hint=fault.hint)


def _check_values(given: NodeInput) -> None:
    query, values = given.text("query"), read_parameters(given)
    if (marked := with_marks(query)) is not None:
        raise refused_at(
            ("query",),
            "DATABASE_QUERY_INVALID",
            "the query asks for values by number, as $1; expected ? or :name",
            hint="write ? for each value, in their order",
            fix=marked if marked != query else None,
        )
    why = None if "{{" in query else parameter_fault(query, values)
    if why is None:
        return
    fix = (
        meant_parameters(query, values) if isinstance(values, dict) else named_values(query, values)
    )
    # The names of the values are in the document, whatever the values are.
    raise refused_at(
        ("parameters",),
        "DATABASE_QUERY_INVALID",
        why,
        is_certain=True,
        fix=cast("JsonObject | None", fix),
    )


class DatabaseQuery:
    """Runs one statement with parameters."""

    spec = NodeSpec(
        type="ACTION",
        subtype="DATABASE_QUERY",
        summary="Run one SQL statement on a SQLite file or a Postgres database and give its rows.",
        # A statement that writes; one that only reads is told by `effect_of`.
        effect="once",
        configurations=(
            Field(
                "database",
                "string",
                "A SQLite file of the files folder, a postgresql:// address, or ${vault:NAME}.",
                required=True,
            ),
            Field(
                "query",
                "string",
                "One statement; values as ? or :name, never written into it.",
                required=True,
                multiline=True,
            ),
            Field("allow_writes", "boolean", "Whether the statement may change data.", False),
            Field(
                "max_rows",
                "integer",
                "Rows returned at most; `truncated` reports that there were more.",
                1000,
                minimum=1,
                maximum=10_000,
            ),
        ),
        inputs=(
            Field(
                "parameters",
                "any",
                'A list for ?, an object for :name: {"city": "London"}.',
                kinds=("array", "object"),
            ),
        ),
        outputs=(
            Field("rows", "array", "A record a row, by column.", required=True, items="object"),
            Field("columns", "array", "Names of the columns in order.", items="string"),
            Field("row_count", "integer", "Rows given."),
            Field("affected_rows", "integer", "Rows inserted, changed or deleted."),
            Field("truncated", "boolean", "Whether there were more rows than max_rows."),
        ),
        tags=("action", "database", "sql"),
        keywords=(
            *("sql", "database", "query", "select", "insert", "table"),
            *("sqlite", "postgres", "postgresql", "rows", "records"),
        ),
        guidance=(
            "Never build the query with templates from data: use parameters. A password belongs "
            "in the vault: postgresql://reader:${vault:db-password}@db.example.com/shop, or the "
            "whole address as ${vault:shop-db}, which may be on a private network."
        ),
        checks=(check_query,),
        examples=(
            Example(
                "Orders of a city",
                "Reads a SQLite file with one parameter by name.",
                {
                    "database": "shop.db",
                    "query": "SELECT id, total FROM orders WHERE city = :city ORDER BY id",
                },
                {"parameters": {"city": "London"}},
            ),
            Example(
                "Mark as sent",
                "Changes one row in Postgres; the address is a secret.",
                {
                    "database": "${vault:shop-db}",
                    "query": "UPDATE orders SET sent = true WHERE id = ?",
                    "allow_writes": True,
                },
                {"parameters": [7]},
            ),
        ),
    )

    def effect_of(self, config: JsonObject) -> Effect:
        """To ask twice changes nothing."""
        return "keyed" if config.get("allow_writes") is False else "once"

    async def run(self, context: NodeContext) -> Outcome:
        """Run the statement. Raises `ToolweaveError`: what `Databases.query` raises."""
        given = context.given
        check_query(given)
        found = await context.resources.databases.query(
            given.text("database"),
            given.text("query"),
            read_parameters(given),
            allow_writes=given.flag("allow_writes"),
            max_rows=given.whole("max_rows"),
            timeout_s=given.number("timeout"),
        )
        columns = _distinct(found.columns)
        rows: list[Json] = [dict(zip(columns, row, strict=True)) for row in found.rows]
        return Outcome(
            {
                "rows": rows,
                "columns": list(columns),
                "row_count": len(rows),
                "affected_rows": found.affected,
                "truncated": found.is_truncated,
            }
        )


def _distinct(columns: tuple[str, ...]) -> list[str]:
    """Names that differ: the second `id` of a join is `id_2`."""
    found: dict[str, None] = {}
    for column in columns:
        name, number = column, 2
        while name in found:
            name, number = f"{column}_{number}", number + 1
        found[name] = None
    return list(found)


node = DatabaseQuery()
