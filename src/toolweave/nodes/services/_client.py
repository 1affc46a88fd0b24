"""One step's calls to a service, through the checked client and within its rate limits.

If a service asks to wait, `waiting` returns a `Wait`, so that the run is suspended. Answers from
before the wait are stored and not requested again.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from urllib.parse import urlencode

from anyio import to_thread

from toolweave import json_text
from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.resources.http import HttpClient, Response
from toolweave.catalog.resources.services import Access, Service
from toolweave.errors import Invalid, Limited, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._failures import as_error, rate_limits
from toolweave.nodes.services._operation import Action, RequestPart, ServiceCall, build

MAX_WAITS = 5
LONGEST_WAIT_S = 3600.0
UNTOLD_WAIT_S = 5.0
CALL_S = 60.0
# What is longer is read in a thread: others wait for the loop.
AT_ONCE_BYTES = 64 * 1024
# A step's memory is in the journal, which is no place for long lists.
MAX_KEPT_CHARACTERS = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ServiceResponse:
    """What a service answered: the value of its JSON, and what its headers tell."""

    value: Json
    status: int = 200
    link: str = ""
    limits: JsonObject = field(default_factory=dict[str, Json])

    @property
    def record(self) -> JsonObject:
        """The value where it is an object; a list is under `items`, nothing is empty."""
        if isinstance(self.value, dict):
            return self.value
        return {} if self.value is None else {"items": self.value}


@dataclass
class Tally:
    """What a step did so far."""

    calls: int = 0
    took_ms: float = 0.0
    limits: JsonObject = field(default_factory=dict[str, Json])
    # Answers from before a wait, then those since: value, status, link.
    answers: list[Json] = field(default_factory=list[Json])


class ServiceClient:
    """A service with a credential, for one step."""

    def __init__(
        self,
        http: HttpClient,
        service: Service,
        access: Access,
        *,
        timeout_s: float = CALL_S,
        tally: Tally | None = None,
    ) -> None:
        self.service = service
        self.tally = tally or Tally()
        self._access = access
        self._http = http
        self._timeout_s = min(CALL_S, timeout_s)
        self._known = list(self.tally.answers)

    async def do(self, name: str, action: Action, values: JsonObject) -> ServiceResponse:
        """Perform an action of the table; invalid values are refused before anything is sent."""
        return await self.send(name, build(name, action, values))

    async def send(self, name: str, call: ServiceCall) -> ServiceResponse:
        """Send one request; `name` is what it is called in errors.

        Raises:
            Denied: `SERVICE_CREDENTIAL_REFUSED`, `SERVICE_DENIED`.
            NotFound: `SERVICE_NOT_FOUND`.
            Conflict: `SERVICE_CONFLICT`.
            Limited: `SERVICE_LIMITED`, with how long to wait.
            Invalid: `SERVICE_REFUSED`.
            Unavailable: `SERVICE_UNAVAILABLE`, `SERVICE_ANSWER_INVALID`.
        """
        if self._known:
            return _kept(self._known.pop(0))
        response = await self._request(call)
        self.tally.calls += 1
        self.tally.took_ms += response.took_ms
        self.tally.limits = rate_limits(response) or self.tally.limits
        value, is_readable = (None, True) if not call.has_json else await _read(response)
        failure = self.service.failure(response, value)
        if failure is not None:
            raise as_error(self.service, name, failure)
        if not is_readable:
            message = f"{self.service.title} answered {name} with something that is no JSON"
            raise Unavailable("SERVICE_ANSWER_INVALID", message)
        link = response.headers.get("link", "")
        self.tally.answers.append([value, response.status, link])
        return ServiceResponse(value, response.status, link, self.tally.limits)

    @property
    def address(self) -> str:
        """Where the service is."""
        return self._access.address

    def use(self, token: str) -> None:
        """From now on call with another credential."""
        self._access = Access(self._access.address, token)

    async def _request(self, call: ServiceCall) -> Response:
        body, kind = _encoded(call)
        headers = dict(call.headers)
        if kind is not None:
            headers["content-type"] = kind
        if call.has_token:
            for name, value in self.service.headers.items():
                headers.setdefault(name, value.replace("{token}", self._access.token))
        return await self._http.request(
            call.method,
            self._address(call),
            headers={"accept": "application/json", **headers},
            body=body,
            follow=call.method == "GET",
            timeout_s=self._timeout_s,
            # Only where the address itself is a secret; everything that came in is encoded.
            fills_url=call.is_secret or (call.has_token and bool(self.service.prefix)),
        )

    def _address(self, call: ServiceCall) -> str:
        # Encoded here, so that no value that came in can name a secret of the vault.
        query = f"?{urlencode(call.query)}" if call.query else ""
        if not call.has_token:
            return call.path + query
        prefix = self.service.prefix.replace("{token}", self._access.token)
        address = call.at or self._access.address
        return address.rstrip("/") + prefix + call.path + query


async def calling(
    context: NodeContext, service: Service, token: str, *, prefers_oauth: bool = False
) -> ServiceClient:
    """A caller with the credential that a node's configuration names.

    Raises `NotFound`: `SERVICE_CREDENTIAL_MISSING`, `SECRET_NOT_FOUND`; `Denied`:
    `SERVICE_SIGN_IN_NEEDED`.
    """
    services = context.resources.services
    access = await services.access(service, token, prefers_oauth=prefers_oauth)
    http = context.resources.http
    timeout_s = context.given.number("timeout")
    tally = Tally(answers=_remembered(context))
    return ServiceClient(http, service, access, timeout_s=timeout_s, tally=tally)


def without_token(context: NodeContext, service: Service) -> ServiceClient:
    """A caller for addresses that are secrets themselves: no credential is looked for."""
    http = context.resources.http
    tally = Tally(answers=_remembered(context))
    return ServiceClient(http, service, Access(service.address, ""), tally=tally)


async def waiting(
    context: NodeContext,
    caller: ServiceClient,
    work: Callable[[], Awaitable[Outcome]],
    *,
    most: int = MAX_WAITS,
    least_s: float = 0.0,
) -> Outcome | Wait:
    """Do the work; where the service says to wait, wait in the journal and go on then."""
    try:
        return await work()
    except Limited as error:
        if error.code != "SERVICE_LIMITED":
            raise
        told = error.facts.get("retry_after_s")
        wait_s = max(float(told) if isinstance(told, int | float) else UNTOLD_WAIT_S, least_s)
        waits, answers = waits_before(context), caller.tally.answers
        is_long = len(json_text.write(answers)) > MAX_KEPT_CHARACTERS
        if waits >= most or wait_s > LONGEST_WAIT_S or is_long:
            # Not `Limited`: a try from the start would repeat what was done before the limit.
            raise Unavailable(error.code, error.message, facts=error.facts) from None
    memory: JsonObject = {"waits": waits + 1, "answers": answers}
    return Wait(context.now() + timedelta(seconds=wait_s), memory=memory)


def metadata(context: NodeContext, action: str, tally: Tally) -> JsonObject:
    """The `execution_metadata` of a step."""
    return {
        "action": action,
        "attempts": context.attempt + waits_before(context),
        "calls": tally.calls,
        "took_ms": round(tally.took_ms, 3),
    }


def _kept(answer: Json) -> ServiceResponse:
    match answer:
        case [value, int(status), str(link)]:
            return ServiceResponse(value, status, link)
        case _:
            return ServiceResponse(answer)


async def _read(response: Response) -> tuple[Json, bool]:
    if len(response.body) > AT_ONCE_BYTES:
        return await to_thread.run_sync(_value, response)
    return _value(response)


def _value(response: Response) -> tuple[Json, bool]:
    if not response.body.strip():
        return None, True
    try:
        return json_text.read(response.body), True
    except Invalid:
        return None, False


def _encoded(call: ServiceCall) -> tuple[bytes | None, str | None]:
    if call.raw is not None:
        return call.raw
    if call.parts or call.form == "form":
        fields = call.body if isinstance(call.body, dict) else {}
        if call.parts:
            return _multipart(fields, call.parts)
        texts = [(name, _form_text(value)) for name, value in fields.items()]
        return urlencode(texts).encode(), "application/x-www-form-urlencoded"
    if call.body is None:
        return None, None
    return json_text.write(call.body).encode(), "application/json; charset=utf-8"


def _form_text(value: Json) -> str:
    return value if isinstance(value, str) else json_text.write(value)


def _multipart(fields: JsonObject, parts: tuple[RequestPart, ...]) -> tuple[bytes, str]:
    """Return a body of `multipart/form-data` (RFC 7578) and its content type."""
    pieces: list[tuple[str, bytes]] = [
        (f'form-data; name="{_quoted(name)}"', _form_text(value).encode())
        for name, value in fields.items()
        if value is not None
    ]
    heads = [f"Content-Disposition: {head}\r\n\r\n".encode() + data for head, data in pieces]
    heads += [
        (
            f'Content-Disposition: form-data; name="{_quoted(part.name)}"; '
            f'filename="{_quoted(part.filename)}"\r\n'
            f"Content-Type: {_quoted(part.media_type)}\r\n\r\n"
        ).encode()
        + part.data
        for part in parts
    ]
    # Made of what it separates, so that the same call has the same bytes.
    boundary = f"tw{sha256(b''.join(heads)).hexdigest()[:40]}"
    body = b"".join(f"--{boundary}\r\n".encode() + one + b"\r\n" for one in heads)
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def _quoted(text: str) -> str:
    """Escape a name as browsers do, so that it cannot end the header."""
    return text.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")


def _memory(context: NodeContext) -> JsonObject:
    found = context.resumed.memory if context.resumed is not None else None
    return found if isinstance(found, dict) else {}


def waits_before(context: NodeContext) -> int:
    """How often this step waited for a limit already."""
    waits = _memory(context).get("waits")
    return waits if isinstance(waits, int) else 0


def _remembered(context: NodeContext) -> list[Json]:
    answers = _memory(context).get("answers")
    return list(answers) if isinstance(answers, list) else []
