"""Codes of Markdown documents, git libraries and published workflows."""

DOCUMENTS: dict[str, str] = {
    "DOCUMENT_BINDING_INVALID": "A section's binding is invalid.",
    "DOCUMENT_BINDING_LIMIT": "The document has reached its limit of bindings.",
    "DOCUMENT_BINDING_LOST": "The section that a binding names no longer exists in the document.",
    "DOCUMENT_BINDING_NOT_FOUND": "The document has no binding with this id.",
    "DOCUMENT_BINDING_OVERLAP": "Two bound line ranges overlap.",
    "DOCUMENT_BINDING_SERVER_UNKNOWN": "A section is bound to a server that is not registered.",
    "DOCUMENT_BINDING_UNRESOLVED": "A block is not run because its binding is broken.",
    "DOCUMENT_BLOCK_UNCLOSED": "A block is not closed, so its result cannot be inserted.",
    "DOCUMENT_CHANGED": "A block was changed while it ran; its result was not written.",
    "DOCUMENT_NOT_FOUND": "There is no document at this path.",
    "DOCUMENT_NO_SERVER": "No server is configured for a block.",
    "DOCUMENT_PARAMETERS_INVALID": "The parameters of a block cannot be parsed.",
    "DOCUMENT_PLACEHOLDER": "A parameter of a block has a placeholder, which is not filled in.",
    "DOCUMENT_SECTION_NOT_FOUND": "The document has no such heading.",
    "DOCUMENT_SERVER_UNKNOWN": "A block is named after a server that is not registered.",
    "DOCUMENT_TOOL_MISSING": "A block is named after a server but names no tool.",
    "DOCUMENT_TOO_LARGE": "The document exceeds the size limit.",
}

LIBRARIES: dict[str, str] = {
    "EXECUTION_ERROR": "A node of a flow failed; `cause` has its own code.",
    "FLOW_AMBIGUOUS": "Several libraries have a flow with this name.",
    "FLOW_NOT_FOUND": "The library has no flow with this name.",
    "GITHUB_ERROR": "A git host or git itself failed.",
    "LIBRARY_ADDRESS_INVALID": "The text is not a supported git repository address.",
    "LIBRARY_NAME_INVALID": "The text is not a valid library name.",
    "LIBRARY_NAME_TAKEN": "A library with this name already exists.",
    "LIBRARY_NOT_FOUND": "There is no library with this name.",
    "LIBRARY_REF_INVALID": "The text is not a branch, tag or commit.",
    "LIBRARY_REF_NOT_FOUND": "The repository has no such branch or tag.",
    "PARSE_ERROR": "A flow or template file cannot be parsed.",
    "TEMPLATE_DENIED": "The caller may not read the template.",
    "TEMPLATE_NOT_FOUND": "The library has no template with this name.",
    "VALIDATION_ERROR": "A flow is invalid and cannot run; every problem is listed.",
}

PUBLISHING: dict[str, str] = {
    "APP_NOT_BUILT": "The page for MCP Apps is missing from this installation.",
    "KEY_TOOLS_USELESS": "A key limited to some tools has a scope that reaches beyond them.",
    "NOT_PUBLISHED": "No workflow is published under this name.",
    "TOOL_NAME_INVALID": "Not every MCP client accepts this tool name.",
    "TOOL_NAME_TAKEN": "Another published workflow or a built-in tool has this name.",
    "TOOL_NOT_ALLOWED": "The API key does not allow this published tool.",
}
