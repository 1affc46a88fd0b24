"""MEMORY.ENTITY: what is known of people, places and things."""

import re

from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.memory._documents import Documents, StoredDocument
from toolweave.patterns import pattern

_SENTENCE = pattern(r"(?<=[.!?])\s+|\n+")
# Capitalised words in a row: Ada Lovelace, Aurora Lamp 2.
_NAME = pattern(r"\b[A-Z][\w'-]+(?:\s+(?:of\s+|de\s+|van\s+)?[A-Z0-9][\w'-]*)*")
# Capitalised only because a sentence begins with them.
_NO_NAMES = frozenset(
    {
        *("yesterday", "today", "tomorrow", "also", "now", "here", "later", "meanwhile"),
        *("however", "after", "before", "because", "since", "while", "once", "ask", "ever"),
        *("a", "an", "and", "are", "as", "at", "but", "by", "can", "could"),
        *("did", "do", "does", "for", "from", "he", "her", "his", "how", "i"),
        *("if", "in", "is", "it", "its", "let", "may", "my", "no", "not"),
        *("of", "on", "or", "our", "please", "she", "so", "some", "tell", "thank"),
        *("thanks", "that", "the", "their", "then", "there", "these", "they", "this", "to"),
        *("was", "we", "were", "what", "when", "where", "which", "who", "why", "will"),
        *("with", "would", "yes", "you", "your", "hello", "hi", "dear"),
    }
)
MAX_FACT = 300


def check_operation(given: NodeInput) -> None:
    """Whether the operation has what it needs. Raises `NODE_INPUT_INVALID`."""
    if given.text("operation") in {"set", "get", "forget"}:
        _name(given)


class Entity:
    """Keeps facts under the names of what they are about."""

    spec = NodeSpec(
        type="MEMORY",
        subtype="ENTITY",
        summary="Remember facts about people, companies and things by their names.",
        effect="keyed",
        configurations=(
            Field("memory_name", "string", "Name of the memory: customers.", required=True),
            Field(
                "max_facts",
                "integer",
                "Most facts kept of one entity; the oldest goes first.",
                50,
                minimum=1,
                maximum=1000,
            ),
            Field(
                "max_entities",
                "integer",
                "Most entities returned at once.",
                10,
                minimum=1,
                maximum=100,
            ),
        ),
        inputs=(
            Field(
                "operation",
                "string",
                "note reads sentences about names; set adds facts; recall finds names in a "
                "text; get, list, forget.",
                "recall",
                options=("note", "set", "recall", "get", "list", "forget"),
            ),
            Field("text", "string", "What is read, for note and recall.", multiline=True),
            Field("entity", "string", "A name: Ada Lovelace."),
            Field("facts", "array", "Facts to add to it.", items="string"),
        ),
        outputs=(
            Field(
                "entities",
                "array",
                "Entities: name and facts of each.",
                items="object",
                members="[{name, facts: array}]",
            ),
            Field("summary", "string", "The same in plain words, a line each."),
            Field("total_entities", "integer", "How many."),
            Field("success", "boolean", "Whether it worked; an unknown name is no failure."),
        ),
        tags=("memory", "entities", "facts"),
        keywords=(
            *("entity", "entities", "people", "customers", "facts", "remember who", "profile"),
            *("names", "crm", "about a person", "companies"),
        ),
        guidance="Attach it to an AI_AGENT node, or use it as a step of its own.",
        checks=(check_operation,),
        examples=(
            Example(
                "Learn from a sentence",
                "Keeps the sentence under the name in it.",
                {"memory_name": "customers"},
                {"operation": "note", "text": "Ada Lovelace prefers warm light."},
                {
                    "entities": [
                        {"name": "Ada Lovelace", "facts": ["Ada Lovelace prefers warm light."]}
                    ],
                    "summary": "Ada Lovelace: Ada Lovelace prefers warm light.",
                    "total_entities": 1,
                    "success": True,
                },
            ),
            Example(
                "Nobody known",
                "A text without known names returns nothing.",
                {"memory_name": "customers"},
                {"operation": "recall", "text": "What does Grace like?"},
                {"entities": [], "summary": "", "total_entities": 0, "success": True},
            ),
            Example(
                "Say it outright",
                "Adds facts to a name.",
                {"memory_name": "suppliers", "max_facts": 5},
                {"operation": "set", "entity": "Aurora", "facts": ["delivers on Mondays"]},
                {
                    "entities": [{"name": "Aurora", "facts": ["delivers on Mondays"]}],
                    "total_entities": 1,
                },
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome:
        """Do one operation. Raises `Invalid`: `NODE_INPUT_INVALID`, `MEMORY_FULL`."""
        given = context.given
        known = Documents(
            context.resources.stores.database, f"entities/{given.text('memory_name')}"
        )
        found = (await _do(known, given))[: given.whole("max_entities")]
        lines = [f"{one.title}: {'; '.join(map(str, _facts(one)))}" for one in found]
        entities: list[Json] = [{"name": one.title, "facts": _facts(one)} for one in found]
        answer: JsonObject = {
            "entities": entities,
            "summary": "\n".join(lines),
            "total_entities": len(found),
            "success": True,
        }
        return Outcome(answer)


async def _do(known: Documents, given: NodeInput) -> list[StoredDocument]:
    match given.text("operation") or "recall":
        case "note":
            return await _note(known, given)
        case "set":
            facts = [str(one) for one in given.listing("facts")]
            return [await _add(known, given, _name(given), facts)]
        case "recall":
            return _recalled(await known.all(), given.text("text"))
        case "get":
            one = await known.get(_key(_name(given)))
            return [one] if one else []
        case "list":
            return await known.all()
        case "forget":
            await known.delete(_key(_name(given)))
            return []
        case other:
            raise Invalid("NODE_INPUT_INVALID", f"there is no operation {other!r}")


async def _note(known: Documents, given: NodeInput) -> list[StoredDocument]:
    """Keep every sentence under the names in it, those that are known and new ones."""
    before = await known.all()
    facts: dict[str, list[str]] = {}
    for sentence in _SENTENCE.split(given.text("text")):
        fact = " ".join(sentence.split())[:MAX_FACT]
        for name in dict.fromkeys(
            [*names_in(fact), *(one.title for one in _recalled(before, fact))]
        ):
            facts.setdefault(name, []).append(fact)
    return [await _add(known, given, name, said) for name, said in facts.items()]


async def _add(known: Documents, given: NodeInput, name: str, facts: list[str]) -> StoredDocument:
    before = await known.get(_key(name))
    # The same fact twice is one fact, so a step that is repeated changes nothing.
    kept = list(dict.fromkeys([*(str(one) for one in (_facts(before) if before else [])), *facts]))
    told: list[Json] = list(kept[-given.whole("max_facts") :])
    one = StoredDocument(_key(name), before.title if before else name, "", {"facts": told})
    await known.put(one)
    return one


def names_in(text: str) -> list[str]:
    """Names by how they are written: capitals that no sentence's beginning explains."""
    found: list[str] = []
    for match in _NAME.finditer(text):
        words = match[0].split()
        while words and words[0].lower() in _NO_NAMES:
            words = words[1:]
        is_first = match.start() == 0 and len(words) == 1
        # One word at the beginning may be any word; inside it is a name.
        if words and not is_first:
            found.append(" ".join(words))
    return list(dict.fromkeys(found))


def _recalled(known: list[StoredDocument], text: str) -> list[StoredDocument]:
    folded = text.casefold()
    return [
        one
        for one in known
        if re.search(rf"(?<!\w){re.escape(one.title.casefold())}(?!\w)", folded)
    ]


def _facts(one: StoredDocument) -> list[Json]:
    facts = one.facts.get("facts")
    return facts if isinstance(facts, list) else []


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()


def _name(given: NodeInput) -> str:
    name = given.text("entity")
    if not name.strip():
        message = f"{given.text('operation')} needs an entity, which is a name"
        raise refused_at(("entity",), "NODE_INPUT_INVALID", message)
    return " ".join(name.split())


node = Entity()
