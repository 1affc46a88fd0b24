"""Goes on with a cancelled call, sending progress, and answers it after 30 s all the same."""

import threading

from wellbehaved import Message, Server, text

STEPS = 600
STEP_S = 0.05


class IgnoresCancel(Server):
    """Finishes what it started; `echo` works meanwhile."""

    def misbehave(self, request: Message) -> None:
        """Work on in the background."""
        threading.Thread(target=self.work, args=[request], daemon=True).start()

    def work(self, request: Message) -> None:
        """Progress that nobody wants any more, then an answer."""
        token = request["params"].get("_meta", {}).get("progressToken", "nobody asked")
        for step in range(STEPS):
            params = {"progressToken": token, "progress": step, "total": STEPS}
            self.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
            self.pause(STEP_S)
        self.reply(request, text("finished anyway"))


IgnoresCancel().run()
