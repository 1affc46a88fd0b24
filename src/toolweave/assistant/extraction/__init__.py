"""What a request in plain words says about the parameters of a tool, found without a model."""
