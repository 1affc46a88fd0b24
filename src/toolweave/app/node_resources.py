"""The resources of nodes: HTTP, files, databases, stores, services, mail, models, tools."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from toolweave.access.secret_text import SecretTexts
from toolweave.assistant.home_models import open_model_caller
from toolweave.catalog.resources.record import Resources
from toolweave.credentials.services import vault_services
from toolweave.engine.run_media import RunMedia
from toolweave.home import FILES, Home
from toolweave.resources.databases import SqlDatabases
from toolweave.resources.files import AllowedFolders
from toolweave.resources.http import NodeHttpClient
from toolweave.resources.mailboxes import GrantedTokens, ImapMailboxes
from toolweave.resources.mailer import SmtpMailer
from toolweave.resources.stores import open_stores
from toolweave.servers.approved_tools import ApprovedTools


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
