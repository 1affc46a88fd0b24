"""What a target calls its own tools, and where it keeps its files."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TargetTerms:
    """The words of one coding agent; None where it has no such thing."""

    agent: str
    terminal: str
    ask_user: str | None = None
    sub_agent: str | None = None
    # The folder of agent definitions.
    agents: str | None = None
    skill: str | None = None
    # What its agent files can say beside a name and a description.
    agent_fields: frozenset[str] = frozenset()
    # The editor's options that an entry's frontmatter supports.
    options: frozenset[str] = frozenset()
    # What it calls a tool of an MCP server, in front of both names.
    tool_prefix: str | None = None
    # Whether it takes `\$1` in a skill or command for `$1` instead of an argument.
    escapes_arguments: bool = False

    @property
    def asking(self) -> str:
        """Return how the agent asks the user a question."""
        if self.ask_user is None:
            return "ask in the conversation and wait for the answer"
        return f"use the `{self.ask_user}` tool"


ALL_OPTIONS = frozenset(
    {"allowedTools", "model", "context", "disableModelInvocation", "argumentHint", "hooks"}
)

CLAUDE = TargetTerms(
    agent="Claude Code",
    terminal="Bash",
    ask_user="AskUserQuestion",
    sub_agent="Agent",
    agents=".claude/agents",
    agent_fields=frozenset({"tools", "model", "color", "memory"}),
    skill="Skill",
    options=ALL_OPTIONS,
    tool_prefix="mcp__",
    escapes_arguments=True,
)
COPILOT = TargetTerms(
    agent="GitHub Copilot",
    terminal="runInTerminal",
    ask_user="askQuestions",
    sub_agent="runSubagent",
)
COPILOT_PROMPT = TargetTerms(
    agent="GitHub Copilot",
    terminal="runInTerminal",
    ask_user="askQuestions",
    sub_agent="runSubagent",
    options=frozenset({"argumentHint"}),
)
CODEX = TargetTerms(agent="Codex CLI", terminal="shell", ask_user="request_user_input")
GEMINI = TargetTerms(
    agent="Gemini CLI", terminal="run_shell_command", ask_user="ask_user", skill="activate_skill"
)
ROO = TargetTerms(
    agent="Roo Code",
    terminal="execute_command",
    ask_user="ask_followup_question",
    sub_agent="new_task",
)
ANTIGRAVITY = TargetTerms(agent="Antigravity", terminal="run_command")
CURSOR = TargetTerms(
    agent="Cursor",
    terminal="Shell",
    ask_user="AskQuestion",
    sub_agent="Task",
    agents=".cursor/agents",
    agent_fields=frozenset({"model"}),
)
