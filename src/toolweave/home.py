"""The home directory: storage, vault, registry, lockfile; opened without any connection."""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from toolweave.access.mask import Masker
from toolweave.access.vault import Vault
from toolweave.access.vault_key import VARIABLE, KeySource
from toolweave.clock import Clock, SystemClock
from toolweave.servers.health import Pings
from toolweave.servers.lockfile import NAME, Lockfile
from toolweave.servers.lockfile_trust import NAME as TRUST_NAME
from toolweave.servers.lockfile_trust import LockfileTrust
from toolweave.servers.registry import Registry
from toolweave.settings import Settings
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.storage.workflow_files import WorkflowFiles
from toolweave.workflow.store import WorkflowStore

DATABASE_NAME = "toolweave.db"
# Folders of a home: named workflows, and files that nodes may use.
WORKFLOWS = "workflows"
FILES = "files"


@dataclass(frozen=True, slots=True)
class Home:
    """An open home directory."""

    settings: Settings
    environ: Mapping[str, str]
    clock: Clock
    database: Database
    vault: Vault
    masker: Masker
    registry: Registry
    pings: Pings
    lockfile: Lockfile
    workflows: WorkflowStore


@asynccontextmanager
async def open_home(
    settings: Settings,
    *,
    clock: Clock | None = None,
    environ: Mapping[str, str] | None = None,
    directory: Path | None = None,
) -> AsyncGenerator[Home]:
    """Open the home's storage and everything built directly on it."""
    time = clock or SystemClock()
    variables = os.environ if environ is None else environ
    where = settings.database or settings.home / DATABASE_NAME
    async with open_database(where) as database:
        await migrate(database)
        yield Home(
            settings=settings,
            environ=variables,
            clock=time,
            database=database,
            vault=Vault(database, KeySource(settings.home, variables.get(VARIABLE)), clock=time),
            masker=Masker(),
            registry=Registry(database, time),
            pings=Pings(database),
            lockfile=_lockfile(settings, directory or Path.cwd()),
            workflows=workflow_store(settings),
        )


def workflow_store(settings: Settings) -> WorkflowStore:
    """Return the stored workflows of a home; the folder is created on first save."""
    return WorkflowStore(WorkflowFiles(settings.home / WORKFLOWS))


def _lockfile(settings: Settings, directory: Path) -> Lockfile:
    path = lockfile_path(settings, directory)
    is_own = path == settings.home / NAME
    return Lockfile(path, None if is_own else LockfileTrust(settings.home / TRUST_NAME))


def lockfile_path(settings: Settings, directory: Path) -> Path:
    """Return the lockfile path: the setting, else the project's file, else the home's."""
    if settings.lockfile is not None:
        return settings.lockfile
    of_project = directory / NAME
    return of_project if of_project.exists() else settings.home / NAME
