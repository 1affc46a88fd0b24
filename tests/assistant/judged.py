"""Intents in plain words over real tool schemas, the call each means, and wrong answers on the way.

Each wrong answer is one a model really gives: a misspelt name, a number as text, a missing field.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Intent:
    """What somebody says, and the call that is meant; `wrong` are earlier arguments, refused."""

    tool: str
    words: str
    arguments: dict[str, Any]
    wrong: tuple[Any, ...] = ()


def _intent(tool: str, words: str, *wrong: Any, **arguments: Any) -> Intent:
    return Intent(tool, words, arguments, wrong)


REPO = {"owner": "ada", "repo": "engine"}

INTENTS: tuple[Intent, ...] = (
    _intent("echo", "Send back the word hello.", text="hello"),
    _intent("echo", "Repeat after me: a < b", {"message": "a < b"}, text="a < b"),
    _intent("greet", "Greet Grace in English.", name="Grace"),
    _intent("greet", "Greet Jürgen in German.", name="Jürgen", language="de"),
    _intent("greet", "Say hello to Aiko in Japanese.", {"name": "Aiko", "language": "Japanese"},
            name="Aiko", language="ja"),
    _intent("greet", "Greet the French team.", {"language": "fr"}, {"name": "", "language": "fr"},
            name="team", language="fr"),
    _intent("word_count", "Count the words of this sentence.", text="this sentence"),
    _intent("word_count", "The five most frequent words, please.", {"text": "a b", "top": "5"},
            text="a b", top=5),
    _intent("word_count", "Top 500 words.", {"text": "x", "top": 500}, text="x", top=100),
    _intent("fail", "Fail with 'not today'.", message="not today"),
    _intent("add", "What is 2 plus 40?", a=2, b=40),
    _intent("add", "Add minus three and one half.", {"a": "-3", "b": "0.5"}, a=-3, b=0.5),
    _intent("add", "Sum 1 and 2 and nothing else.", {"a": 1, "b": 2, "c": 0}, a=1, b=2),
    _intent("summarize_numbers", "Statistics of 3, 1 and 2.", numbers=[3, 1, 2]),
    _intent("summarize_numbers", "Summarise one, two.", {"numbers": "1, 2"}, numbers=[1, 2]),
    _intent("summarize_numbers", "Summarise 7.", {"numbers": []}, {"numbers": 7}, numbers=[7]),
    _intent("weather", "Weather in Oslo.", city="Oslo"),
    _intent("weather", "Oslo, the next two weeks.", {"city": "Oslo", "days": "two weeks"},
            city="Oslo", days=14),
    _intent("weather", "Rome for a month.", {"city": "Rome", "days": 30}, city="Rome", days=14),
    _intent("draw", "A red square of 10 pixels.", {"color": "red", "width": 10, "height": 10},
            color="#ff0000", width=10, height=10),
    _intent("draw", "A blue ellipse.", color="#0000ff", shape="ellipse"),
    _intent("draw", "A circle.", {"shape": "circle"}, shape="ellipse"),
    _intent("countdown", "Count down from 3 without pauses.", start=3, step_delay_s=0),
    _intent("slow", "Wait half a second.", seconds=0.5),
    _intent("remember", "Remember that the door code is 42.", key="door code", value="42"),
    _intent("remember", "Keep 7 under lucky.", {"key": "lucky", "value": 7},
            key="lucky", value="7"),
    _intent("recall", "What was the door code?", key="door code"),
    _intent("counter", "Count one more visitor.", name="visitor"),
    _intent("read_text_file", "The last 20 lines of app.log.", path="app.log", tail=20),
    _intent("read_text_file", "First line of README.", {"path": "README", "head": "1"},
            path="README", head=1),
    _intent("write_file", "Write 'done' to out.txt.", path="out.txt", content="done"),
    _intent("list_directory", "What is in src?", {"dir": "src"}, path="src"),
    _intent("search_files", "Find all Python files but tests.", path=".", pattern="*.py",
            excludePatterns=["tests"]),
    _intent("edit_file", "Replace colour by color in a.md.",
            {"path": "a.md", "edits": [{"old": "colour", "new": "color"}]},
            path="a.md", edits=[{"oldText": "colour", "newText": "color"}]),
    _intent("create_issue", "Open an issue: it is slow.", {**REPO}, title="It is slow", **REPO),
    _intent("create_issue", "File a bug labelled perf.", {**REPO, "title": "t", "labels": "perf"},
            title="t", labels=["perf"], **REPO),
    _intent("search_repositories", "Repositories about weaving.", query="weaving"),
    _intent("list_commits", "The last ten commits.", perPage=10, **REPO),
    _intent("create_pull_request", "Open a pull request from fix to main.",
            {**REPO, "head": "fix", "base": "main"}, title="Fix", head="fix", base="main", **REPO),
    _intent("get_file_contents", "Show the licence.", path="LICENSE", **REPO),
    _intent("git_log", "Five commits of this repository.", {"repo_path": ".", "max_count": "five"},
            repo_path=".", max_count=5),
    _intent("git_commit", "Commit as 'Tidy up'.", repo_path=".", message="Tidy up"),
    _intent("git_diff", "What changed since main?", {"repo_path": "."},
            repo_path=".", target="main"),
    _intent("fetch", "Fetch example.org.", {"url": ""}, url="https://example.org"),
    _intent("fetch", "The first 100 characters of example.org.",
            {"url": "https://example.org", "max_length": 0},
            url="https://example.org", max_length=100),
    _intent("slack_post_message", "Tell C1 that it is done.", channel_id="C1", text="Done."),
    _intent("slack_add_reaction", "Thumbs up for message 1.2 in C1.",
            {"channel_id": "C1", "timestamp": 1.2, "reaction": "thumbsup"},
            channel_id="C1", timestamp="1.2", reaction="thumbsup"),
    _intent("browser_navigate", "Go to example.org.", {"address": "https://example.org"},
            url="https://example.org"),
)  # fmt: skip
