"""What this package has no code for is told before a run."""

import pytest
from tests.workflow.checks.values_building import UNDER_TEST, catalog_node, found

from toolweave.nodes.memory.vector_database import BUILT_IN
from toolweave.workflow.checks.unsupported_settings import check


@pytest.mark.parametrize("provider", ["pinecone", "weaviate", "chromadb", "qdrant"])
def test_a_provider_that_is_not_built_in_is_an_error_of_the_workflow(provider: str) -> None:
    settings = {"database_provider": provider}
    (problem,) = found(check, catalog_node("MEMORY.VECTOR_DATABASE", settings))
    assert (problem.code, problem.severity) == ("PROVIDER_NOT_BUILT_IN", "error")
    assert problem.pointer == f"{UNDER_TEST}/configurations/database_provider"
    assert problem.message.endswith("is not built in; connect its MCP server")
    assert BUILT_IN in str(problem.hint)


@pytest.mark.parametrize("provider", [BUILT_IN, "{{ data.kind }}", None, 7])
def test_what_is_built_in_or_not_known_yet_is_none(provider: str | int | None) -> None:
    settings = {} if provider is None else {"database_provider": provider}
    assert list(found(check, catalog_node("MEMORY.VECTOR_DATABASE", settings))) == []
