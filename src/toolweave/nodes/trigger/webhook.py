"""TRIGGER.WEBHOOK: start when an HTTP request comes in."""

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import JsonObject
from toolweave.nodes.trigger._delivery import Accepted, Delivery, Refused, secret_missing, texts
from toolweave.nodes.trigger._outputs import inputs_of, started

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def check_token(given: NodeInput) -> None:
    """Whether callers can prove themselves. Raises `HOOK_SECRET_MISSING`."""
    if given.text("authentication") != "none" and not given.text("auth_token"):
        raise secret_missing("auth_token")


class Webhook:
    """Starts a run for each accepted request to a path of its own."""

    spec = NodeSpec(
        type="TRIGGER",
        subtype="WEBHOOK",
        summary="Start the workflow when another system sends an HTTP request.",
        effect="keyed",
        configurations=(
            Field(
                "webhook_path",
                "string",
                "Path that is listened on, unique among workflows: /orders/new.",
                required=True,
                pattern=r"^/[A-Za-z0-9._~/-]*$",
            ),
            Field(
                "allowed_methods",
                "array",
                "Methods that start a run; others are answered with 405.",
                ["POST"],
                options=METHODS,
                items="string",
            ),
            Field(
                "authentication",
                "string",
                "How a caller proves itself: a bearer token in a header, a token in the query, "
                "or an HMAC-SHA256 signature of the body.",
                "none",
                options=("none", "header_token", "query_param", "signature"),
            ),
            Field(
                "auth_token",
                "string",
                "The token or signing key, as a vault reference; needed unless authentication "
                "is none.",
                sensitive=True,
                used_when=("authentication", "header_token", "query_param", "signature"),
            ),
            Field(
                "response_format",
                "string",
                "Form of the answer the caller gets.",
                "json",
                options=("json", "text", "html"),
            ),
        ),
        outputs=(
            Field("headers", "object", "Request headers, names in lower case."),
            Field("body", "any", "Parsed JSON or form body; any other body as text."),
            Field("query_params", "object", "Values after the question mark of the URL."),
            Field("method", "string", "Method of the request.", options=METHODS),
            Field("path", "string", "Path that was called."),
            Field("timestamp", "string", "When it arrived: 2026-03-02T09:30:00Z."),
            Field("client_ip", "string", "Address of the caller: 203.0.113.7."),
        ),
        input_ports=(),
        tags=("trigger", "webhook", "http"),
        keywords=(
            *("webhook", "http", "callback", "endpoint", "url"),
            *("post", "incoming", "receive", "request", "api", "event"),
        ),
        checks=(check_token,),
        examples=(
            Example(
                "Orders from the shop",
                "The shop signs every new order it sends.",
                {
                    "webhook_path": "/orders/new",
                    "allowed_methods": ["POST"],
                    "authentication": "signature",
                    "auth_token": "${vault:shop-signing-key}",
                },
            ),
            Example(
                "Status link",
                "A dashboard asks with a token in the query and gets text.",
                {
                    "webhook_path": "/status/refresh",
                    "allowed_methods": ["GET", "POST"],
                    "authentication": "query_param",
                    "auth_token": "${vault:dashboard-token}",
                    "response_format": "text",
                },
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The request; what somebody starts it with by hand is taken for its body."""
        inputs = inputs_of(given)
        names = {output.name for output in self.spec.outputs}
        by_hand = {name: value for name, value in inputs.items() if name not in names}
        run = given.names.get("run")
        known: JsonObject = {
            "body": by_hand or None,
            "method": "POST",
            "path": given.text("webhook_path"),
            "timestamp": run.get("started_at") if isinstance(run, dict) else None,
        }
        return Outcome(started(self.spec, given, known))


def accepts(config: JsonObject, delivery: Delivery) -> Accepted:
    """The outputs for a request that was proven; any method but the allowed ones is refused."""
    if delivery.method not in texts(config.get("allowed_methods")):
        return Refused(f"method {delivery.method} is not allowed here")
    return {
        "headers": dict(delivery.headers),
        "body": delivery.body,
        "query_params": dict(delivery.query),
        "method": delivery.method,
        "path": delivery.path,
        "timestamp": delivery.received_at,
        "client_ip": delivery.client_ip,
    }


node = Webhook()
