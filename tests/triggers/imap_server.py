"""A tiny IMAP server for one connection after another: enough of RFC 3501 for reading a mailbox."""

import re
import socketserver
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class FakeMailbox:
    """Mails by number; what the server did is noted."""

    password: str = "pass word"
    validity: int = 7
    mails: dict[int, bytes] = field(default_factory=dict[int, bytes])
    logins: list[str] = field(default_factory=list[str])
    port: int = 0

    def add(self, raw: bytes) -> int:
        """Deliver a mail."""
        number = max(self.mails, default=0) + 1
        self.mails[number] = raw
        return number


@contextmanager
def serving_imap() -> Generator[FakeMailbox]:
    """Serve a mailbox on a free port of this machine."""
    mailbox = FakeMailbox()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"* OK ready\r\n")
            while line := self.rfile.readline():
                tag, _, command = line.decode().strip().partition(" ")
                self.wfile.write(_answer(mailbox, command))
                status = b"NO" if _is_refused(mailbox, command) else b"OK"
                self.wfile.write(tag.encode() + b" " + status + b" done\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        mailbox.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield mailbox
        finally:
            server.shutdown()
            thread.join()


def _is_refused(mailbox: FakeMailbox, command: str) -> bool:
    if command.startswith("LOGIN"):
        mailbox.logins.append(command)
        return f'"{mailbox.password}"' not in command
    return command.startswith("EXAMINE") and '"INBOX"' not in command


def _answer(mailbox: FakeMailbox, command: str) -> bytes:
    if command.startswith("CAPABILITY"):
        return b"* CAPABILITY IMAP4rev1\r\n"
    if command.startswith("EXAMINE"):
        following = max(mailbox.mails, default=0) + 1
        text = (
            f"* {len(mailbox.mails)} EXISTS\r\n* OK [UIDVALIDITY {mailbox.validity}] valid\r\n"
            f"* OK [UIDNEXT {following}] next\r\n"
        )
        return text.encode()
    if found := re.match(r"UID SEARCH UID (\d+):\*", command):
        first, last = int(found[1]), max(mailbox.mails, default=0)
        # As RFC 3501 has it: `n:*` always holds the last mail.
        numbers = [number for number in mailbox.mails if number >= first or number == last]
        return f"* SEARCH {' '.join(map(str, numbers))}\r\n".encode()
    if found := re.match(r'UID SEARCH HEADER "([\w-]+)" "(.*)"', command):
        wanted = f"{found[1]}: {found[2]}".encode()
        numbers = [number for number, raw in mailbox.mails.items() if wanted in raw]
        return f"* SEARCH {' '.join(map(str, numbers))}\r\n".encode()
    if found := re.match(r"UID FETCH (\d+) \((.+)\)", command):
        raw = mailbox.mails[int(found[1])]
        head = f"* {found[1]} FETCH (UID {found[1]} ".encode()
        if found[2] == "RFC822.SIZE":
            return head + f"RFC822.SIZE {len(raw)})\r\n".encode()
        return head + f"BODY[] {{{len(raw)}}}\r\n".encode() + raw + b")\r\n"
    return b""
