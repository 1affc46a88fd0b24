"""Opens the engine of a studio with the node registry, the gate and the nodes' resources."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from toolweave.app.node_resources import open_resources
from toolweave.app.studio import Studio
from toolweave.authoring.environment import ToolKnowledge
from toolweave.authoring.run_check import RunCheck
from toolweave.engine.context import EngineServices, Listener
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.retention import Retention, prune
from toolweave.engine.runs import WorkflowChecker
from toolweave.engine.subworkflows import SubWorkflows
from toolweave.errors import ToolweaveError
from toolweave.home import Home
from toolweave.nodes.prompt.answer_source import AnswerSource
from toolweave.nodes.registry import NodeRegistry
from toolweave.resources.commands import CommandRunner
from toolweave.tasks import background

logger = logging.getLogger(__name__)

PRUNE_EVERY_S = 3600.0


@asynccontextmanager
async def open_engine(
    studio: Studio,
    *,
    drives_runs: bool = False,
    on_progress: Listener | None = None,
    checker: WorkflowChecker | None = None,
) -> AsyncGenerator[Engine]:
    """Open the engine of an open studio; `checker` replaces the check of workflows."""
    home, settings = studio.home, studio.home.settings
    journal = Journal(home.database, home.clock)
    async with open_resources(
        home, allow_private=settings.allow_private_http, file_roots=settings.file_roots
    ) as opened:
        services = EngineServices(studio.gate, home.clock, opened, on_progress)
        engine = Engine(
            home.database,
            journal,
            NodeRegistry(),
            services=services,
            checker=checker or RunCheck(ToolKnowledge(home)),
            prepare=AnswerSource(opened.model),
        )
        services.resources = replace(
            opened,
            commands=CommandRunner(home, studio.transports),
            workflows=SubWorkflows(engine, home.workflows),
        )
        drain_s = settings.drain_s if drives_runs else 0.0
        async with (
            engine.running(drives_runs=drives_runs, drain_s=drain_s),
            background() as tasks,
        ):
            if drives_runs:
                tasks.start_soon(_keep_pruning, home)
            yield engine


async def _keep_pruning(home: Home) -> None:
    settings = home.settings
    retention = Retention(settings.keep_days or None, settings.keep_runs or None)
    while True:
        try:
            await prune(home.database, retention, home.clock.now())
        except ToolweaveError:
            logger.exception("old runs are not pruned")
        await home.clock.sleep(PRUNE_EVERY_S)
