"""Settings of an action that its input `data` may override, and how it is tried again."""

from dataclasses import dataclass

from toolweave.catalog.node import NodeContext
from toolweave.catalog.spec import NodeSpec
from toolweave.errors import Denied, Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._client import MAX_WAITS, waits_before

LONGEST_DELAY_S = 600.0


def settings_of(context: NodeContext, spec: NodeSpec) -> JsonObject:
    """Every setting, with what `data` says instead; a secret is never taken from data."""
    given = context.given
    data = given.record("data")
    secret = {field.name for field in spec.configurations if field.sensitive} & data.keys()
    if secret:
        raise Invalid(
            "NODE_INPUT_INVALID",
            f"data holds {min(secret)!r}, which is a secret and only a setting",
            hint="write it into the node's configuration, as ${vault:NAME}",
        )
    action = given.text("action_type")
    found = {name: value for name, value in data.items() if value is not None}
    return {**given.config, **found, "action_type": action}


@dataclass(frozen=True, slots=True)
class ServiceRetry:
    """How often a limit is waited for, and how long at least."""

    most: int = MAX_WAITS
    least_s: float = 0.0


def patience(context: NodeContext, values: JsonObject) -> ServiceRetry:
    """What `retry_config` says: max_retries, retry_delay, exponential_backoff."""
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
    """A limit that shall not be waited for."""
    return Denied(
        "SERVICE_LIMITED", message, hint="switch rate_limit_handling on to wait and go on"
    )


def record(value: Json) -> JsonObject:
    """An object; empty where it is none."""
    return value if isinstance(value, dict) else {}


def objects(value: Json) -> list[JsonObject]:
    """The objects in a list, or the one object."""
    listed = value if isinstance(value, list) else [value]
    return [one for one in listed if isinstance(one, dict)]
