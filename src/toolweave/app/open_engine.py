"""The engine of a studio: every node's code, the gate, and what nodes may need."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

from toolweave.app.node_resources import open_resources
from toolweave.app.studio import Studio
from toolweave.authoring.environment import ToolKnowledge
from toolweave.authoring.run_check import RunCheck
from toolweave.engine.context import EngineServices, Listener
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.retention import Retention, prune
from toolweave.engine.subworkflows import SubWorkflows
from toolweave.errors import ToolweaveError
from toolweave.home import Home
from toolweave.nodes.action._commands import COMMANDS
from toolweave.nodes.model import MODEL, ModelCaller
from toolweave.nodes.prompt.answer_source import AnswerSource
from toolweave.nodes.registry import NodeRegistry
from toolweave.resources.commands import CommandRunner
from toolweave.tasks import background

logger = logging.getLogger(__name__)

PRUNE_EVERY_S = 3600.0


@asynccontextmanager
async def open_engine(
    studio: Studio, *, keeps_time: bool = False, on_progress: Listener | None = None
) -> AsyncGenerator[Engine]:
    """Join the engine to an open studio."""
    home, settings = studio.home, studio.home.settings
    journal = Journal(home.database, home.clock)
    async with open_resources(
        home, allow_private=settings.allow_private_http, file_roots=settings.file_roots
    ) as opened:
        resources: dict[str, object] = dict(opened)
        services = EngineServices(studio.gate, home.clock, resources, on_progress)
        resources[COMMANDS] = CommandRunner(home, studio.transports)
        engine = Engine(
            home.database,
            journal,
            NodeRegistry(),
            services=services,
            checker=RunCheck(ToolKnowledge(home)),
            prepare=AnswerSource(cast("ModelCaller", resources[MODEL])),
        )
        resources["workflows"] = SubWorkflows(engine, studio.home.workflows)
        async with engine.running(keeps_time=keeps_time), background() as tasks:
            if keeps_time:
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
