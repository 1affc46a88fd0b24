"""MEMORY.KEY_VALUE_STORE: keep values under names."""

from toolweave.catalog.spec import Example, Field, NodeSpec


class KeyValueStore:
    """Keeps values under keys, between steps and between runs."""

    spec = NodeSpec(
        type="MEMORY",
        subtype="KEY_VALUE_STORE",
        summary="Keep values under keys and read them again later.",
        effect="keyed",
        configurations=(
            Field(
                "storage_backend",
                "string",
                "Where values are kept; memory is lost when the studio stops.",
                "memory",
                required=True,
                options=("memory", "redis", "sqlite", "file"),
            ),
            Field(
                "connection_config",
                "object",
                'sqlite and file: {"path": "state/values.db"}; redis: {"url": vault reference}; '
                "memory: none.",
                {},
                sensitive=True,
            ),
            Field(
                "default_ttl",
                "integer",
                "Seconds a value is kept; 0 for always.",
                0,
                minimum=0,
                maximum=86_400,
            ),
            Field("key_prefix", "string", "Put before every key: session:."),
            Field(
                "max_keys",
                "integer",
                "Most keys; a further one is refused.",
                1000,
                minimum=1,
                maximum=100_000,
            ),
        ),
        inputs=(
            Field(
                "operation",
                "string",
                "get, set, delete and exists need a key; keys lists them; clear deletes all.",
                "get",
                options=("get", "set", "delete", "exists", "keys", "clear"),
            ),
            Field("key", "string", "Name of the value, without the prefix: user-42."),
            Field("value", "any", 'What set keeps: {"count": 3}.'),
            Field(
                "options",
                "object",
                'For set {"ttl": 60}; for keys {"pattern": "user-*"}.',
            ),
        ),
        outputs=(
            Field("value", "any", "The value, for get."),
            Field("exists", "boolean", "Whether the key is there after the operation."),
            Field("keys", "array", "Keys found, sorted, without the prefix.", items="string"),
            Field("success", "boolean", "Whether it worked; a missing key is no failure."),
            Field("error_message", "string", "Why it failed; empty on success."),
            Field("operation_time", "float", "Seconds it took."),
            Field("cache_hit", "boolean", "Whether get found a value."),
        ),
        tags=("memory", "storage", "cache"),
        keywords=(
            *("key", "value", "store", "cache", "remember", "state"),
            *("redis", "sqlite", "save", "lookup", "counter", "ttl"),
        ),
        guidance="Attach it to an AI_AGENT node, or use it as a step of its own.",
        examples=(
            Example(
                "Remember a choice",
                "Keeps a user's settings in memory for an hour.",
                {"storage_backend": "memory", "key_prefix": "user:", "default_ttl": 3600},
                {
                    "operation": "set",
                    "key": "42",
                    "value": {"theme": "dark", "language": "en"},
                },
                {"exists": True, "success": True, "error_message": ""},
            ),
            Example(
                "Not there",
                "Reads a key nobody has set.",
                {"storage_backend": "memory"},
                {"operation": "get", "key": "nobody"},
                {"exists": False, "success": True, "error_message": "", "cache_hit": False},
            ),
            Example(
                "Where the import stopped",
                "Keeps a place in a file database, for good.",
                {
                    "storage_backend": "sqlite",
                    "connection_config": {"path": "state/import.db"},
                    "key_prefix": "import:",
                },
                {"operation": "set", "key": "last", "value": {"page": 17}},
            ),
            Example(
                "List sessions",
                "Keys by pattern, from a shared Redis.",
                {
                    "storage_backend": "redis",
                    "connection_config": {"url": "${vault:redis-url}"},
                    "key_prefix": "session:",
                    "max_keys": 10_000,
                },
                {"operation": "keys", "options": {"pattern": "user-*"}},
            ),
        ),
    )


node = KeyValueStore()
