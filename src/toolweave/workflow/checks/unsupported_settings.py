"""Settings of other systems that are not supported."""

from collections.abc import Iterator

from toolweave.catalog.spec import Field
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.corrected_nodes import catalog_nodes
from toolweave.workflow.modes import object_at


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield values that fail in every run; templated values are known only at run time."""
    for index, node, spec in catalog_nodes(case):
        settings = object_at(node.data, "configurations")
        for field in spec.configurations:
            value = settings.get(field.name)
            if isinstance(value, str) and value in field.not_built_in:
                place = pointer("nodes", index, "data", "configurations", field.name)
                yield Problem(
                    "PROVIDER_NOT_BUILT_IN",
                    place,
                    f"{shown(value)} is not built in; connect its MCP server",
                    hint=f"use the tools of a {value} MCP server, or {_built_in(field)}",
                )


def _built_in(field: Field) -> str:
    return " or ".join(one for one in field.options if one not in field.not_built_in)
