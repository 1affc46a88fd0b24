"""A process to be killed: writes rows and says so on standard output.

writer.py honest FILE    acknowledges each row once it is stored
writer.py hasty FILE     acknowledges its row before the commit, then waits: it will be lost
"""

import sys
from pathlib import Path

import anyio

from toolweave.storage.database import open_database


async def main(manner: str, file: str) -> None:
    async with open_database(Path(file)) as database:
        await database.execute("CREATE TABLE IF NOT EXISTS acknowledged (n INTEGER)")
        found = await database.row("SELECT coalesce(max(n), 0) FROM acknowledged")
        number: int = found[0] if found else 0
        while True:
            number += 1
            async with database.transaction() as transaction:
                await transaction.execute("INSERT INTO acknowledged VALUES (?)", number)
                if manner == "hasty":
                    sys.stdout.write(f"{number}\n")
                    sys.stdout.flush()
                    await anyio.sleep_forever()
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], sys.argv[2])
