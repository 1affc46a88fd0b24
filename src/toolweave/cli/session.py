"""How commands open the home: as the environment says, on the one event loop."""

import logging
import os
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

import anyio

from toolweave.home import Home, open_home
from toolweave.settings import from_environment

T = TypeVar("T")

DEBUG = "TOOLWEAVE_DEBUG"


def run(work: Callable[[], Awaitable[T]]) -> T:
    """Run a command's work on an event loop; Ctrl-C cancels it cleanly."""
    if not os.environ.get(DEBUG):
        # Logs are for services; a command prints its own error messages.
        logging.lastResort = logging.NullHandler()
    return anyio.run(work)


def in_home(work: Callable[[Home], Awaitable[T]]) -> T:
    """Run a command's work with the home directory of this process open."""

    async def opened() -> T:
        async with current_home() as home:
            return await work(home)

    return run(opened)


def current_home() -> AbstractAsyncContextManager[Home]:
    """Open the home directory of this process."""
    return open_home(from_environment())
