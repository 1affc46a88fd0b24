"""The table of every code. `docs/codes.md` is generated from it."""

from itertools import chain

from toolweave.codes.access import EXTERNAL_SERVICES, SECRETS_AND_KEYS
from toolweave.codes.documents import DOCUMENTS, LIBRARIES, PUBLISHING
from toolweave.codes.general import GENERAL, HTTP, STORAGE
from toolweave.codes.nodes import COMMANDS, NODES_AT_RUN_TIME
from toolweave.codes.runs import MODELS, QUESTIONS, RECORDINGS, RUNS, TRIGGERS
from toolweave.codes.servers import CALLS, MCP_CLIENTS, SERVERS, TOOLS
from toolweave.codes.workflows import CATALOG, EXPORTS, WORKFLOWS

AREAS: dict[str, dict[str, str]] = {
    "General": GENERAL,
    "Workflows": WORKFLOWS,
    "Exports": EXPORTS,
    "Catalog": CATALOG,
    "Tools": TOOLS,
    "Calls": CALLS,
    "Servers": SERVERS,
    "MCP clients": MCP_CLIENTS,
    "Secrets and keys": SECRETS_AND_KEYS,
    "External services": EXTERNAL_SERVICES,
    "Runs": RUNS,
    "Recordings": RECORDINGS,
    "Triggers": TRIGGERS,
    "Questions": QUESTIONS,
    "Models": MODELS,
    "Nodes at run time": NODES_AT_RUN_TIME,
    "Commands": COMMANDS,
    "Documents": DOCUMENTS,
    "Libraries": LIBRARIES,
    "Publishing": PUBLISHING,
    "Storage": STORAGE,
    "HTTP requests": HTTP,
}

CODES: dict[str, str] = dict(chain.from_iterable(codes.items() for codes in AREAS.values()))
