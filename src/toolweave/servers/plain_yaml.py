"""YAML files of other clients, read without building anything but plain values."""

import yaml

from toolweave.errors import Invalid


def read_yaml(text: str) -> object:
    """Parse one document. Raises `Invalid`: `CLIENT_FILE_INVALID`."""
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:
        reason = getattr(error, "problem", None) or "it cannot be parsed"
        raise Invalid("CLIENT_FILE_INVALID", f"not YAML: {reason}") from None
