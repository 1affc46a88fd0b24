"""Stops a process when a newer program changed the database in a way that it cannot use."""

import logging
import os
import signal

import anyio

from toolweave.errors import Conflict, ToolweaveError
from toolweave.storage.database import Database
from toolweave.storage.migrations import require_known_schema

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 5.0


async def stop_when_newer(database: Database) -> None:
    """Look now and then; stop as by SIGTERM, which lets running steps finish and releases runs."""
    while True:
        await anyio.sleep(LOOK_EVERY_S)
        try:
            await require_known_schema(database)
        except Conflict as error:
            logger.error("this process stops: %s", error.message)  # no defect here
            os.kill(os.getpid(), signal.SIGTERM)
            return
        except ToolweaveError as error:  # it is away; others report that
            logger.debug("cannot read the schema's version", extra={"code": error.code})
