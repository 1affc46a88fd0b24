"""The interactive part of a sign-in: open a page, receive the redirect on a local listener.

The listener is on 127.0.0.1, on a free port, for one sign-in only: an exact
path, one state that is used once, a deadline.
"""

import hmac
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import anyio
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.streams.stapled import MultiListener

from toolweave.errors import Denied, Invalid, TimedOut, Unavailable
from toolweave.network.addresses import AllowedHosts, check_url
from toolweave.servers.definition import Server
from toolweave.servers.summary import has_sign_in
from toolweave.servers.transport_factory import require_approved

Show = Callable[[str], Awaitable[None]]

PATH = "/callback"
HEAD_BYTES = 16 * 1024
HEAD_S = 5.0
PAGES = {
    200: "You can close this window.",
    400: "This sign-in was not started here.",
    404: "Not found.",
    405: "Only GET is supported.",
}


@dataclass(frozen=True, slots=True)
class AuthorizationCode:
    """What the authorization server sent with its redirect."""

    code: str
    state: str
    iss: str | None = None


class SignIn:
    """Lets a person sign in; `show` receives the page's address, already checked to be http(s).

    Passed to `oauth_auth` where a person is present, as in a terminal.
    """

    def __init__(self, show: Show, *, deadline_s: float = 300.0) -> None:
        self._show = show
        self._deadline_s = deadline_s
        self._redirect: Redirect | None = None

    async def listen(self, allow: AllowedHosts, *, port: int | None = None) -> "Redirect":
        """Open the listener of one sign-in, on a certain port if given; the caller closes it."""
        try:
            listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=port or 0)
        except OSError:
            raise Unavailable(
                "SERVER_SIGN_IN_FAILED",
                f"port {port}, to which this client's sign-in returns, is in use",
                hint="end the program that uses it, or change the callback port",
            ) from None
        # A certain port was registered by its name, as other clients write it.
        name = "127.0.0.1" if port is None else "localhost"
        self._redirect = Redirect(listener, allow, self._show, self._deadline_s, name)
        return self._redirect

    def paste(self, text: str) -> None:
        """Take the address to which a browser on another machine was sent, pasted by the person.

        Raises `Invalid`: `SERVER_SIGN_IN_ADDRESS_INVALID`.
        """
        if self._redirect is None or not self._redirect.take(text):
            raise Invalid(
                "SERVER_SIGN_IN_ADDRESS_INVALID",
                "this is not the address that the sign-in returned to",
                hint="paste the whole address of the page after the sign-in; it begins with "
                "`http://127.0.0.1` and contains `code=` and `state=`",
            )


class Redirect:
    """One sign-in in progress: the page to open and the redirect to receive."""

    def __init__(
        self,
        listener: MultiListener[SocketStream],
        allow: AllowedHosts,
        show: Show,
        deadline_s: float,
        host: str = "127.0.0.1",
    ) -> None:
        self._listener = listener
        self._allow = allow
        self._show = show
        self._deadline_s = deadline_s
        self._state = ""
        self._came = anyio.Event()
        self._result: AuthorizationCode | Denied | None = None
        self.authority = f"{host}:{listener.extra(SocketAttribute.local_port)}"

    @property
    def uri(self) -> str:
        """The redirect URI for the authorization server."""
        return f"http://{self.authority}{PATH}"

    async def aclose(self) -> None:
        """Stop listening."""
        await self._listener.aclose()

    async def show(self, url: str) -> None:
        """Show the page of the authorization server. Raises `SERVER_ADDRESS_DENIED`."""
        check_url(self._allow, url)
        self._state = parse_qs(urlsplit(url).query).get("state", [""])[-1]
        await self._show(url)

    async def result(self) -> AuthorizationCode:
        """Wait for the redirect and return its code and state."""
        try:
            with anyio.fail_after(self._deadline_s):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._listener.serve, self._hear)
                    await self._came.wait()
                    tasks.cancel_scope.cancel()
        except TimeoutError:
            raise TimedOut(
                "SERVER_SIGN_IN_TIMEOUT", f"nobody signed in within {self._deadline_s:g} s"
            ) from None
        if isinstance(self._result, AuthorizationCode):
            return self._result
        raise self._result or Denied("SERVER_SIGN_IN_FAILED", "the sign-in did not complete")

    async def _hear(self, stream: SocketStream) -> None:
        with suppress(
            anyio.IncompleteRead,
            anyio.DelimiterNotFound,
            anyio.BrokenResourceError,
            anyio.ClosedResourceError,
        ):
            async with stream:
                with anyio.move_on_after(HEAD_S):
                    buffered = BufferedByteReceiveStream(stream)
                    head = await buffered.receive_until(b"\r\n\r\n", HEAD_BYTES)
                    status = self.judge(head.decode("latin-1"))
                    with anyio.CancelScope(shield=True):
                        await stream.send(_page(status))
                    if status == 200:
                        self._came.set()

    def judge(self, head: str) -> int:
        """Take the code from the expected request; return the HTTP status."""
        first, *lines = head.split("\r\n")
        method, _, rest = first.partition(" ")
        target = urlsplit(rest.rpartition(" ")[0])
        headers = {name.lower(): value.strip() for name, _, value in _split(lines)}
        # Another site can point its name to 127.0.0.1 (DNS rebinding), but cannot hide that name.
        if headers.get("host") != self.authority or target.path != PATH or target.netloc:
            return 404
        if method != "GET":
            return 405
        return 200 if self._accept(parse_qs(target.query)) else 400

    def take(self, text: str) -> bool:
        """Take the code from a pasted address; whether it is one of this sign-in."""
        try:
            target = urlsplit(text.strip())
            is_ours = target.netloc == self.authority and target.path == PATH
        except ValueError:
            return False
        if not is_ours or not self._accept(parse_qs(target.query)):
            return False
        self._came.set()
        return True

    def _accept(self, query: dict[str, list[str]]) -> bool:
        state = query.get("state", [])
        if len(state) != 1 or not self._state or self._result is not None:
            return False
        if not hmac.compare_digest(state[0].encode(), self._state.encode()):
            return False
        self._state = ""
        self._result = _result(query, state[0])
        return True


def require_sign_in(server: Server) -> None:
    """Check that the server is approved and uses OAuth. Raises `SERVER_SIGN_IN_UNUSED`."""
    if not has_sign_in(server.definition):
        raise Invalid(
            "SERVER_SIGN_IN_UNUSED",
            f"server {server.name!r} does not use OAuth",
            hint=f"if it needs a sign-in: `toolweave servers approve {server.name} --oauth`",
        )
    require_approved(server)


def _result(query: dict[str, list[str]], state: str) -> AuthorizationCode | Denied:
    codes = query.get("code", [])
    if len(codes) == 1:
        return AuthorizationCode(code=codes[0], state=state, iss=query.get("iss", [None])[0])
    said = query.get("error", ["no code"])[0][:100]
    return Denied("SERVER_SIGN_IN_FAILED", f"the sign-in was refused: {said!r}")


def _split(lines: list[str]) -> list[tuple[str, str, str]]:
    return [line.partition(":") for line in lines]


def _page(status: int) -> bytes:
    text = f"{PAGES[status]}\n"
    head = (
        f"HTTP/1.1 {status} {'OK' if status == 200 else 'Refused'}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(text)}",
        "Cache-Control: no-store",
        "Referrer-Policy: no-referrer",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
    )
    return ("\r\n".join(head) + "\r\n\r\n" + text).encode()
