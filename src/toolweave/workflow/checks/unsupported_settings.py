"""Settings of other systems that are not supported."""

from collections.abc import Iterator

from toolweave.catalog.spec import Field, NodeSpec
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table

READS_CONSTANTS = True


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield values that fail in every run; templated values are known only at run time."""
    for facts, _, fields in node_table(case).having(_limited):
        for field in fields:
            value = facts.settings.get(field.name)
            if isinstance(value, str) and value in field.not_built_in:
                place = f"{facts.place}/configurations{pointer(field.name)}"
                yield Problem(
                    "PROVIDER_NOT_BUILT_IN",
                    place,
                    f"{shown(value)} is not built in; connect its MCP server",
                    hint=f"use the tools of a {value} MCP server, or {_built_in(field)}",
                )


def _limited(spec: NodeSpec) -> tuple[Field, ...]:
    return tuple(one for one in spec.configurations if one.not_built_in)


def _built_in(field: Field) -> str:
    return " or ".join(one for one in field.options if one not in field.not_built_in)
