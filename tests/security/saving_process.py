"""A process that saves a workflow, a secret, a key and a private file until it is killed.

It prints a line for each save that was acknowledged.
"""

import os
import sys
from pathlib import Path

import anyio

from rest.drawn import greeting
from toolweave.access.keys import ApiKeys
from toolweave.errors import NotFound
from toolweave.home import open_home
from toolweave.settings import Settings
from toolweave.storage.files import replace_private
from toolweave.workflow.formats.load import read

VAULT_KEY = {"TOOLWEAVE_VAULT_KEY": "A" * 43 + "="}
FILE = "kept.txt"


async def save_on(folder: Path) -> None:
    """Save everything again and again, each time with the next number."""
    async with open_home(Settings(home=folder), environ=VAULT_KEY) as home:
        try:
            revision = (await home.workflows.load("w")).revision
        except NotFound:
            revision = None
        number = 0
        while True:
            number += 1
            document = greeting("w")
            document["nodes"][1]["data"]["prompt"] = f"{number} " * 2_000
            revision = await home.workflows.save(read(document).workflow, over=revision)
            say("workflow", number)
            await home.vault.put("s", str(number))
            say("secret", number)
            await ApiKeys(home.database, home.clock).create(f"key-{number}", ["tools:read"])
            say("key", number)
            replace_private(folder / FILE, f"{number} " * 5_000)
            say("file", number)


def say(what: str, number: int) -> None:
    """Print a line at once."""
    os.write(1, f"{what} {number}\n".encode())


if __name__ == "__main__":
    anyio.run(save_on, Path(sys.argv[1]))
