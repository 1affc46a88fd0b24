"""MEMORY.VECTOR_DATABASE: our own table, pgvector in our database, and another Postgres."""

from collections import OrderedDict
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import anyio
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.nodes.memory.conftest import Secrets
from tests.nodes.memory.forwarding import forwarded
from tests.nodes.memory.running import Memory
from tests.storage.postgres import Postgres

from toolweave.access.mask import Masker
from toolweave.access.secret_text import SecretTexts
from toolweave.catalog.resources.stores import VectorIndex
from toolweave.errors import Conflict, Invalid, NotFound, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.memory._embedding import LOCAL, embed
from toolweave.nodes.memory._indexes import Indexes, in_numpy, in_python
from toolweave.nodes.memory._vectors import fits
from toolweave.nodes.memory.vector_database import node, provider_problem
from toolweave.resources.stores import open_stores
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

FAQ: JsonObject = {
    "items": [
        {
            "id": "leave",
            "content": "You have thirty days of paid leave a year.",
            "metadata": {"language": "en", "team": "people", "tags": ["time", "pay"]},
        },
        {
            "id": "parking",
            "content": "Parking spaces are given out by the front desk.",
            "metadata": {"language": "en", "team": "office", "floor": 1},
        },
        {
            "id": "urlaub",
            "content": "Dreißig Urlaubstage im Jahr, paid leave.",
            "metadata": {"language": "de", "team": "people", "floor": True},
        },
    ]
}


def ids(value: JsonObject) -> list[Json]:
    results = value["results"]
    assert isinstance(results, list)
    return [one["id"] for one in results if isinstance(one, dict)]


async def find(
    memory: Memory,
    query: str,
    filters: JsonObject | None = None,
    at: JsonObject | None = None,
    **config: Json,
) -> JsonObject:
    inputs: JsonObject = {"query": query, "filters": filters}
    return await memory.vectors("search", inputs, config={**(at or {}), **config})


async def test_the_nearest_come_first(memory: Memory) -> None:
    stored = await memory.vectors("store", FAQ)
    assert (stored["total_results"], ids(stored)) == (3, ["leave", "parking", "urlaub"])
    value = await find(memory, "How many days of paid leave do I have?")
    assert ids(value)[:2] == ["leave", "urlaub"]
    scores = [float(str(one)) for one in _list(value["scores"])]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= one <= 1 for one in scores)
    assert value["total_results"] == len(scores)
    assert _list(value["results"])[0] == _list(FAQ["items"])[0]


async def test_the_same_text_is_as_near_as_can_be(memory: Memory) -> None:
    await memory.vectors("store", FAQ)
    value = await find(memory, "parking SPACES are given out by the front desk")
    assert ids(value)[0] == "parking"
    assert _list(value["scores"])[0] == pytest.approx(1.0, abs=1e-5)


async def test_threshold_and_count_are_kept(memory: Memory) -> None:
    await memory.vectors("store", FAQ)
    query = "paid leave"
    assert len(ids(await find(memory, query, max_results=1))) == 1
    assert ids(await find(memory, query, similarity_threshold=0.99)) == []
    assert set(ids(await find(memory, query, similarity_threshold=0.2))) <= {"leave", "urlaub"}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"language": "en"}, {"leave", "parking"}),
        ({"team": ["office", "people"]}, {"leave", "parking", "urlaub"}),
        ({"language": "de", "team": "people"}, {"urlaub"}),
        ({"tags": "pay"}, {"leave"}),
        ({"floor": 1}, {"parking"}),
        ({"floor": True}, {"urlaub"}),
        ({"language": "fr"}, set[str]()),
        ({"missing": "x"}, set[str]()),
        ({"team": []}, set[str]()),
        ({"x'; DROP TABLE memory_vectors; --": 1}, set[str]()),
    ],
)
async def test_filters_are_about_metadata(
    memory: Memory, filters: JsonObject, expected: set[str]
) -> None:
    await memory.vectors("store", FAQ)
    query = "paid leave a year parking spaces jahr"
    value = await find(memory, query, filters, similarity_threshold=0)
    assert {str(one) for one in ids(value)} == expected


async def test_an_update_changes_what_it_names_and_keeps_the_rest(memory: Memory) -> None:
    await memory.vectors("store", FAQ)
    change: JsonObject = {
        "items": [{"id": "parking", "content": "Bicycles stand in the yard."}],
        "context": {"editor": "Ann"},
    }
    value = await memory.vectors("update", change)
    assert value["total_results"] == 1
    found = await find(memory, "bicycles in the yard", max_results=1)
    expected = {"language": "en", "team": "office", "floor": 1, "editor": "Ann"}
    result = _list(found["results"])[0]
    assert isinstance(result, dict)
    assert (result["id"], result["metadata"]) == ("parking", expected)
    only_metadata: JsonObject = {"items": [{"id": "parking", "metadata": {"floor": 2}}]}
    await memory.vectors("update", only_metadata)
    assert ids(await find(memory, "bicycles in the yard", {"floor": 2})) == ["parking"]


async def test_an_update_of_what_is_not_there_changes_nothing(memory: Memory) -> None:
    await memory.vectors("store", FAQ)
    change: JsonObject = {
        "items": [{"id": "leave", "content": "No."}, {"id": "nobody", "content": "No."}]
    }
    with pytest.raises(NotFound) as caught:
        await memory.vectors("update", change)
    assert caught.value.code == "VECTOR_ID_UNKNOWN"
    assert "leave" in ids(await find(memory, "thirty days of paid leave"))


async def test_deleted_entries_are_gone(memory: Memory) -> None:
    await memory.vectors("store", FAQ)
    value = await memory.vectors("delete", {"ids": ["leave", "nobody", "leave"]})
    assert (value["total_results"], value["results"]) == (1, [])
    assert "leave" not in ids(await find(memory, "thirty days of paid leave"))


async def test_storing_again_replaces(memory: Memory) -> None:
    await memory.vectors("store", FAQ)
    new: JsonObject = {"items": [{"id": "leave", "content": "Ask your manager."}]}
    await memory.vectors("store", new)
    found = await find(memory, "ask your manager")
    assert _list(found["results"])[0] == {
        "id": "leave",
        "content": "Ask your manager.",
        "metadata": {},
    }


async def test_an_item_without_an_id_gets_the_same_one_at_every_try(memory: Memory) -> None:
    items: JsonObject = {"items": [{"content": "one thing"}, {"content": "another thing"}]}
    first = await memory.vectors("store", items, step="run-x")
    again = await memory.vectors("store", items, step="run-x")
    assert ids(first) == ids(again)
    assert len(set(map(str, ids(first)))) == 2
    assert len(ids(await find(memory, "thing", similarity_threshold=0))) == 2


async def test_tables_and_dimensions_do_not_mix(memory: Memory) -> None:
    await memory.vectors("store", FAQ)
    assert ids(await find(memory, "paid leave", table_name="other")) == []
    assert ids(await find(memory, "paid leave", vector_dimension=128)) == []


async def test_our_postgres_uses_pgvector(memory: Memory, database: Database) -> None:
    await memory.vectors("store", FAQ)
    rows = await database.rows("SELECT id FROM memory_vectors")
    if database.dialect.name == "sqlite":
        assert len(rows) == 3
        return
    assert rows == []
    tables = await database.rows("SELECT tablename FROM pg_tables WHERE tablename LIKE 'vectors_%'")
    count = await database.rows(f'SELECT count(*) FROM "{tables[0][0]}"')
    assert count == [(3,)]


async def test_the_second_search_finds_the_vectors_at_hand(plain_memory: Memory) -> None:
    await plain_memory.vectors("store", FAQ)
    assert (await find(plain_memory, "leave"))["cached"] is False
    assert (await find(plain_memory, "parking"))["cached"] is True
    await plain_memory.vectors("delete", {"ids": ["leave"]})
    value = await find(plain_memory, "leave")
    assert value["cached"] is False
    assert "leave" not in ids(value)


async def test_writers_at_the_same_time_lose_nothing(memory: Memory) -> None:
    async with anyio.create_task_group() as group:
        for number in range(12):
            item: Json = {"id": f"i{number}", "content": f"same words {number}"}
            inputs: JsonObject = {"items": [item]}
            group.start_soon(memory.vectors, "store", inputs)
    value = await find(memory, "same words", max_results=50)
    assert len(ids(value)) == 12


@pytest.mark.parametrize("text", ["!!! ???", "   -"])
async def test_nothing_is_like_a_query_without_words(memory: Memory, text: str) -> None:
    await memory.vectors("store", FAQ)
    assert ids(await find(memory, text, similarity_threshold=0)) == []


@pytest.mark.parametrize(
    ("operation", "inputs", "code"),
    [
        ("search", {"query": ""}, "NODE_INPUT_INVALID"),
        ("search", {"query": " "}, "NODE_INPUT_INVALID"),
        ("search", {"query": "a", "filters": {"x": "\0"}}, "MEMORY_VALUE_INVALID"),
        ("search", {"query": "a" * 100_001}, "MEMORY_VALUE_INVALID"),
        ("store", {"items": None}, "NODE_INPUT_INVALID"),
        ("store", {"items": [1]}, "NODE_INPUT_INVALID"),
        ("store", {"items": [{"id": "a"}]}, "NODE_INPUT_INVALID"),
        ("store", {"items": [{"id": "", "content": "x"}]}, "NODE_INPUT_INVALID"),
        ("store", {"items": [{"id": 1, "content": "x"}]}, "NODE_INPUT_INVALID"),
        ("store", {"items": [{"content": "x", "vector": [1]}]}, "NODE_INPUT_INVALID"),
        ("store", {"items": [{"content": "x", "metadata": None}]}, "NODE_INPUT_INVALID"),
        ("store", {"items": [{"content": "x", "metadata": [1]}]}, "NODE_INPUT_INVALID"),
        ("store", {"items": [{"id": "a", "content": "x"}] * 2}, "NODE_INPUT_INVALID"),
        ("store", {"items": [{"content": "x"}] * 1001}, "NODE_INPUT_INVALID"),
        ("store", {"items": [{"content": "a\0b"}]}, "MEMORY_VALUE_INVALID"),
        ("store", {"items": [{"content": "\ud800"}]}, "MEMORY_VALUE_INVALID"),
        ("store", {"items": [{"id": "i" * 2000, "content": "x"}]}, "MEMORY_KEY_INVALID"),
        ("update", {"items": [{"content": "x"}]}, "NODE_INPUT_INVALID"),
        ("delete", {"ids": None}, "NODE_INPUT_INVALID"),
        ("delete", {"ids": [1]}, "NODE_INPUT_INVALID"),
        ("merge", {"ids": ["a"]}, "NODE_INPUT_INVALID"),
    ],
)
async def test_what_cannot_be_done_is_refused(
    memory: Memory, operation: str, inputs: JsonObject, code: str
) -> None:
    with pytest.raises(Invalid) as caught:
        await memory.vectors(operation, inputs)
    assert caught.value.code == code


async def test_text_that_only_looks_like_a_nul_is_kept(memory: Memory) -> None:
    item: Json = {"id": "a\\u0000", "content": "back \\u0000 slash", "metadata": {"k": "\\u0000"}}
    await memory.vectors("store", {"items": [item]})
    assert _list((await find(memory, "back slash"))["results"]) == [item]


@pytest.mark.parametrize("table", ["", "a b", 'a"b', "a;b", "1a", "a.b.c", "x" * 64, "ä"])
async def test_a_table_has_a_plain_name(memory: Memory, table: str) -> None:
    with pytest.raises(Invalid) as caught:
        await find(memory, "x", table_name=table)
    assert caught.value.code == "NODE_INPUT_INVALID"


@pytest.mark.parametrize("provider", ["pinecone", "weaviate", "chromadb", "qdrant"])
async def test_a_provider_that_is_not_built_in_is_a_problem_before_and_at_the_run(
    plain_memory: Memory, provider: str
) -> None:
    problem = provider_problem({"database_provider": provider})
    assert problem is not None
    assert (problem.code, problem.pointer) == ("PROVIDER_NOT_BUILT_IN", "/database_provider")
    assert "MCP server" in str(problem.hint)
    with pytest.raises(Invalid) as caught:
        await find(plain_memory, "x", database_provider=provider)
    assert caught.value.code == "PROVIDER_NOT_BUILT_IN"


def test_what_is_built_in_or_not_known_yet_is_no_problem() -> None:
    assert provider_problem({}) is None
    assert provider_problem({"database_provider": "supabase_pgvector"}) is None
    assert provider_problem({"database_provider": "{{ data.kind }}"}) is None


@pytest.fixture
async def elsewhere(postgres: Postgres, secrets: Secrets) -> AsyncGenerator[Database]:
    """Another Postgres, reached by an address that stands in the vault."""
    address = postgres.new_database()
    async with open_database(address) as database, forwarded(address) as url:
        secrets.values["pg"] = url
        yield database


PG: JsonObject = {"database_url": "${vault:pg}", "embedding_model": LOCAL, "table_name": "faq"}


@pytest.mark.exercises("MEMORY.VECTOR_DATABASE.database_url")
@pytest.mark.xdist_group("postgres")
async def test_a_table_of_another_postgres_is_made_and_used(
    plain_memory: Memory, elsewhere: Database
) -> None:
    await plain_memory.vectors("store", FAQ, config=PG)
    value = await find(plain_memory, "thirty days of paid leave", {"language": "en"}, PG)
    assert ids(value)[0] == "leave"
    assert value["cached"] is False
    gone = await plain_memory.vectors("delete", {"ids": ["leave"]}, config=PG)
    assert gone["total_results"] == 1
    assert await elsewhere.rows("SELECT id FROM faq ORDER BY id") == [("parking",), ("urlaub",)]


@pytest.mark.exercises("MEMORY.VECTOR_DATABASE.embedding_model")
@pytest.mark.xdist_group("postgres")
async def test_a_table_that_a_model_filled_is_not_compared_with_other_vectors(
    plain_memory: Memory, elsewhere: Database
) -> None:
    with pytest.raises(Unavailable) as caught:
        await find(plain_memory, "x", at=PG, embedding_model="text-embedding-3-small")
    assert caught.value.code == "MODEL_NEEDED"
    assert await elsewhere.rows("SELECT 1 FROM pg_tables WHERE tablename = 'faq'") == []


@pytest.mark.xdist_group("postgres")
@pytest.mark.parametrize(
    "columns",
    [
        "id TEXT, content TEXT, metadata JSONB, embedding vector(3)",
        "id BIGINT, content TEXT, metadata JSONB, embedding vector(256)",
        "id TEXT, content TEXT, embedding vector(256)",
    ],
)
async def test_a_table_of_another_shape_is_told(
    plain_memory: Memory, elsewhere: Database, columns: str
) -> None:
    await elsewhere.execute("CREATE EXTENSION vector")
    await elsewhere.execute(f"CREATE TABLE faq ({columns})")
    with pytest.raises(Conflict) as caught:
        await find(plain_memory, "x", at=PG)
    assert caught.value.code == "VECTOR_TABLE_MISFIT"


@pytest.mark.xdist_group("postgres")
async def test_more_dimensions_than_pgvector_has_are_refused(
    plain_memory: Memory, elsewhere: Database
) -> None:
    with pytest.raises(Invalid) as caught:
        await find(plain_memory, "x", at=PG, vector_dimension=20_000)
    assert caught.value.code == "VECTOR_TABLE_MISFIT"
    assert await elsewhere.rows("SELECT 1 FROM pg_tables WHERE tablename = 'faq'") == []


@pytest.mark.parametrize("index", range(1, len(node.spec.examples)))
async def test_the_examples_of_the_specification_run(memory: Memory, index: int) -> None:
    example = node.spec.examples[index]
    value = await memory.run(node, example.configurations, example.input_params)
    count = len(_list(example.input_params.get("items") or []))
    assert value["total_results"] == count


def test_a_vector_is_the_same_on_every_machine() -> None:
    vector = embed("Order A-100 came late", 16)
    assert [round(one, 3) for one in vector] == EXPECTED
    assert sum(one * one for one in vector) == pytest.approx(1.0)


def test_an_index_that_does_not_fit_is_not_kept() -> None:
    indexes = Indexes(OrderedDict(), max_bytes=16)
    small = VectorIndex(1, ("a",), ({},), b"\0" * 8, 2)
    indexes.keep("a", small)
    indexes.keep("b", small)
    indexes.get("a", 1)
    indexes.keep("c", small)
    assert [indexes.get(space, 1) is small for space in "abc"] == [True, False, True]
    indexes.keep("d", VectorIndex(1, ("a",), ({},), b"\0" * 80, 20))
    assert indexes.get("d", 1) is None


def test_plain_python_and_numpy_find_the_same() -> None:
    texts = [f"words and {number} more {number % 7}" for number in range(50)]
    rows = b"".join(embed(text, 64).tobytes() for text in texts)
    index = VectorIndex(1, tuple(map(str, range(50))), tuple({} for _ in texts), rows, 64)
    query = embed("words 3 more", 64)
    plain = in_python(index, query, 0.3)
    assert 5 < len(plain) <= 50
    if find_spec("numpy") is None:
        return
    by_numpy = in_numpy(__import__("numpy"), index, query, 0.3)
    assert [place for _, place in plain] == [place for _, place in by_numpy]
    assert [score for score, _ in plain] == pytest.approx(
        [score for score, _ in by_numpy], abs=1e-5
    )


@pytest.mark.parametrize(
    ("metadata", "filters", "expected"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, True),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, False),
        ({"a": None}, {"a": None}, True),
        ({"a": 1}, {"a": 1.0}, True),
        ({}, {}, True),
    ],
)
def test_filters_look_into_objects(
    metadata: JsonObject, filters: JsonObject, expected: bool
) -> None:
    assert fits(metadata, filters) is expected


def _list(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value


EXPECTED = [
    -0.381,
    0.099,
    0.0,
    0.0,
    0.325,
    -0.183,
    0.0,
    0.0,
    0.0,
    -0.395,
    0.0,
    -0.621,
    0.381,
    0.0,
    -0.099,
    -0.099,
]


@dataclass(frozen=True)
class TwoUsers:
    """One Postgres without pgvector: as a user who may not create it, and as one who may."""

    plain: str
    owner: str


@pytest.fixture
async def without_extension(postgres: Postgres) -> TwoUsers:
    owner = postgres.new_database()
    role = f"plain_{conninfo_to_dict(owner)['dbname']}"
    async with open_database(owner) as database:
        await database.execute(f"CREATE ROLE {role} LOGIN")
        await database.execute(f"GRANT CREATE ON SCHEMA public TO {role}")
    return TwoUsers(as_user(owner, role), owner)


def as_user(address: str, user: str) -> str:
    parts = conninfo_to_dict(address)
    return f"postgresql://{user}@/{parts['dbname']}?host={parts['host']}"


@pytest.mark.xdist_group("postgres")
async def test_our_postgres_without_the_extension_keeps_vectors_all_the_same(
    without_extension: TwoUsers, tmp_path: Path, secrets: Secrets, clock: FakeClock
) -> None:
    texts = SecretTexts(secrets, Masker())
    async with open_database(without_extension.plain) as database:
        await migrate(database)
        async with open_stores(database, tmp_path, texts) as stores:
            memory = Memory(stores, clock)
            await memory.vectors("store", FAQ)
            value = await find(memory, "thirty days of paid leave", {"language": "en"})
        assert ids(value)[0] == "leave"
        assert await database.rows("SELECT count(*) FROM memory_vectors") == [(3,)]


@pytest.mark.xdist_group("postgres")
async def test_another_postgres_without_the_extension_is_told(
    plain_memory: Memory, without_extension: TwoUsers, secrets: Secrets
) -> None:
    async with forwarded(without_extension.plain) as url:
        secrets.values["pg"] = url
        with pytest.raises(Conflict) as caught:
            await find(plain_memory, "x", at=PG)
    assert caught.value.code == "VECTOR_EXTENSION_MISSING"


@pytest.mark.xdist_group("postgres")
async def test_vectors_from_before_the_extension_are_still_found(
    without_extension: TwoUsers,
    tmp_path: Path,
    secrets: Secrets,
    clock: FakeClock,
) -> None:
    texts = SecretTexts(secrets, Masker())
    async with open_database(without_extension.plain) as database:
        await migrate(database)
        async with open_stores(database, tmp_path, texts) as stores:
            await Memory(stores, clock).vectors("store", FAQ)
    async with open_database(without_extension.owner) as database:
        await database.execute("CREATE EXTENSION vector")
        async with open_stores(database, tmp_path, texts) as stores:
            value = await find(Memory(stores, clock), "thirty days of paid leave")
    assert ids(value)[0] == "leave"
