"""HUMAN_IN_THE_LOOP.MANUAL_REVIEW: let named people judge something by criteria."""

from toolweave.catalog.node import NodeContext, NodeInput, Outcome, Wait
from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.nodes.human._question import Nudge, QuestionNode, ask, content_of
from toolweave.nodes.human._reply import ANALYSIS_MODEL, GUIDANCE, INPUTS, OUTPUTS, PORTS
from toolweave.nodes.human._reply_meaning import Advice
from toolweave.nodes.human._review_rules import Review, review_of
from toolweave.workflow.question import Question

REVIEWS = terms(
    "quality_assurance, security_review, compliance_check, code_review, content_moderation, "
    "financial_audit, legal_review, medical_review, safety_inspection"
)


class ManualReview:
    """Opens a review for its reviewers and leaves by the port their verdict means."""

    spec = NodeSpec(
        type="HUMAN_IN_THE_LOOP",
        subtype="MANUAL_REVIEW",
        summary="Have named reviewers judge something by criteria, and go on by their verdict.",
        # The review is filed under run and node, so filing it again finds the same one.
        effect="keyed",
        configurations=(
            Field(
                "review_type",
                "string",
                "What kind of review it is.",
                "quality_assurance",
                required=True,
                options=REVIEWS,
            ),
            Field(
                "review_title",
                "string",
                "Heading the reviewers see: Release {{ content.version }}.",
                required=True,
            ),
            Field(
                "review_description",
                "string",
                "What is to be judged and how, in Markdown.",
                required=True,
                multiline=True,
            ),
            Field(
                "reviewers",
                "array",
                "Names or addresses of those who may judge: [ada@example.com].",
                required=True,
                items="string",
            ),
            Field(
                "reviewer_roles", "array", "Roles they judge in: [security].", [], items="string"
            ),
            Field(
                "review_criteria",
                "array",
                "Points to check, one each: [Tests pass, No secrets in the code].",
                required=True,
                items="string",
            ),
            Field(
                "scoring_system",
                "string",
                "How the verdict is given.",
                "pass_fail",
                options=("pass_fail", "numeric_scale", "letter_grade", "checklist", "custom"),
            ),
            Field(
                "score_range",
                "object",
                "Ends of a numeric scale.",
                {"min": 1, "max": 5},
                used_when=("scoring_system", "numeric_scale"),
                members="{min: number, max: number}",
            ),
            Field("passing_threshold", "float", "Least score that confirms, on that scale.", 3.0),
            Field(
                "review_deadline",
                "integer",
                "Seconds until it times out, from an hour to 30 days.",
                86_400,
                minimum=3600,
                maximum=2_592_000,
            ),
            ANALYSIS_MODEL,
            Field(
                "require_evidence", "boolean", "Ask for a reason or a link with the verdict.", True
            ),
            Field("allow_delegation", "boolean", "Let a reviewer hand it to someone else.", False),
            Field(
                "consensus_required",
                "boolean",
                "Wait for all reviewers and confirm only if they agree.",
                False,
            ),
            Field(
                "escalation_rules",
                "object",
                "Whom to notify when it takes long: enable_escalation, escalation_after_hours, "
                "escalation_recipients.",
                {
                    "enable_escalation": True,
                    "escalation_after_hours": 24,
                    "escalation_recipients": [],
                },
                members="{enable_escalation: boolean, escalation_after_hours: number, "
                "escalation_recipients: [string], reminder_after_hours: number}",
            ),
        ),
        inputs=INPUTS,
        outputs=OUTPUTS,
        output_ports=PORTS,
        tags=("human", "approval", "review", "quality"),
        keywords=terms(
            "review, approve, approval, audit, human, inspect, moderate, quality, compliance, "
            "sign-off, checklist"
        ),
        guidance=GUIDANCE,
        checks=(review_of,),
        examples=(
            Example(
                "Review a pull request",
                "Two developers tick off a list.",
                {
                    "review_type": "code_review",
                    "review_title": "Review of #{{ content.number }}",
                    "review_description": "Please read the change at {{ content.url }}.",
                    "reviewers": ["ada@example.com", "grace@example.com"],
                    "reviewer_roles": ["maintainer"],
                    "review_criteria": ["Tests cover it", "Names are clear", "No secrets in it"],
                    "scoring_system": "checklist",
                },
                {"content": {"number": 118, "url": "https://github.com/acme/shop/pull/118"}},
                port="confirmed",
            ),
            Example(
                "Moderate a post",
                "All moderators must agree within an hour.",
                {
                    "review_type": "content_moderation",
                    "review_title": "Reported post",
                    "review_description": "Does this break a rule?\n\n> {{ content.text }}",
                    "reviewers": ["mod-1", "mod-2"],
                    "review_criteria": ["No insults", "No advertising"],
                    "consensus_required": True,
                    "require_evidence": False,
                    "review_deadline": 3600,
                },
                {"content": {"text": "Cheap watches at ...", "reason": "spam"}},
                port="rejected",
            ),
            Example(
                "Audit a quarter",
                "A score of 8 of 10 is needed; after two days the director is notified.",
                {
                    "review_type": "financial_audit",
                    "review_title": "Accounts of {{ content.quarter }}",
                    "review_description": "Check the attached accounts against the receipts.",
                    "reviewers": ["auditor@example.com"],
                    "review_criteria": ["Sums are right", "Every entry has a receipt"],
                    "scoring_system": "numeric_scale",
                    "score_range": {"min": 1, "max": 10},
                    "passing_threshold": 8.0,
                    "review_deadline": 259_200,
                    "escalation_rules": {
                        "enable_escalation": True,
                        "escalation_after_hours": 48,
                        "escalation_recipients": ["director@example.com"],
                    },
                },
                {"content": {"quarter": "2026 Q1"}, "user_mention": "auditor@example.com"},
                port="timeout",
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """The verdict of the reviewers, by the port of what it means."""
        given = context.given
        review = review_of(given)
        question = Question(
            kind="review",
            title=given.text("review_title"),
            text=_text(given, review),
            schema=review.schema(),
            options=review.options,
            people=tuple(map(str, given.listing("reviewers"))),
            needs_all=review.needs_all,
            content=content_of(given),
        )
        wait_s = float(given.whole("review_deadline"))
        asking = QuestionNode(
            question,
            wait_s,
            nudges=_nudges(given, wait_s),
            advice=Advice(given.text("ai_analysis_model")),
            judge=review.judge,
        )
        return await ask(context, asking)


def _text(given: NodeInput, review: Review) -> str:
    lines = [given.text("review_description"), ""]
    lines += [f"- {criterion}" for criterion in review.criteria]
    roles = ", ".join(map(str, given.listing("reviewer_roles")))
    kind = given.text("review_type").replace("_", " ")
    lines += ["", f"Kind of review: {kind}."]
    if roles:
        lines.append(f"You judge as: {roles}.")
    if mention := given.text("user_mention"):
        lines.insert(0, mention)
    return "\n".join(lines).strip()


def _nudges(given: NodeInput, wait_s: float) -> tuple[Nudge, ...]:
    rules = given.record("escalation_rules")
    title = given.text("review_title")
    found: list[Nudge] = []
    if isinstance(hours := rules.get("reminder_after_hours"), int | float):
        found.append(Nudge(hours * 3600.0, f"Reminder: {title}"))
    after, people = rules.get("escalation_after_hours", 24), rules.get("escalation_recipients")
    if rules.get("enable_escalation") is True and isinstance(people, list) and people:
        hours = float(after) if isinstance(after, int | float) else 24.0
        found.append(Nudge(hours * 3600.0, f"Nobody has judged: {title}", tuple(map(str, people))))
    return tuple(sorted((n for n in found if n.after_s < wait_s), key=lambda one: one.after_s))


node = ManualReview()
