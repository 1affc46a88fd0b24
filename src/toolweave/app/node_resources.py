"""What nodes may ask for by name: `http`, `files`, `stores`, `services`, `model`, `shelf`, …"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from toolweave.access.secret_text import SecretTexts
from toolweave.assistant.home_models import open_model_caller
from toolweave.credentials.services import vault_services
from toolweave.home import FILES, Home
from toolweave.nodes.model import MODEL
from toolweave.nodes.services.mail.outgoing import MAILER
from toolweave.resources.databases import SqlDatabases
from toolweave.resources.files import AllowedFolders
from toolweave.resources.http import NodeHttpClient
from toolweave.resources.mailboxes import mail_resources
from toolweave.resources.mailer import SmtpMailer
from toolweave.resources.stores import open_stores
from toolweave.servers.approved_tools import ApprovedTools


@asynccontextmanager
async def open_resources(
    home: Home, *, allow_private: bool = False, file_roots: tuple[Path, ...] = ()
) -> AsyncGenerator[Mapping[str, object]]:
    """Every resource by its name; `file_roots` are folders beside the home's own."""
    secrets = SecretTexts(home.vault, home.masker)
    folders = AllowedFolders((home.settings.home / FILES, *file_roots))
    http = NodeHttpClient(secrets, allow_private=allow_private)
    services = vault_services(home, http)
    try:
        async with (
            open_model_caller(home) as asking,
            open_stores(
                home.database, home.settings.home, secrets, allow_private=allow_private
            ) as stores,
        ):
            yield {
                "http": http,
                "files": folders,
                "databases": SqlDatabases(folders, secrets, allow_private=allow_private),
                "stores": stores,
                "services": services,
                MAILER: SmtpMailer(secrets, services.refresh, allow_private=allow_private),
                MODEL: asking,
                "shelf": ApprovedTools(home.registry, home.lockfile),
                **mail_resources(home, http, secrets),
            }
    finally:
        with anyio.CancelScope(shield=True):
            await http.aclose()
