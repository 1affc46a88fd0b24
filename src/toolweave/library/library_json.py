"""The JSON of libraries, flows and templates, for REST, `--json` and MCP."""

from typing import Any, Self, cast

from pydantic import ConfigDict, Field

from toolweave.json_record import JsonRecord
from toolweave.library.models import FlowList, FoundFlow, LibraryRevision, Skipped, TemplateList


class LibraryRecord(JsonRecord):
    """A repository and its name."""

    name: str
    url: str
    ref: str
    added_at: str


class LibraryContent(LibraryRevision):
    """The flows and templates of a library, and the files that were skipped."""

    library: str
    # Any: flows and templates leave out what they do not have.
    flows: list[dict[str, Any]]
    templates: list[dict[str, Any]]
    skipped: list[Skipped]

    @classmethod
    def read(cls, library: str, flows: FlowList, templates: TemplateList) -> Self:
        """Join both lists of a library."""
        return cls(
            library=library,
            **flows.at.model_dump(exclude_unset=True),
            flows=[flow.as_json() for flow in flows.flows],
            templates=[template.as_json() for template in templates.templates],
            skipped=[*flows.skipped, *templates.skipped],
        )


class FlowRecord(LibraryRevision):
    """A flow as stored in its file."""

    library: str
    name: str
    # Any: a flow.
    flow: dict[str, Any]

    @classmethod
    def read(cls, library: str, found: FoundFlow) -> Self:
        """Read one flow."""
        at = found.at.model_dump(exclude_unset=True)
        return cls(
            library=library,
            name=found.entry.name,
            **at,
            flow=cast("dict[str, Any]", found.document),
        )


class TemplateRecord(JsonRecord):
    """A template with its variables and stored values."""

    name: str
    id: str | None = None
    title: str
    description: str | None = None
    version: str | None = None
    template: str
    # Any: variables leave out what they do not have.
    variables: list[dict[str, Any]]
    variable_value_sets: list[dict[str, Any]] = Field(validation_alias="variableValueSets")
    attachments: list[str] | None = None


class FlowExecution(JsonRecord):
    """The execution of a flow, and the revision of its library."""

    model_config = ConfigDict(extra="allow")

    flow_id: str = Field(validation_alias="flowId")
    flow_name: str = Field(validation_alias="flowName")
    execution_id: str = Field(validation_alias="executionId")
    initial_variables: dict[str, Any] = Field(validation_alias="initialVariables")
    intermediate_results: list[dict[str, Any]] = Field(validation_alias="intermediateResults")
    final_result: Any = Field(validation_alias="finalResult")
    total_execution_time_ms: int = Field(validation_alias="totalExecutionTimeMs")
    status: str
    error: dict[str, Any] | None = None
