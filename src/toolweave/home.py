"""The home directory: storage, vault, registry, lockfile; opened without any connection.

A part and the packages it needs are loaded when it is first used, so that a command which reads one
table loads no more than the database.
"""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from toolweave.clock import Clock, SystemClock
from toolweave.settings import LOCKFILE, Settings, lockfile_path
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate

if TYPE_CHECKING:  # what a part imports is loaded with its first use
    from toolweave.access.mask import Masker
    from toolweave.access.vault import Vault
    from toolweave.servers.health import Pings
    from toolweave.servers.lockfile import Lockfile
    from toolweave.servers.registry import Registry
    from toolweave.storage.workflow_versions import WorkflowVersions
    from toolweave.workflow.store import WorkflowStore

DATABASE_NAME = "toolweave.db"
# Folders of a home: named workflows, and files that nodes may use.
WORKFLOWS = "workflows"
FILES = "files"


@dataclass(frozen=True)
class Home:
    """An open home directory; its parts are made when they are first used."""

    settings: Settings
    environ: Mapping[str, str]
    clock: Clock
    database: Database
    lockfile_at: Path

    @cached_property
    def vault(self) -> "Vault":
        """The secrets."""
        keys = import_module("toolweave.access.vault_key")
        source = keys.KeySource(self.settings.home, self.environ.get(keys.VARIABLE))
        vault = import_module("toolweave.access.vault").Vault
        return vault(self.database, source, clock=self.clock)

    @cached_property
    def masker(self) -> "Masker":
        """The secret texts that are masked in this process."""
        return import_module("toolweave.access.mask").Masker()

    @cached_property
    def registry(self) -> "Registry":
        """The registered servers."""
        return import_module("toolweave.servers.registry").Registry(self.database, self.clock)

    @cached_property
    def pings(self) -> "Pings":
        """What the last pings of servers found."""
        return import_module("toolweave.servers.health").Pings(self.database)

    @cached_property
    def lockfile(self) -> "Lockfile":
        """The approved tools."""
        at, own = self.lockfile_at, self.settings.home
        trust = import_module("toolweave.servers.lockfile_trust")
        known = None if at == own / LOCKFILE else trust.LockfileTrust(own / trust.NAME)
        return import_module("toolweave.servers.lockfile").Lockfile(at, known)

    @cached_property
    def workflows(self) -> "WorkflowStore":
        """The stored workflows."""
        return workflow_store(self.settings, self.workflow_versions)

    @cached_property
    def workflow_versions(self) -> "WorkflowVersions":
        """The saved versions of the workflows."""
        versions = import_module("toolweave.storage.workflow_versions").WorkflowVersions
        return versions(self.database, self.clock, keep=self.settings.keep_versions)


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
        lockfile = lockfile_path(settings, directory or Path.cwd())
        yield Home(settings, variables, time, database, lockfile)


def workflow_store(
    settings: Settings, versions: "WorkflowVersions | None" = None
) -> "WorkflowStore":
    """Return the stored workflows of a home; the folder is created on first save.

    Without `versions`, for reading and deleting: what is saved would not be recorded.
    """
    files = import_module("toolweave.storage.workflow_files").WorkflowFiles
    store = import_module("toolweave.workflow.store").WorkflowStore
    return store(files(settings.home / WORKFLOWS), versions)
