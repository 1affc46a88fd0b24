"""An approval asked by message: the question, its one reminder and how replies to it are read."""

from toolweave.catalog.node import NodeInput
from toolweave.nodes.human._question import Messenger, QuestionNode, content_of, reminder
from toolweave.nodes.human._reply_meaning import Advice
from toolweave.workflow.question import Channel, Question, approval_schema

REMINDER = "Reminder: this still waits for an answer."


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
    """What a node of a channel asks; `text`, `people` and `prompt` name its configurations."""
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
