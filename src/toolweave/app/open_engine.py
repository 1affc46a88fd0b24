"""Opens the engine of a studio with the node registry, the gate and the nodes' resources."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio

from toolweave.access.secret_text import SecretTexts
from toolweave.app.schema_watch import stop_when_newer
from toolweave.app.studio import Studio
from toolweave.assistant.home_models import open_model_caller
from toolweave.authoring.environment import ToolKnowledge
from toolweave.authoring.run_check import RunCheck
from toolweave.catalog.resources.record import Resources
from toolweave.credentials.services import vault_services
from toolweave.engine.backend import ChosenBackend
from toolweave.engine.backend_choice import choose_backend
from toolweave.engine.context import EngineServices, Listener
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.retention import Retention, prune
from toolweave.engine.run_media import RunMedia
from toolweave.engine.runs import WorkflowChecker
from toolweave.engine.subworkflows import SubWorkflows
from toolweave.errors import Invalid, ToolweaveError
from toolweave.home import FILES, Home
from toolweave.nodes.prompt.answer_source import AnswerSource
from toolweave.nodes.registry import NodeRegistry
from toolweave.recording.exchange_log import ExchangeLog, KeptModel, KeptTools
from toolweave.resources.commands import CommandRunner
from toolweave.resources.databases import SqlDatabases
from toolweave.resources.files import AllowedFolders
from toolweave.resources.http import NodeHttpClient
from toolweave.resources.mailboxes import GrantedTokens, ImapMailboxes
from toolweave.resources.mailer import SmtpMailer
from toolweave.resources.open_calls import OpenCalls
from toolweave.resources.stores import open_stores
from toolweave.servers.approved_tools import ApprovedTools
from toolweave.tasks import background, keep_going
from toolweave.tools.tool import AskingToolCaller

logger = logging.getLogger(__name__)

PRUNE_EVERY_S = 3600.0
# The secret with the API key of the run backend.
BACKEND_KEY = "backend_key"


@asynccontextmanager
async def open_resources(
    home: Home, *, allow_private: bool = False, file_roots: tuple[Path, ...] = ()
) -> AsyncGenerator[Resources]:
    """Open all resources but `commands` and `workflows`, which need servers and an engine.

    `file_roots` are folders beside the home's own.
    """
    secrets = SecretTexts(home.vault, home.masker)
    folders = AllowedFolders((home.settings.home / FILES, *file_roots))
    http = NodeHttpClient(secrets, allow_private=allow_private)
    services = vault_services(home, http)
    try:
        async with (
            open_model_caller(home) as model,
            open_stores(
                home.database, home.settings.home, secrets, allow_private=allow_private
            ) as stores,
        ):
            yield Resources(
                http=http,
                files=folders,
                databases=SqlDatabases(folders, secrets, allow_private=allow_private),
                stores=stores,
                services=services,
                mailer=SmtpMailer(secrets, services.refresh, allow_private=allow_private),
                mailboxes=ImapMailboxes(secrets, allow_private=allow_private),
                mail_tokens=GrantedTokens(secrets, http, masker=home.masker, clock=home.clock),
                model=model,
                approved_tools=ApprovedTools(home.registry, home.lockfile),
                media=RunMedia(home.database),
            )
    finally:
        with anyio.CancelScope(shield=True):
            await http.aclose()


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
    backend = await _chosen_backend(home)
    journal = Journal(home.database, home.clock, hold_s=backend.lease_s)
    log = ExchangeLog(home.database, home.clock, home.masker, max_bytes=settings.record_bytes)
    async with (
        log.writing(),
        open_resources(
            home, allow_private=settings.allow_private_http, file_roots=settings.file_roots
        ) as opened,
        background() as calls,
    ):
        tools: AskingToolCaller = studio.gate
        if settings.record_bytes:
            tools = KeptTools(tools, log)
            opened = replace(opened, model=KeptModel(opened.model, log))
        services = _services(studio, tools, opened, on_progress)
        engine = Engine(
            home.database,
            journal,
            NodeRegistry(),
            services=services,
            checker=checker or RunCheck(ToolKnowledge(home)),
            prepare=AnswerSource(opened.model),
            open_backend=backend.open,
            queues=settings.queues,
        )
        services.resources = replace(
            opened,
            commands=CommandRunner(home, studio.transports),
            workflows=SubWorkflows(engine, home.workflows),
            step_calls=OpenCalls(tools, calls, journal.holder),
        )
        drain_s = settings.drain_s if drives_runs else 0.0
        async with (
            engine.running(drives_runs=drives_runs, drain_s=drain_s),
            background() as tasks,
        ):
            if drives_runs:
                tasks.start_soon(keep_going, _keep_pruning, home)
                tasks.start_soon(keep_going, stop_when_newer, home.database)
            yield engine


def _services(
    studio: Studio, tools: AskingToolCaller, opened: Resources, on_progress: Listener | None
) -> EngineServices:
    home, limits = studio.home, studio.shared_limits
    services = EngineServices(tools, home.clock, opened, on_progress, limits=limits)
    services.server_queues = home.registry.queues
    return services


async def _chosen_backend(home: Home) -> ChosenBackend:
    """Return the backend of the settings; its key may be in the vault."""
    settings = home.settings
    key = settings.backend_key
    if settings.backend and key is None and BACKEND_KEY in await home.vault.names():
        key = await home.vault.get(BACKEND_KEY)
    if key is not None:
        home.masker.learn([key])
    backend = choose_backend(settings.backend, key)
    if backend.is_shared and home.database.dialect.name == "sqlite":
        raise Invalid(
            "SETTING_INVALID",
            "this backend has workers on several machines, and a SQLite file is on one",
            hint="give all of them one --database postgresql://…",
        )
    return backend


async def _keep_pruning(home: Home) -> None:
    settings = home.settings
    retention = Retention(settings.keep_days or None, settings.keep_runs or None)
    while True:
        try:
            await prune(home.database, retention, home.clock.now())
        except ToolweaveError:
            logger.exception("old runs are not pruned")
        await home.clock.sleep(PRUNE_EVERY_S)
