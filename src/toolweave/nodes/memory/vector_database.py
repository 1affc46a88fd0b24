"""MEMORY.VECTOR_DATABASE: find texts by meaning."""

from toolweave.catalog.spec import Example, Field, NodeSpec


class VectorDatabase:
    """Stores texts with their embeddings and finds those nearest in meaning."""

    spec = NodeSpec(
        type="MEMORY",
        subtype="VECTOR_DATABASE",
        summary="Store texts in a vector database and find those nearest in meaning.",
        effect="keyed",
        configurations=(
            Field(
                "database_provider",
                "string",
                "Kind of database at database_url.",
                "supabase_pgvector",
                required=True,
                options=("supabase_pgvector", "pinecone", "weaviate", "chromadb", "qdrant"),
            ),
            Field(
                "database_url",
                "string",
                "Address of the database with its credentials, as a vault reference.",
                required=True,
                sensitive=True,
            ),
            Field(
                "table_name",
                "string",
                "Table, index or collection: handbook.",
                "embeddings",
                required=True,
            ),
            Field(
                "embedding_model",
                "string",
                "Model that makes the vectors; must be the one the table was filled with.",
                "text-embedding-3-small",
                required=True,
                options=(
                    "text-embedding-ada-002",
                    "text-embedding-3-small",
                    "text-embedding-3-large",
                    "sentence-transformers/all-MiniLM-L6-v2",
                ),
                is_open=True,
            ),
            Field(
                "vector_dimension",
                "integer",
                "Length of the model's vectors: 1536 for text-embedding-3-small, 384 for MiniLM.",
                1536,
                required=True,
                minimum=1,
                maximum=65_536,
            ),
            Field(
                "similarity_threshold",
                "float",
                "Least similarity of a hit, from 0 to 1.",
                0.7,
                minimum=0,
                maximum=1,
            ),
            Field("max_results", "integer", "Most hits given.", 5, minimum=1, maximum=50),
        ),
        inputs=(
            Field(
                "operation",
                "string",
                "search needs query, store and update need items, delete needs ids.",
                "search",
                options=("search", "store", "update", "delete"),
            ),
            Field("query", "string", "Text to find similar ones for.", multiline=True),
            Field("context", "object", "Who asks and why; added to what is stored as metadata."),
            Field(
                "filters",
                "object",
                'Metadata a hit must have: {"language": "en", "team": ["a", "b"]}.',
            ),
            Field(
                "items",
                "array",
                'What to store: [{"id": "faq-1", "content": "...", "metadata": {"team": "a"}}].',
                items="object",
            ),
            Field("ids", "array", "Ids to delete: [faq-1, faq-2].", items="string"),
        ),
        outputs=(
            Field(
                "results",
                "array",
                "Hits, best first: id, content and metadata of each.",
                items="object",
            ),
            Field("scores", "array", "Similarity of each hit, from 0 to 1.", items="float"),
            Field("total_results", "integer", "Hits given, or items stored or deleted."),
            Field("search_time", "float", "Seconds it took."),
            Field("cached", "boolean", "Whether the answer was at hand from before."),
        ),
        tags=("memory", "vector", "embeddings", "search"),
        keywords=(
            *("vector", "embedding", "semantic", "similarity", "search", "rag"),
            *("retrieval", "knowledge", "pinecone", "qdrant", "pgvector", "nearest"),
        ),
        guidance="Attach it to an AI_AGENT node, or use it as a step of its own.",
        examples=(
            Example(
                "Ask the handbook",
                "The three passages that fit a question best.",
                {
                    "database_provider": "supabase_pgvector",
                    "database_url": "${vault:handbook-database}",
                    "table_name": "handbook",
                    "embedding_model": "text-embedding-3-small",
                    "vector_dimension": 1536,
                    "similarity_threshold": 0.75,
                    "max_results": 3,
                },
                {
                    "operation": "search",
                    "query": "How many days of leave do I have?",
                    "filters": {"language": "en"},
                },
            ),
            Example(
                "Remember a conversation",
                "Stores a summary under its id, with the customer as metadata.",
                {
                    "database_provider": "chromadb",
                    "database_url": "${vault:chroma-url}",
                    "table_name": "conversations",
                    "embedding_model": "sentence-transformers/all-MiniLM-L6-v2",
                    "vector_dimension": 384,
                },
                {
                    "operation": "store",
                    "items": [
                        {
                            "id": "conv-81",
                            "content": "Order A-100 came late; a refund was agreed.",
                            "metadata": {"customer": "c-7"},
                        }
                    ],
                },
            ),
            Example(
                "Forget outdated entries",
                "Deletes two entries by id.",
                {
                    "database_provider": "qdrant",
                    "database_url": "${vault:qdrant-url}",
                    "table_name": "faq",
                    "embedding_model": "text-embedding-3-large",
                    "vector_dimension": 3072,
                },
                {"operation": "delete", "ids": ["faq-1", "faq-2"]},
            ),
        ),
    )


node = VectorDatabase()
