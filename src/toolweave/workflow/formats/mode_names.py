"""The two vocabularies of an MCP node's modes: the canonical one and the visual editor's.

Names only; what the modes mean is in `workflow/modes.py`.
"""

from collections.abc import Mapping

from toolweave.json_text import JsonObject

MODES = {
    "manualParameterConfig": "detailed",
    "aiParameterConfig": "naturalLanguageParam",
    "aiToolSelection": "fullNaturalLanguage",
}
CONFIGS = {
    "aiParameterConfig": "naturalLanguageParamConfig",
    "aiToolSelectionConfig": "fullNaturalLanguageConfig",
    "preservedManualParameterConfig": "preservedDetailedConfig",
}
_TASK = "aiToolSelectionConfig"
_DRAWN_MODES = {ours: theirs for theirs, ours in MODES.items()}
_DRAWN_CONFIGS = {ours: theirs for theirs, ours in CONFIGS.items()}


def to_canonical_names(data: JsonObject) -> JsonObject:
    """Return an MCP node's data with canonical names; the same object if unchanged."""
    config = data.get(_TASK)
    if isinstance(config, dict) and config.get("availableTools") == []:
        # The editor's list that was never made; ours would say that the server has no tools.
        made: JsonObject = {key: config[key] for key in config if key != "availableTools"}
        data = {**data, _TASK: made}
    return _renamed(data, MODES, CONFIGS)


def is_canonical(data: JsonObject) -> bool:
    """Whether an MCP node's data has the canonical names already."""
    mode = data.get("mode")
    return CONFIGS.keys().isdisjoint(data) and not (isinstance(mode, str) and mode in MODES)


def old_names(data: JsonObject) -> dict[str, str]:
    """Return the editor's names in the data with their canonical names."""
    return _new_keys(data, CONFIGS)


def to_editor_names(data: JsonObject) -> JsonObject:
    """Return an MCP node's data with the editor's names."""
    return _renamed(data, _DRAWN_MODES, _DRAWN_CONFIGS)


def _renamed(data: JsonObject, modes: Mapping[str, str], keys: Mapping[str, str]) -> JsonObject:
    mode = data.get("mode")
    new_mode = modes.get(mode) if isinstance(mode, str) else None
    new_keys = _new_keys(data, keys)
    if new_mode is None and not new_keys:
        return data
    renamed = {new_keys.get(key, key): value for key, value in data.items()}
    return renamed if new_mode is None else renamed | {"mode": new_mode}


def _new_keys(data: JsonObject, keys: Mapping[str, str]) -> dict[str, str]:
    # A file with both names keeps both: neither may overwrite the other.
    return {old: new for old, new in keys.items() if old in data and new not in data}
