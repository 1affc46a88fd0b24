"""Ignores SIGTERM and the end of stdin, and has a child that does too; `misbehave` names both.

Only SIGKILL of the whole process group ends them; of themselves they end after 60 seconds.
"""

import json
import os
import signal
import time

from wellbehaved import Message, Server, text


class IgnoresSigterm(Server):
    """Will not leave."""

    life_s = 60

    def __init__(self) -> None:
        super().__init__()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.child = os.fork()
        if self.child == 0:
            signal.alarm(self.life_s)
            time.sleep(self.life_s)
            os._exit(0)

    def misbehave(self, request: Message) -> None:
        """Who must be gone when the connection is closed."""
        self.reply(request, text(json.dumps({"server": os.getpid(), "child": self.child})))


server = IgnoresSigterm()
server.run()
time.sleep(server.life_s)
