"""Ends with status 3 in the middle of a call, unanswered."""

import sys

from wellbehaved import Message, Server


class ExitsInCall(Server):
    """Dies of `misbehave`."""

    def misbehave(self, request: Message) -> None:
        """End the process."""
        sys.stderr.write("fatal: out of ideas\n")
        sys.exit(3)


ExitsInCall().run()
