"""`POST /api/v1/edit/test`: one node, run alone on the data of a run or on a given input.

The same test as the MCP tool `test_node`. An effect happens, so it needs what a run needs.
"""

from functools import partial
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.environment import node_in
from toolweave.authoring.node_test import NodeTest, NodeTests
from toolweave.authoring.preview import Previews, as_tree
from toolweave.json_record import JsonRecord, ProblemRecord
from toolweave.json_text import Json
from toolweave.nodes.registry import NodeRegistry
from toolweave.rest.auth import Authenticator, require_part
from toolweave.rest.response_models import problem_records
from toolweave.rest.routes.preview import NodeNamesRequest
from toolweave.rest.routing import Routes
from toolweave.rest.stream import until_disconnected
from toolweave.workflow.model import Node
from toolweave.workflow.studio_data import PinnedOutput, pins_of


class TestNodeRequest(NodeNamesRequest):
    """A node to run alone."""

    # Any: whatever the node reads as `data`.
    input: Any = Field(None, description="What comes in, instead of the data of the run")


class TestNodeResponse(JsonRecord):
    """What the node returned; `problems` or `error` say why it did not."""

    effect: str
    executed: bool
    # The run whose data the node read; null if there is none.
    sample_run: str | None
    problems: list[ProblemRecord]
    # Any: settings and output, masked; large values are cut.
    given: dict[str, Any] | None
    output: Any
    is_cut: bool
    ports: list[str]
    # The run that executed the node, if it has an effect.
    run: str | None
    status: str | None
    error: dict[str, Any] | None
    # Whether this is the pinned output, and nothing was executed.
    pinned: bool = False


class _Handlers:
    """The handler."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._kinds = NodeRegistry()
        self._previews = Previews(studio.engine, studio.authoring.tools, studio.home.masker)
        self._tests = NodeTests(studio.engine, studio.authoring, studio.home.clock)

    async def test_node(
        self,
        body: Annotated[TestNodeRequest, Depends(TestNodeRequest.read)],
        request: Request,
    ) -> TestNodeResponse:
        """Run one node alone; nothing before or behind it runs, but its effect happens.

        The run is cancelled if the client disconnects.
        """
        require_part(request, "document")
        loaded = await body.loaded()
        node = node_in(loaded.workflow, body.node)
        pin = pins_of(loaded.workflow).get(node.id)
        if pin is not None and "input" not in body.model_fields_set:
            return self._pinned(node, pin)
        run, samples = await self._previews.samples(loaded.workflow, body.node, body.run)
        if "input" in body.model_fields_set:
            samples["data"] = cast("Json", body.input)
        found = await self._tests.test(
            loaded.workflow,
            node,
            samples,
            dialect=loaded.format,
            with_effects=True,
            until_left=partial(until_disconnected, request.receive),
        )
        return self._shown(found, run)

    def _pinned(self, node: Node, pin: PinnedOutput) -> TestNodeResponse:
        kind = self._kinds.of(node)
        found = NodeTest(kind.effect if kind else "pure", value=(pin.value,), ports=pin.ports)
        return self._shown(found, None).model_copy(update={"pinned": True, "executed": False})

    def _shown(self, found: NodeTest, sample_run: str | None) -> TestNodeResponse:
        mask = self._studio.home.masker.mask_json
        value = found.value[0] if found.value else None
        shown = as_tree(value)
        return TestNodeResponse(
            effect=found.effect,
            executed=bool(found.value or found.run),
            sample_run=sample_run,
            problems=problem_records(found.problems),
            given=cast("dict[str, Any] | None", mask(as_tree(found.given))),
            output=mask(shown),
            is_cut=shown != value,
            ports=list(found.ports),
            run=found.run,
            status=found.status,
            error=cast("dict[str, Any] | None", mask(found.error)),
        )


def node_test_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The endpoint."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/edit", "edit", 404)
    routes.add("POST", "/test", handlers.test_node)
    return routes.router()
