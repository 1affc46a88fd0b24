"""The rules of this house that no other tool checks. `python scripts/house_rules.py [ROOT]`.

One line each, `path:line: fault: what is wrong`, and exit 1. Sizes and module names, bans on the
syntax tree of `src`, tests that assert nothing, machine paths and registry hosts in any text file,
and codes against `src/toolweave/codes/`. Standard library only.
"""

import ast
import gc
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple, TypeGuard, cast

PACKAGE = "src/toolweave/"
CODES = PACKAGE + "codes/"
ARCHITECTURE = "ARCHITECTURE.md"
NAMED_FILE = re.compile(r"`([\w.]+/[\w./]+\.\w+)`")
PRODUCT = re.compile(r"src/.*\.py$|web/src/.*\.tsx?$")
AIM_LINES = 400
MAX_LINES = 450
# This room only opens others and connects them, so all of it is shorter than this.
COMPOSITION = PACKAGE + "app"
MAX_COMPOSITION_LINES = 1000
MAX_FUNCTION_LINES = 50

BANNED_MODULES = re.compile(r"(util|helper|manager|handler)s?|common|shared|misc|base")

# Why it is banned and what to do instead -> dotted names.
BANNED = {
    "runs text as code": ("eval", "exec", "compile", "__import__"),
    "reads objects, not data; use JSON": ("pickle", "marshal", "shelve"),
    "builds objects; use a safe loader": ("yaml.load", "yaml.full_load", "yaml.unsafe_load"),
    "runs a shell; give an argv list to a runner": (
        *("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"),
        "asyncio.create_subprocess_shell",
    ),
    "leaves a task nobody owns; use a task group": ("asyncio.create_task", "asyncio.ensure_future"),
    "holds a thread; use the clock's sleep": ("time.sleep",),
    "is read at the edge and handed down": ("os.environ", "os.environb", "os.getenv", "os.getenvb"),
}
WHY_BANNED = {name: why for why, names in BANNED.items() for name in names}
# These take an argv list; given one string they run it in a shell.
ARGV_CALLS = frozenset({"anyio.run_process", "anyio.open_process"})

# Where a banned name is right after all: name -> path under the package -> why.
ALLOWED = {
    "os.environ": {
        "servers/runners/plain.py": "what a started program inherits, by an allow-list of names",
        "settings.py": "settings are read here, once",
        "home.py": "hands the environment down to the rooms",
        "app/": "hands the environment down to the rooms",
        "cli/": "the door of the process; it hands the environment down",
    },
    "time.sleep": {"servers/guardian_process.py": "a process of its own, without an event loop"},
}

# Who may catch everything: path under the package -> which of the four edges it is. The edges of
# a run's step and of discovered plugins come with their rooms.
BROAD_CATCHERS = {
    "access/vault_key.py": "a discovered plugin: a keyring backend",
    "mcp_server/stdio.py": "a door's request: what fails in loading is raised to the caller",
    "cli/main.py": "a door's request",
    "cli/studio_socket.py": "a door's request: a command that the studio executes",
    "mcp_server/server.py": "a door's request",
    "engine/step_attempts.py": "a step of a run",
    "engine/pure_steps.py": "a step of a run that computes",
    "engine/heavy_steps.py": "the same, in a thread",
    "engine/step_process.py": "the same, in a process of its own",
    "nodes/start_check.py": "the start of a step, with values that may be of any type",
    "resources/open_calls.py": "a step of a run: what its call raises is raised in the step",
    "rest/guard.py": "a door's request",
    "storage/dialects/sqlite.py": "a thread: what its work raises is raised in the waiting task",
    "tasks.py": "a task group's body and work on one record: raised again; a loop of a service",
    "app/lazy.py": "a door's request: what fails in opening is raised in the request",
    "servers/supervisor.py": "a health probe: what a server provokes ends its connection only",
}
BROAD = frozenset({"Exception", "BaseException"})

# Methods of the engine that only these files call: every run starts and is driven through the gate.
RUN_GATE = "src/toolweave/engine/runs.py"
GATED = {
    "create_run": (RUN_GATE,),
    "advance": (RUN_GATE, "src/toolweave/engine/engine.py"),
    "continue_run": (
        "src/toolweave/engine/engine.py",
        "src/toolweave/engine/backends/local.py",
        "src/toolweave/engine/backends/temporal.py",
    ),
}

# Spelt so that this file does not name what it looks for.
MACHINE_PATH = re.compile(r"(^|[^A-Za-z0-9_.-])/(work|root|farm)[/]")
HOSTS = "pypi+org pythonhosted+org npmjs+org npmjs+com yarnpkg+com deb+debian+org"
REGISTRY_HOST = re.compile(rf"\b({HOSTS.replace('+', '[.]').replace(' ', '|')})\b")

# Words that do not come back -> what to write instead. They are looked for in comments, in texts
# of several words in code and in the prose of pages.
PRIVATE_WORDS = {
    r"mend(s|ed|ing)?": "fix or repair",
    r"heed(s|ed|ing)?": "respect or apply",
    r"(bring(s|ing)?|brought) ((it|them|a run|the run|runs) )?forward": "execute or continue",
    r"(becomes?|became) of (it|them|a|the)": "result or status",
    r"(lie|lies|lay|lying) down": "suspend",
    r"(hear|hears|heard|hearing) of": "receive or be notified of",
    r"(tell|tells|told|telling) of": "report or describe",
    r"newborn": "new",
    r"hindsight": "snapshot",
    r"whoever": "the caller, the user or anyone who",
    r"drawing tool": "visual editor",
    r"seeds? 00[0-4]": "the name of the feature",
    r"00[0-4](:|'s) \w+": "the name of the feature",
}
# The same for the pages of the studio.
STUDIO_WORDS = {
    r"to look at": "warnings or problems",
    r"throw away": "discard",
    r"not now": "cancel",
    r"nothing fits": "no results",
    r"take back": "unpublish",
    r"how it is set": "configuration mode",
    r"(every value|(values|task) in words)": "the title of the mode",
    r"(it gave nothing|what (it worked with|came in|was chosen))": "output, parameters, input",
    r"prove themselves": "authentication",
    r"starts by itself": "is active",
    r"keep a (token|secret)": "add credential or add secret",
    r"did these happen": "interrupted steps",
}


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Finds any of the words, in any case."""
    return re.compile(rf"(?<!\.)\b(?:{'|'.join(f'({word})' for word in words)})\b", re.IGNORECASE)


PRIVATE_WORD = any_of(PRIVATE_WORDS)
STUDIO_WORD = any_of([*PRIVATE_WORDS, *STUDIO_WORDS])
PROSE = re.compile(r"(docs/|changes/)?[^/]+\.md$")
# Not the requirements of the original designs, nor the tests of this rule.
OUR_CODE = re.compile(r"(src/toolweave|tests(?!/seeds/|/scripts/test_house_rules\.py$))/.*\.py$")
# Code spans and JSON keys in a page: names of a contract, not prose.
CONTRACT_NAMES = re.compile(r'`[^`]*`|"\w+":')
WEB_SOURCE = re.compile(r"web/src/.*\.tsx?$")

# Their first argument is a code; so is that of their subclasses.
ERRORS = frozenset({"Problem", "ToolweaveError"})
CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")

# From Python 3.12 on, the literal parts of f-strings are tokens of their own.
PROSE_TOKENS = frozenset(
    {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
)

Function = ast.FunctionDef | ast.AsyncFunctionDef
CATCHING = ast.ExceptHandler | ast.Call
BANNABLE = (ast.Import, ast.ImportFrom, ast.Name, ast.Attribute, ast.Call)


class Finding(NamedTuple):
    """One line of the report; a note is only counted."""

    path: str
    line: int
    text: str
    level: Literal["fault", "warning", "note"] = "fault"


class Source(NamedTuple):
    """One parsed Python file."""

    path: str
    tree: ast.Module


def findings_in(root: Path) -> list[Finding]:
    """Everything the rules have to say about the tree under `root`."""
    names = files_of(root)
    links = [name for name in names if (root / name).is_symlink()]
    files = [name for name in names if (root / name).is_file()]
    texts = {name: text for name in files if (text := text_of(root / name)) is not None}
    product = {name: text for name, text in texts.items() if PRODUCT.match(name)}
    sources, broken = parse({name: text for name, text in texts.items() if name.endswith(".py")})
    ours = [source for source in sources if source.path.startswith("src/")]
    tests = [source for source in sources if re.search(r"^tests/(.*/)?test_[^/]*$", source.path)]
    found = [
        *broken,
        *(Finding(name, 1, "is a link: keep the file itself") for name in links),
        *named_files(texts),
        *sizes(product),
        *composition(product),
        *module_names(product),
        *chain.from_iterable(map(bans, ours)),
        *run_gate(ours),
        *chain.from_iterable(map(broad_catches, ours)),
        *chain.from_iterable(map(long_functions, ours)),
        *chain.from_iterable(map(tests_without_assertion, tests)),
        *places(texts),
        *codes(ours),
        *private_words(texts),
        *shared_class_names(ours),
    ]
    return sorted(found)


def files_of(root: Path) -> list[str]:
    """What git tracks or would track; every file where there is no repository."""
    command = ["git", "-C", str(root), "ls-files", "-z", "-c", "-o", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return sorted(p.relative_to(root).as_posix() for p in root.rglob("*"))
    return sorted(set(listed.split("\0")) - {""})


def text_of(path: Path) -> str | None:
    """Its text; nothing for a binary file."""
    data = path.read_bytes()
    return None if b"\0" in data else data.decode("utf-8", "replace")


def parse(texts: Mapping[str, str]) -> tuple[list[Source], list[Finding]]:
    """The syntax trees, and what cannot be parsed."""
    sources: list[Source] = []
    broken: list[Finding] = []
    for name, text in texts.items():
        try:
            sources.append(Source(name, ast.parse(text)))
        except SyntaxError as error:
            broken.append(Finding(name, error.lineno or 1, f"cannot be parsed: {error.msg}"))
    return sources, broken


@cache
def walk(tree: ast.AST) -> list[ast.AST]:
    """Every node of a tree but its contexts; several rules look at each of them.

    `ast.walk` needs three times as long, and a context such as `Load` interests no rule.
    """
    nodes = [tree]
    for node in nodes:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                # Of names and constants too: `Global.names`, `MatchMapping.keys`.
                children = cast("list[object]", value)
                nodes += [child for child in children if isinstance(child, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                nodes.append(value)
    return nodes


def sizes(texts: Mapping[str, str]) -> Iterator[Finding]:
    """A file has one subject, and that fits 400 lines."""
    for name, text in texts.items():
        if (lines := len(text.splitlines())) > AIM_LINES:
            text = f"{lines} lines; {AIM_LINES} are aimed at, {MAX_LINES} is the ceiling: split it"
            yield Finding(name, 1, text, "fault" if lines > MAX_LINES else "warning")


def named_files(texts: Mapping[str, str]) -> Iterator[Finding]:
    """The description of the architecture names files that exist."""
    for number, line in enumerate(texts.get(ARCHITECTURE, "").splitlines(), start=1):
        for name in NAMED_FILE.findall(line):
            if not any(f"{folder}{name}" in texts for folder in ("", PACKAGE, "web/src/")):
                yield Finding(ARCHITECTURE, number, f"there is no file {name!r}")


def composition(texts: Mapping[str, str]) -> Iterator[Finding]:
    """What is not composition belongs to another room."""
    parts = [text for name, text in texts.items() if name.startswith(f"{COMPOSITION}/")]
    lines = sum(len(text.splitlines()) for text in parts)
    if lines >= MAX_COMPOSITION_LINES:
        text = f"{lines} lines, not under {MAX_COMPOSITION_LINES}: move what does not compose"
        yield Finding(COMPOSITION, 1, text)


def module_names(names: Iterable[str]) -> Iterator[Finding]:
    """A module is named by a noun of the domain."""
    for name in names:
        for stem in re.findall(r"/([^/.]+)", name):
            if BANNED_MODULES.fullmatch(stem):
                yield Finding(name, 1, f"{stem!r} says nothing; name it by the noun it serves")


def long_functions(source: Source) -> Iterator[Finding]:
    """A function fits a screen."""
    for node in walk(source.tree):
        if isinstance(node, Function):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MAX_FUNCTION_LINES:
                text = f"{node.name}() has {lines} lines; {MAX_FUNCTION_LINES} is the ceiling"
                yield Finding(source.path, node.lineno, text)


def bans(source: Source) -> Iterator[Finding]:
    """What product code never does."""
    imported = imports_of(source.tree)
    for node in walk(source.tree):
        if not isinstance(node, BANNABLE):
            continue
        names = [*banned_imports(node), *banned_uses(node, imported)]
        texts = [
            *(
                f"{n}: {WHY_BANNED[n]}"
                for n in names
                if not allowed(source.path, ALLOWED.get(n, {}))
            ),
            *shells(node, imported),
            *stray_tasks(node, imported),
        ]
        yield from (Finding(source.path, getattr(node, "lineno", 1), text) for text in texts)


@cache
def imports_of(tree: ast.Module) -> dict[str, str]:
    """Local name -> dotted name of what was imported under it."""
    names: dict[str, str] = {}
    for node in walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def dotted(node: ast.AST, imported: Mapping[str, str]) -> str | None:
    """The full name a `Name` or `Attribute` stands for, through the file's imports."""
    if isinstance(node, ast.Name):
        return imported.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value, imported)
        return f"{owner}.{node.attr}" if owner else None
    return None


def banned_imports(node: ast.AST) -> Iterator[str]:
    """Modules and names that are banned already when imported."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    yield from (name for name in names if name in WHY_BANNED)


def banned_uses(node: ast.AST, imported: Mapping[str, str]) -> Iterator[str]:
    """Banned names wherever they are used, called or not; an imported one is told at its import."""
    name = dotted(node, imported)
    if name in WHY_BANNED and not (isinstance(node, ast.Name) and node.id in imported):
        yield name


def stray_tasks(node: ast.AST, imported: Mapping[str, str]) -> Iterator[str]:
    """A task belongs to a task group, whatever name its event loop travels under."""
    is_stray = isinstance(node, ast.Attribute) and node.attr in {"create_task", "ensure_future"}
    if is_stray and dotted(node, imported) not in WHY_BANNED:
        yield f"{ast.unparse(node)}: leaves a task nobody owns; use a task group"


def shells(node: ast.AST, imported: Mapping[str, str]) -> Iterator[str]:
    """Commands are argv lists, never text for a shell."""
    if not isinstance(node, ast.Call):
        return
    for keyword in node.keywords:
        is_off = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        if keyword.arg == "shell" and not is_off:
            yield "shell=: runs a shell; give an argv list"
    first = node.args[0] if node.args else None
    is_line = is_text(first) or isinstance(first, ast.JoinedStr)
    if is_line and dotted(node.func, imported) in ARGV_CALLS:
        yield "a command as one string runs a shell; give an argv list"


def run_gate(sources: Iterable[Source]) -> Iterator[Finding]:
    """Runs are created at one place, and driven through the run gate."""
    created: list[Finding] = []
    for source in sources:
        for node in walk(source.tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            name = node.func.attr
            if name in GATED and source.path not in GATED[name]:
                text = f"`{name}` is called only by {RUN_GATE}; use `engine.runs`"
                yield Finding(source.path, node.lineno, text)
            elif name == "create_run":
                text = "a second call of `create_run`: runs are created at one place"
                created.append(Finding(source.path, node.lineno, text))
    yield from created[1:]


def broad_catches(source: Source) -> Iterator[Finding]:
    """Everything is caught at four edges only; there it is counted."""
    level = "note" if allowed(source.path, BROAD_CATCHERS) else "fault"
    imported = imports_of(source.tree)
    for node in walk(source.tree):
        if isinstance(node, CATCHING) and catches_everything(node, imported):
            text = "catches everything: only a door, a step, a probe and a plugin loader may"
            yield Finding(source.path, node.lineno, text, level)


def catches_everything(node: CATCHING, imported: Mapping[str, str]) -> bool:
    """`except Exception`, a bare `except`, `suppress(Exception)`; not one that ends in `raise`."""
    if isinstance(node, ast.Call):
        suppresses = dotted(node.func, imported) == "contextlib.suppress"
        return suppresses and any(map(is_broad, node.args))
    last = node.body[-1]
    raises_on = isinstance(last, ast.Raise) and last.exc is None
    return not raises_on and (node.type is None or is_broad(node.type))


def is_broad(kind: ast.expr) -> bool:
    """Whether the type, or one of a tuple, is the root of all."""
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(isinstance(one, ast.Name) and one.id in BROAD for one in kinds)


def allowed(path: str, places: Mapping[str, str]) -> bool:
    """Whether `path` is one of the places, or in one that is a folder."""
    inside = path.removeprefix(PACKAGE)
    return any(inside == at or (at.endswith("/") and inside.startswith(at)) for at in places)


def tests_without_assertion(source: Source) -> Iterator[Finding]:
    """A test can fail by what it asserts; checks and waits of other tests are trusted to."""
    trusted = {
        name
        for name, origin in imports_of(source.tree).items()
        if re.match("assert|check|eventually", name) and not origin.startswith("toolweave.")
    }
    proving = asserting(source.tree, trusted=trusted)
    for node in walk(source.tree):
        if isinstance(node, Function) and node.name.startswith("test_") and node not in proving:
            yield Finding(source.path, node.lineno, f"{node.name} asserts nothing")


def asserting(tree: ast.Module, *, trusted: Collection[str] = ()) -> set[Function]:
    """The functions that assert something, themselves or through what they call in this file."""
    functions = [node for node in walk(tree) if isinstance(node, Function)]
    proving: set[Function] = set()
    names = set(trusted)
    while more := {f for f in functions if f not in proving and asserts(f, names)}:
        proving |= more
        names |= {function.name for function in more}
    return proving


def asserts(function: Function, names: Collection[str]) -> bool:
    """Whether it holds an assertion about something, a `raises`, or a call of one of `names`.

    To wait for something within `fail_after` is to assert that it comes.
    """
    for node in walk(function):
        if isinstance(node, ast.With) and waits_in_time(node):
            return True
        if isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant):
            return True
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if called in names or re.fullmatch(r"(pytest\.)?(raises|warns|fail|RaisesGroup)", called):
            return True
    return False


def waits_in_time(block: ast.With) -> bool:
    """Whether it is a `fail_after` in which some `until_…` is awaited."""
    if not any(re.match(r"(anyio\.)?fail_after\(", ast.unparse(item)) for item in block.items):
        return False
    awaited = (node.value for node in ast.walk(block) if isinstance(node, ast.Await))
    calls = (ast.unparse(call.func) for call in awaited if isinstance(call, ast.Call))
    return any(call.rpartition(".")[2].startswith("until_") for call in calls)


def places(texts: Mapping[str, str]) -> Iterator[Finding]:
    """No file says on which machine, or from which registry, it was made."""
    for name, text in texts.items():
        if not MACHINE_PATH.search(text) and not REGISTRY_HOST.search(text):
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if MACHINE_PATH.search(line):
                yield Finding(name, number, "names an absolute path of one machine")
            if host := REGISTRY_HOST.search(line):
                yield Finding(name, number, f"names the package registry {host[0]}")


def private_words(texts: Mapping[str, str]) -> Iterator[Finding]:
    """Texts for people use ordinary technical terms."""
    known = PRIVATE_WORDS | STUDIO_WORDS
    for name, text in texts.items():
        wanted = STUDIO_WORD if WEB_SOURCE.match(name) else PRIVATE_WORD
        if not (has_prose(name) and wanted.search(text)):
            continue
        for line, prose in prose_of(name, text):
            if match := wanted.search(prose):
                word = next(w for w in known if re.fullmatch(w, match[0], re.IGNORECASE))
                yield Finding(name, line, f"{match[0]!r}: write {known[word]}")


def has_prose(name: str) -> bool:
    """Whether `prose_of` finds anything in a file of this name."""
    return any(kind.match(name) for kind in (OUR_CODE, PROSE, WEB_SOURCE))


def prose_of(name: str, text: str) -> Iterator[tuple[int, str]]:
    """The lines of a file that people read, with their numbers."""
    if OUR_CODE.match(name):
        yield from python_prose(text)
    elif PROSE.match(name) or WEB_SOURCE.match(name):
        for number, line in enumerate(text.splitlines(), start=1):
            yield number, CONTRACT_NAMES.sub("", line)


def python_prose(text: str) -> Iterator[tuple[int, str]]:
    """Comments, and strings of more than one word; a single word may be a key of a contract."""
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(text).readline)]
    except (tokenize.TokenError, SyntaxError):
        return
    for token in tokens:
        if token.type in PROSE_TOKENS:
            for offset, line in enumerate(token.string.splitlines()):
                if token.type == tokenize.COMMENT or " " in line.strip():
                    yield token.start[0] + offset, line


def codes(sources: list[Source]) -> Iterator[Finding]:
    """Every code that is raised is listed, and every listed code is raised."""
    tables = [source for source in sources if source.path.startswith(CODES)]
    listed = {code: (s.path, line) for s in tables for code, line in codes_listed(s.tree)}
    others = [source for source in sources if source not in tables]
    errors = error_classes(others)
    for source in others:
        for code, line in codes_raised(source.tree, errors):
            if not CODE.fullmatch(code):
                yield Finding(source.path, line, f"the code {code!r} is not UPPER_SNAKE_CASE")
            elif code not in listed:
                yield Finding(source.path, line, f"the code {code!r} is not in {CODES}")
    used = {node.value for s in others for node in walk(s.tree) if is_text(node)}
    for code, (path, line) in listed.items():
        if code not in used:
            yield Finding(path, line, f"the code {code!r} is used nowhere")


def shared_class_names(sources: list[Source]) -> Iterator[Finding]:
    """A public class name exists once in the package."""
    first: dict[str, str] = {}
    for source in sources:
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                owner = first.setdefault(node.name, source.path)
                if owner != source.path:
                    text = f"the class name {node.name} is already used in {owner}; choose another"
                    yield Finding(source.path, node.lineno, text)


def is_text(node: ast.AST | None) -> TypeGuard[ast.Constant]:
    """Whether it is a string literal."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_code(node: ast.AST | None) -> TypeGuard[ast.Constant]:
    """Whether it is a string literal written like a code."""
    return is_text(node) and CODE.fullmatch(str(node.value)) is not None


def codes_listed(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The keys of the tables of codes."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict):
            for key in filter(is_code, node.value.keys):
                yield str(key.value), key.lineno


def error_classes(sources: list[Source]) -> set[str]:
    """The names of everything whose first argument is a code, subclasses included."""
    classes = [n for s in sources for n in walk(s.tree) if isinstance(n, ast.ClassDef)]
    pairs = {(c.name, ast.unparse(base).rpartition(".")[2]) for c in classes for base in c.bases}
    known: set[str] = set(ERRORS)
    while more := {name for name, base in pairs if base in known} - known:
        known |= more
    return known


def codes_raised(tree: ast.Module, errors: set[str]) -> Iterator[tuple[str, int]]:
    """The literal codes given to problems and errors."""
    for node in walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in errors:
            given = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "code")]
            for code in (literal for value in given for literal in branches(value)):
                yield str(code.value), code.lineno


def branches(value: ast.expr) -> Iterator[ast.Constant]:
    """The string literals a value can be: itself, or either side of a condition."""
    if isinstance(value, ast.IfExp):
        yield from branches(value.body)
        yield from branches(value.orelse)
    elif is_text(value):
        yield value


def main(arguments: list[str]) -> int:
    """Report, and say by the exit code whether there is a fault."""
    root = Path(arguments[0]) if arguments else Path(__file__).parents[1]
    found = findings_in(root.resolve())
    for path, line, text, level in found:
        if level != "note":
            sys.stdout.write(f"{path}:{line}: {level}: {text}\n")
    count = Counter(finding.level for finding in found)
    sys.stdout.write(
        f"house rules: {count['fault']} faults, {count['warning']} warnings; "
        f"everything is caught in {count['note']} places at the four edges\n"
    )
    return 1 if count["fault"] else 0


if __name__ == "__main__":
    gc.disable()  # it would search the syntax trees again and again
    sys.exit(main(sys.argv[1:]))
