-- Texts that MEMORY nodes keep and search: documents, passages of a knowledge base, entities.
-- Ids are JSON strings without their quotes, so any text fits.
CREATE TABLE memory_documents (
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    -- Tags, metadata, where it comes from and when it was made, as JSON.
    facts TEXT NOT NULL,
    PRIMARY KEY (collection, id)
);
