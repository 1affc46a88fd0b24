"""`toolweave inbox`: list and answer the questions of runs."""

from collections.abc import Sequence
from getpass import getuser

import click

from toolweave import json_text
from toolweave.cli.answer_commands import answer_commands
from toolweave.cli.lazy import HelpfulGroup
from toolweave.cli.runs.control import SETTLE_S
from toolweave.cli.runs.opening import with_engine
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.engine.engine import Engine
from toolweave.engine.open_questions import OpenQuestion
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.people.inbox import Inbox
from toolweave.people.question_json import InboxQuestion
from toolweave.servers.registry import Notice
from toolweave.tools.coerce import coerce_arguments
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.question import ANSWER, CONFIRMED, DECLINED, REJECTED, Question

VIA = "cli"
SHOWN_NOTICES = 20


@click.group(cls=HelpfulGroup)
def inbox() -> None:
    """List and answer the questions of runs.

    A QUESTION is an id; `show` also takes the beginning of one.
    """


@inbox.command("list")
@click.option("--for", "who", metavar="NAME", help="Only questions this person may answer.")
@json_option
def list_questions(who: str | None, as_json: bool) -> None:
    """List unanswered questions, oldest first."""
    found = run(with_engine(lambda engine: Inbox(engine).list(who=who)))
    if as_json:
        print_json([InboxQuestion.of(question).as_json() for question in found])
    elif found:
        print_table(
            ("question", "asked", "workflow", "who", "until"),
            [
                (f"{one.id}  {_heading(one.question)}", one.asked_at, one.workflow, *_for(one))
                for one in found
            ],
        )
    else:
        say("No open questions.")


@inbox.command("notices")
@json_option
def list_notices(as_json: bool) -> None:
    """List what happened in this home, such as servers disabled after failures, newest first."""

    async def work() -> Sequence[Notice]:
        async with current_home() as home:
            return await home.registry.notices(SHOWN_NOTICES)

    found = run(work)
    if as_json:
        print_json([notice.as_json() for notice in found])
    elif found:
        print_table(("at", "notice"), [(notice.at, notice.message) for notice in found])
    else:
        say("No notices.")


@inbox.command()
@click.argument("question", metavar="QUESTION")
@json_option
def show(question: str, as_json: bool) -> None:
    """Show a question and how to answer it."""
    found = run(with_engine(lambda engine: Inbox(engine).show(question)))
    if as_json:
        print_json(InboxQuestion.of(found).as_json())
        return
    asked = found.question
    say((_heading(asked), "bold"), f"  {found.id}")
    if asked.text != asked.title:
        say(asked.text, indent=2)
    if asked.content is not None:
        say(json_text.write(asked.content, pretty=True), indent=2)
    say(f"Asked {found.asked_at} by {found.workflow!r}, run {found.run}, through {asked.channel}.")
    if asked.people:
        say(f"For {', '.join(asked.people)}.")
    say(
        f"Closed {found.closed_at}."
        if found.closed_at
        else f"Open until {asked.due or 'answered'}."
    )
    for line in answer_commands(found.question, found.id):
        say(line, indent=2)


@inbox.command()
@click.argument("question", metavar="QUESTION")
@click.option("--reply", metavar="VALUE", help="The answer, as JSON or plain text.")
@click.option("--set", "fields", multiple=True, metavar="NAME=VALUE", help="Set a field of a form.")
@click.option("--approve", "verdict", flag_value=CONFIRMED, help="Agree.")
@click.option("--decline", "verdict", flag_value=REJECTED, help="Decline the question.")
@click.option("--as", "who", metavar="NAME", help="Answer as this person; default: your user name.")
@json_option
def answer(
    question: str,
    reply: str | None,
    fields: tuple[str, ...],
    verdict: str | None,
    who: str | None,
    as_json: bool,
) -> None:
    """Answer a question."""
    if sum((reply is not None, bool(fields), verdict is not None)) != 1:
        raise click.UsageError("give one of --reply, --set, --approve or --decline")

    async def work(engine: Engine) -> JsonObject:
        inbox = Inbox(engine)
        found = await inbox.questions.get(question)
        told = _reply(found.question, reply, fields, verdict)
        taken = await inbox.answer(found.id, told, who=who or getuser(), via=VIA, resume=False)
        status = await engine.runs.settle(found.run, SETTLE_S)
        told_back: JsonObject = {"id": found.id, "run": found.run, "counts": taken.counts}
        return {**told_back, "why": taken.why, "status": status}

    done = run(with_engine(work))
    if as_json:
        print_json(done)
    elif done["counts"]:
        say(f"Answer recorded. The run is {done['status']}.")
    else:
        say(f"Recorded, but it does not count: {done['why']}. --as NAME answers as someone else.")


def _reply(
    asked: Question, reply: str | None, fields: tuple[str, ...], verdict: str | None
) -> Json:
    if verdict is not None:
        return {ANSWER: verdict} if asked.kind == "approval" else _verdict(asked, verdict)
    if reply is not None:
        return _value(reply)
    form = read_tool("inbox", {"name": "answer", "inputSchema": asked.schema})
    arguments, problems = coerce_arguments(form, fields)
    if problems:
        told = "; ".join(problem.message for problem in problems)
        raise Invalid("ANSWER_INVALID", f"the answer is invalid: {told}", problems=problems)
    return arguments


def _verdict(asked: Question, verdict: str) -> Json:
    if verdict == REJECTED and asked.kind != "review":
        return DECLINED
    if "pass" in asked.options:
        return {"verdict": "pass" if verdict == CONFIRMED else "fail"}
    raise click.UsageError("this question needs more than yes or no; use --set or --reply")


def _heading(asked: Question) -> str:
    return (asked.title or asked.text).partition("\n")[0][:60]


def _for(found: OpenQuestion) -> tuple[str, str]:
    return ", ".join(found.question.people) or "anybody", found.question.due or ""


def _value(text: str) -> Json:
    try:
        return json_text.read(text)
    except Invalid:
        return text
