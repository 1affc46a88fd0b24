"""Webhooks that accept calls without proof, so that anybody can start or continue runs."""

from collections.abc import Callable, Iterator

from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import JsonObject
from toolweave.problems import Problem
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.modes import object_at

# What to configure, if the node accepts calls without proof.
Advice = Callable[[JsonObject], str | None]


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield warnings: calls without proof are allowed but rarely intended."""
    for facts, spec, advice in node_table(case).having(_advice):
        if (hint := advice(facts.settings)) is not None:
            effect = "continue" if spec.ref == "FLOW.WAIT" else "start"
            yield Problem(
                "HOOK_UNSIGNED",
                f"{facts.place}/configurations",
                f"node {facts.node.id!r} accepts calls without proof: anyone who knows its address"
                f" can {effect} runs",
                hint=hint,
                severity="warning",
            )


def _advice(spec: NodeSpec) -> Advice | None:
    return _ADVICE.get(spec.ref)


def _of_github(config: JsonObject) -> str | None:
    if config.get("webhook_secret"):
        return None
    return "set webhook_secret to ${vault:NAME} and configure the same secret at the sender"


def _of_webhook(config: JsonObject) -> str | None:
    if config.get("authentication", "none") != "none":
        return None
    return "set authentication to header_token or signature, and auth_token to ${vault:NAME}"


def _of_wait(config: JsonObject) -> str | None:
    call = object_at(config, "webhook_config")
    is_open = call.get("authentication_required") is False and not call.get("auth_token")
    if config.get("wait_type") != "webhook" or not is_open:
        return None
    return "remove authentication_required, and set webhook_config.auth_token to ${vault:NAME}"


_ADVICE: dict[str, Advice] = {
    "TRIGGER.GITHUB": _of_github,
    "TRIGGER.WEBHOOK": _of_webhook,
    "FLOW.WAIT": _of_wait,
}
