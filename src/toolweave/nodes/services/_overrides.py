"""Settings of an action that its input `data` may override, and its retries."""

from dataclasses import dataclass

from toolweave.catalog.node import NodeContext
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.spec import Field, NodeSpec
from toolweave.errors import Denied
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._client import MAX_WAITS, waits_before

LONGEST_DELAY_S = 600.0
RETRY_CONFIG = Field(
    "retry_config",
    "object",
    "Tries after a failure: max_retries, retry_delay in seconds, exponential_backoff.",
    {"max_retries": 3, "retry_delay": 1, "exponential_backoff": True},
    members="{max_retries: integer 0..100, retry_delay: number 0..600, "
    "exponential_backoff: boolean}",
)


def settings_of(context: NodeContext, spec: NodeSpec) -> JsonObject:
    """Return the settings, overridden by `data`; a secret is never taken from data."""
    given = context.given
    data = given.record("data")
    secret = {field.name for field in spec.configurations if field.sensitive} & data.keys()
    if secret:
        raise refused_at(
            ("data", min(secret)),
            "NODE_INPUT_INVALID",
            f"data holds {min(secret)!r}, which is a secret and only a setting",
            hint="write it into the node's configuration, as ${vault:NAME}",
        )
    action = given.text("action_type")
    found = {name: value for name, value in data.items() if value is not None}
    return {**given.config, **found, "action_type": action}


@dataclass(frozen=True, slots=True)
class ServiceRetry:
    """How often to wait for a rate limit, and the shortest wait."""

    most: int = MAX_WAITS
    least_s: float = 0.0


def retry_limits(context: NodeContext, values: JsonObject) -> ServiceRetry:
    """Return what `retry_config` says: max_retries, retry_delay, exponential_backoff."""
    config = values.get("retry_config")
    if not isinstance(config, dict):
        return ServiceRetry()
    most, delay = config.get("max_retries"), config.get("retry_delay")
    least_s = float(delay) if isinstance(delay, int | float) else 0.0
    if config.get("exponential_backoff"):
        least_s *= 2 ** waits_before(context)
    count = int(most) if isinstance(most, int | float) else MAX_WAITS
    return ServiceRetry(max(count, 0), min(max(least_s, 0.0), LONGEST_DELAY_S))


def unwaited(message: str) -> Denied:
    """Return the error for a rate limit that the node is configured not to wait for."""
    return Denied(
        "SERVICE_LIMITED", message, hint="set rate_limit_handling to true to wait instead"
    )


def record(value: Json) -> JsonObject:
    """Return the object; an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def objects(value: Json) -> list[JsonObject]:
    """Return the objects in a list, or the single object as a list."""
    listed = value if isinstance(value, list) else [value]
    return [one for one in listed if isinstance(one, dict)]
