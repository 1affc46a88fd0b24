"""ACTION.HTTP_REQUEST: call a web address."""

from http import HTTPStatus

from anyio import to_thread

from toolweave import json_text
from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_input import read_each
from toolweave.catalog.resources.http import Response
from toolweave.catalog.spec import Effect, Example, Field, NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.action._request import (
    fill_url,
    make_payload,
    merge_headers,
    merge_params,
    names_a_key,
    plain_value,
)
from toolweave.nodes.web_address import check_url
from toolweave.patterns import pattern

# Safe methods of RFC 9110: they change nothing.
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# Sending these twice has the same effect as sending them once.
IDEMPOTENT_METHODS = SAFE_METHODS | {"PUT", "DELETE"}
# Charsets in use on the web; some other codecs of Python take quadratic time.
_CHARSET = pattern(
    r"utf-?(8|16|32)(-?[lb]e)?|(us-)?ascii|latin-?1|iso-?8859-\d{1,2}|(windows-|cp)125\d"
    r"|koi8-[ru]|shift_jis|euc-(jp|kr)|gb(k|2312|18030)|big5"
)
# To read more would hold up everybody else.
_AT_ONCE_BYTES = 256 * 1024


def check_request(given: NodeInput) -> None:
    """Whether the request can be sent. Raises `HTTP_URL_INVALID`, `HTTP_VALUE_INVALID`."""
    read_each(
        (
            lambda: check_url(given.text("url"), "url", method=given.text("method")),
            lambda: [
                plain_value(value, "url_variables", name)
                for name, value in given.record("url_variables").items()
            ],
            lambda: merge_headers(given.record("headers"), given.record("dynamic_headers")),
            lambda: merge_params(
                given.record("query_params"), given.record("dynamic_query_params")
            ),
            lambda: make_payload(
                given.text("method"), given.text("body_type"), given.inputs.get("body")
            ),
        )
    )


class HttpRequest:
    """Sends one HTTP request and gives back the answer."""

    spec = NodeSpec(
        type="ACTION",
        subtype="HTTP_REQUEST",
        summary="Send an HTTP request to an API or web page and give its answer.",
        # The method may be known only at run time, so every call counts as one that changes things.
        effect="once",
        configurations=(
            Field(
                "method",
                "string",
                "Method of the request; GET and HEAD send no body.",
                "GET",
                required=True,
                options=("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"),
            ),
            Field(
                "url",
                "string",
                "Whole address, http or https: https://api.example.com/users/{{ user_id }}.",
                required=True,
            ),
            Field(
                "headers",
                "object",
                'Headers by name; secrets as vault references: {"Accept": "application/json"}.',
                {},
            ),
            Field(
                "query_params",
                "object",
                'Added after the question mark, a list repeats the name: {"page": 2, "tag": '
                '["a", "b"]}.',
                {},
            ),
            Field(
                "body_type",
                "string",
                "How the body is sent: JSON, form fields, text as it is, or not at all.",
                "json",
                options=("json", "form", "raw", "none"),
            ),
            Field(
                "follow_redirects", "boolean", "Whether an answer that points on is followed.", True
            ),
            Field(
                "max_redirects",
                "integer",
                "Redirects followed before it fails.",
                5,
                minimum=0,
                maximum=20,
                used_when=("follow_redirects", "true"),
            ),
        ),
        inputs=(
            Field(
                "body",
                "any",
                'What is sent: any value for json, fields for form; for raw a text, or {"text": '
                '"<a/>", "content_type": "text/xml"}.',
            ),
            Field(
                "url_variables",
                "object",
                'Values for {{ name }} in the url, percent-encoded: {"user_id": "42"}.',
            ),
            Field("dynamic_headers", "object", "More headers; they win over the configured ones."),
            Field(
                "dynamic_query_params",
                "object",
                "More query values; they win over the configured ones.",
            ),
        ),
        outputs=(
            Field("status_code", "integer", "Status of the answer: 200."),
            Field("headers", "object", "Headers of the answer, names in lower case."),
            Field("body", "string", "Body of the answer as text."),
            Field("json", "any", "Body parsed, when it is JSON."),
            Field("success", "boolean", "Whether the status is 200 to 299."),
            Field("error_message", "string", "Why it failed; empty on success."),
            Field("response_time", "float", "Seconds until the answer was there."),
            Field("url", "string", "Address that answered, after redirects."),
            Field("redirects", "array", "Addresses passed on the way.", items="string"),
        ),
        tags=("action", "http", "api"),
        keywords=(
            *("http", "api", "rest", "request", "fetch", "curl"),
            *("call", "get", "post", "url", "download", "web"),
        ),
        guidance=(
            "An answer with an error status is no failure of the node: check success or "
            "status_code with FLOW.IF. Private and local addresses are refused unless allowed."
        ),
        checks=(check_request,),
        examples=(
            Example(
                "Read a user",
                "Gets one user from a REST API.",
                {
                    "method": "GET",
                    "url": "https://api.example.com/users/{{ user_id }}",
                    "headers": {"Authorization": "Bearer ${vault:api-token}"},
                },
                {"url_variables": {"user_id": "42"}},
            ),
            Example(
                "Send an order",
                "Posts JSON; it is never sent twice without asking.",
                {
                    "method": "POST",
                    "url": "https://api.example.com/orders",
                    "body_type": "json",
                    "retry_attempts": 0,
                },
                {"body": {"sku": "A-100", "quantity": 2}},
            ),
            Example(
                "Is it alive",
                "Requests a health address with a short timeout.",
                {
                    "method": "HEAD",
                    "url": "https://status.example.com/health",
                    "body_type": "none",
                    "follow_redirects": False,
                    "timeout": 10,
                    "retry_attempts": 1,
                },
            ),
            Example(
                "Form with more query values",
                "Sends form fields and sets the page at run time.",
                {
                    "method": "POST",
                    "url": "https://example.com/search",
                    "query_params": {"lang": "en"},
                    "body_type": "form",
                },
                {"body": {"q": "toolweave"}, "dynamic_query_params": {"page": 2}},
            ),
        ),
    )

    def effect_of(self, config: JsonObject) -> Effect:
        """Whether it may be sent again: by its method, or because the author gave it a key."""
        headers = config.get("headers")
        if isinstance(headers, dict) and names_a_key(headers):
            return "keyed"
        return "keyed" if config.get("method", "GET") in IDEMPOTENT_METHODS else "once"

    async def run(self, context: NodeContext) -> Outcome:
        """Send the request; an answer with an error status is an outcome too."""
        given = context.given
        check_url(given.text("url"), "url")
        method = given.text("method")
        headers = merge_headers(given.record("headers"), given.record("dynamic_headers"))
        payload = make_payload(method, given.text("body_type"), given.inputs.get("body"))
        if payload.content_type is not None:
            headers.setdefault("content-type", payload.content_type)
        address = fill_url(given.text("url"), given.record("url_variables"))
        params = merge_params(given.record("query_params"), given.record("dynamic_query_params"))
        client = context.resources.http
        response = await client.request(
            method,
            address,
            headers=headers,
            params=params,
            body=payload.body,
            follow=given.flag("follow_redirects"),
            max_redirects=given.whole("max_redirects"),
            timeout_s=given.number("timeout"),
            idempotency_key=None if method in SAFE_METHODS else context.key,
        )
        if len(response.body) > _AT_ONCE_BYTES:
            return Outcome(await to_thread.run_sync(_shown, response))
        return Outcome(_shown(response))


def _shown(response: Response) -> JsonObject:
    is_success = 200 <= response.status < 300
    text = _decoded(response)
    return {
        "status_code": response.status,
        "headers": dict(response.headers),
        "body": text,
        "json": _parsed(text, response.headers.get("content-type", "")),
        "success": is_success,
        "error_message": "" if is_success else _reason(response.status),
        "response_time": round(response.took_ms / 1000, 6),
        "url": response.url,
        "redirects": list(response.redirects),
    }


def _decoded(response: Response) -> str:
    _, _, told = response.headers.get("content-type", "").lower().partition("charset=")
    charset = told.partition(";")[0].strip(" \"'")
    try:
        text = response.body.decode(charset if _CHARSET.fullmatch(charset) else "utf-8", "replace")
        text.encode()
    except (LookupError, UnicodeError):  # no such part of ISO 8859, or halves of characters
        text = response.body.decode("utf-8", "replace")
    return text


def _parsed(text: str, content_type: str) -> Json:
    """The value in a body; nothing where it is no JSON, whatever it calls itself."""
    if "json" not in content_type.lower() and text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json_text.read(text)
    except Invalid:
        return None


def _reason(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


node = HttpRequest()
