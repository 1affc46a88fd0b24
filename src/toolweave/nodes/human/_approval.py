"""Nodes that ask for an approval by message: their specification, question and one reminder."""

from collections.abc import Callable
from dataclasses import dataclass

from toolweave.catalog.node import NodeContext, NodeInput, Outcome, Wait
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.nodes.human._question import Messenger, QuestionNode, ask, content_of, reminder
from toolweave.nodes.human._reply import GUIDANCE, INPUTS, OUTPUTS, PORTS
from toolweave.nodes.human._reply_meaning import Advice
from toolweave.workflow.question import Channel, Question, approval_schema

REMINDER = "Reminder: this still waits for an answer."


@dataclass(frozen=True, slots=True)
class ApprovalNode:
    """A node that sends a question and continues by the port that matches the reply."""

    spec: NodeSpec
    question: Callable[[NodeInput], QuestionNode]

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """Ask, and continue by the port that matches the reply."""
        return await ask(context, self.question(context.given))


def approval_spec(
    subtype: str,
    summary: str,
    configurations: tuple[Field, ...],
    *,
    tags: tuple[str, ...],
    keywords: tuple[str, ...],
    examples: tuple[Example, ...],
    guidance: str = GUIDANCE,
) -> NodeSpec:
    """Return the specification of a node that asks in one channel."""
    return NodeSpec(
        "HUMAN_IN_THE_LOOP",
        subtype,
        summary,
        "once",
        configurations,
        INPUTS,
        OUTPUTS,
        output_ports=PORTS,
        tags=("human", "approval", *tags),
        keywords=("approve", "approval", "ask", "confirm", "human", *keywords),
        guidance=guidance,
        examples=examples,
    )


def approving(
    given: NodeInput,
    channel: Channel,
    messenger: Messenger,
    *,
    text: str = "message_template",
    title: str = "",
    people: str | None = None,
    wait_s: float | None = None,
    prompt: str | None = "response_analysis_prompt",
) -> QuestionNode:
    """Return the question of a node; `text`, `people` and `prompt` name its configurations."""
    question = Question(
        kind="approval",
        title=title,
        text=given.text(text),
        schema=approval_schema(),
        options=("Approve", "Decline"),
        channel=channel,
        people=tuple(map(str, given.listing(people))) if people else (),
        content=content_of(given),
    )
    if wait_s is None:
        wait_s = float(given.whole("response_timeout"))
    again = given.record("confirmation_messages").get("reminder", REMINDER)
    advice = Advice(given.text("ai_analysis_model"), given.text(prompt) if prompt else "")
    return QuestionNode(
        question, wait_s, messenger, nudges=reminder(wait_s, str(again or "")), advice=advice
    )
