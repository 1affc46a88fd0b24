"""Codes of settings, storage, the REST API and everything without a room of its own."""

GENERAL: dict[str, str] = {
    "BACKEND_MISSING": "The packages of the chosen run backend are not installed.",
    "SEMANTIC_SEARCH_MISSING": "The packages of semantic search are not installed.",
    "BACKEND_UNAVAILABLE": "The service of the chosen run backend does not answer, or refuses.",
    "CODE_UNKNOWN": "No problem or error has this code.",
    "INTERNAL": "An unexpected error; the log has the details.",
    "JSON_INVALID": "The text is not valid JSON: duplicate keys and NaN are refused.",
    "LISTEN_FAILED": "The server cannot listen on this address or port.",
    "SETTING_INVALID": "A setting has an invalid value.",
    "UPDATE_CHECK_FAILED": "The package index could not be asked for the newest release.",
    "STUDIO_STOPPED": "The studio that executed a command stopped before it was done.",
    "USAGE": "A command-line argument is invalid.",
}

STORAGE: dict[str, str] = {
    "BACKUP_NOT_SQLITE": "`toolweave backup` supports only homes that use SQLite.",
    "STORAGE_BROKEN": "The database or its lock file is damaged or cannot be read or written.",
    "STORAGE_CONFLICT": "A database constraint was violated; nothing was stored.",
    "STORAGE_FULL": "The disk is full; free some space, then try again.",
    "STORAGE_IN_USE": "Another process holds the database.",
    "STORAGE_MIGRATION_CHANGED": "An applied migration differs from this version's.",
    "STORAGE_NEWER": "The database was changed by a newer version of Toolweave.",
    "STORAGE_READ_ONLY": "The database is read-only.",
    "STORAGE_UNREACHABLE": "The database server does not respond.",
    "STORAGE_VALUE_INVALID": "No column can hold a value: NUL, a lone surrogate, a huge integer.",
}

HTTP: dict[str, str] = {
    "BODY_INVALID": "The request body has an unexpected structure.",
    "BODY_TOO_LARGE": "The request body exceeds the size limit.",
    "BODY_TOO_SLOW": "The body of a request did not arrive in time.",
    "CONTENT_TYPE_INVALID": "The request body is not application/json.",
    "HOST_DENIED": "The request's Host header is not allowed.",
    "INTERNAL_ONLY": "The endpoint accepts requests only from this machine.",
    "METHOD_NOT_ALLOWED": "The endpoint does not support this HTTP method.",
    "ORIGIN_DENIED": "The request comes from another origin.",
    "RATE_LIMITED": "The API key exceeded its rate limit; see Retry-After.",
    "REQUEST_INVALID": "The request's path or query is invalid.",
    "ROUTE_NOT_FOUND": "There is no endpoint at this address.",
    "RPC_METHOD_UNKNOWN": "The JSON-RPC method is unknown.",
}
