-- How a model at an address gives structured answers: tools, json_schema, format or text.
CREATE TABLE model_outputs (
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    structured_output TEXT NOT NULL,
    probed_at TEXT NOT NULL,
    PRIMARY KEY (base_url, model)
);
