"""How names of workflow files end; apart from the dialects, which take long to load."""

YAML_ENDINGS = (".yaml", ".yml")
ENDINGS = (".json", *YAML_ENDINGS)
