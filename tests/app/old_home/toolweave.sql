BEGIN TRANSACTION;
CREATE TABLE active_triggers (
    workflow TEXT NOT NULL,
    node TEXT NOT NULL,
    ref TEXT NOT NULL,

    path TEXT UNIQUE,

    seen TEXT,
    fired_at TEXT,

    failure TEXT, paused_at TEXT,
    PRIMARY KEY (workflow, node)
);
INSERT INTO "active_triggers" VALUES('nightly','clock','TRIGGER.CRON',NULL,'2026-11-17T00:34:03.559Z',NULL,NULL,NULL);
CREATE TABLE active_workflows (
    slug TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    revision TEXT NOT NULL,
    document TEXT NOT NULL,
    enabled_at TEXT NOT NULL
);
INSERT INTO "active_workflows" VALUES('nightly','nightly','fb7950a79fdb534848e425629c7ad0cfe9ca0984ab6187a44c830e24281860a5','{"id":"nightly","name":"nightly","description":"Looks up the weather every morning.","version":"1.0.0","schemaVersion":"1.3.0","nodes":[{"id":"clock","type":"TRIGGER","name":"clock","position":{"x":0,"y":0},"data":{"subtype":"CRON","configurations":{"cron_expression":"0 9 * * 1-5","timezone":"Europe/Berlin"}}},{"id":"weather","type":"mcp","name":"weather","position":{"x":220,"y":0},"data":{"serverId":"demo","toolName":"weather","toolDescription":"","parameters":[],"parameterValues":{"city":"Oslo","days":1},"mode":"detailed"}}],"connections":[{"id":"0","from":"clock","to":"weather","fromPort":"output","toPort":"input"}],"createdAt":"2026-11-16T00:00:00.000Z","updatedAt":"2026-11-16T00:00:00.000Z"}','2026-11-17T00:34:03.560Z');
CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    scopes TEXT NOT NULL,
    created_at TEXT NOT NULL,
    revoked_at TEXT
, tools TEXT);
INSERT INTO "api_keys" VALUES('e0af1c27-834c-44a9-a00f-9f9edc9bbd64','old','8ac173c00a94b4c67dd5719e8bbcbea75b67e7a3fea73c848f4ccf0c9b4fc560','admin','2026-11-17T00:34:04.565Z',NULL,NULL);
CREATE TABLE blobs (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL
);
CREATE TABLE calls (
    id TEXT PRIMARY KEY,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    status TEXT NOT NULL,
    source TEXT,
    scope TEXT,
    location TEXT,
    line INTEGER,
    submitted_at TEXT NOT NULL,
    started_at TEXT,
    completed_at TEXT,
    retry_attempt INTEGER NOT NULL DEFAULT 0,
    took_ms REAL,
    error_code TEXT,
    error_message TEXT
);
INSERT INTO "calls" VALUES('67f36bd7-1178-4ea1-87bb-4ebd0fc56a1e','demo','weather','success','workflow','run:31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f','31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f/weather',NULL,'2026-11-17T00:33:53.609Z','2026-11-17T00:33:54.896Z','2026-11-17T00:33:54.903Z',0,7.09138299998812726698e+00,NULL,NULL);
INSERT INTO "calls" VALUES('528d2b6b-122a-432b-8d38-72fd89a767c4','demo','echo','success','workflow','run:31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f','31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f/coat',NULL,'2026-11-17T00:33:54.913Z','2026-11-17T00:33:54.914Z','2026-11-17T00:33:54.925Z',0,1.11134419998961675446e+01,NULL,NULL);
CREATE TABLE commands (
    name TEXT PRIMARY KEY,
    definition TEXT NOT NULL,
    approved_hash TEXT,
    created_at TEXT NOT NULL
);
CREATE TABLE documents (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL
);
INSERT INTO "documents" VALUES('787d53b70a154ca44358a4ba5e75c53e73bf40134c3907e4d931e6746461d1f7','{"id":"trip","name":"trip","description":"Looks up the weather and writes a line about it.","version":"1.0.0","schemaVersion":"1.3.0","nodes":[{"id":"start","type":"start","name":"start","position":{"x":0,"y":0},"data":{}},{"id":"weather","type":"mcp","name":"weather","position":{"x":220,"y":0},"data":{"serverId":"demo","toolName":"weather","toolDescription":"","parameters":[],"parameterValues":{"city":"{{ trigger.city }}","days":1},"mode":"detailed"}},{"id":"cold","type":"FLOW","name":"is-it-cold","position":{"x":440,"y":0},"data":{"subtype":"IF","configurations":{"condition_expression":"data.days[0].high_c < 15"}}},{"id":"coat","type":"mcp","name":"coat","position":{"x":660,"y":-80},"data":{"serverId":"demo","toolName":"echo","toolDescription":"","parameters":[],"parameterValues":{"text":"Take a coat to {{ trigger.city }}."},"mode":"detailed"}},{"id":"shirt","type":"mcp","name":"shirt","position":{"x":660,"y":80},"data":{"serverId":"demo","toolName":"echo","toolDescription":"","parameters":[],"parameterValues":{"text":"A shirt will do in {{ trigger.city }}."},"mode":"detailed"}},{"id":"end","type":"end","name":"end","position":{"x":880,"y":0},"data":{}}],"connections":[{"id":"1","from":"start","to":"weather","fromPort":"output","toPort":"input"},{"id":"2","from":"weather","to":"cold","fromPort":"output","toPort":"input"},{"id":"3","from":"cold","to":"coat","fromPort":"true","toPort":"input"},{"id":"4","from":"cold","to":"shirt","fromPort":"false","toPort":"input"},{"id":"5","from":"coat","to":"end","fromPort":"output","toPort":"input"},{"id":"6","from":"shirt","to":"end","fromPort":"output","toPort":"input"}],"createdAt":"2026-11-16T00:00:00.000Z","updatedAt":"2026-11-16T00:00:00.000Z","inputSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}');
INSERT INTO "documents" VALUES('b3c5f5e0772cc93c98813053f093d26bab523722b3c825574c18d0e841f89b78','{"id":"review","name":"review","description":"Asks a reviewer before a release.","version":"1.0.0","schemaVersion":"1.3.0","nodes":[{"id":"start","type":"start","name":"start","position":{"x":0,"y":0},"data":{}},{"id":"ask","type":"HUMAN_IN_THE_LOOP","name":"ask","position":{"x":220,"y":0},"data":{"subtype":"MANUAL_REVIEW","configurations":{"review_type":"code_review","review_title":"Release 1.2","review_description":"Please check the release.","reviewers":["ada"],"review_criteria":["Tests pass"],"require_evidence":false,"review_deadline":2592000}}},{"id":"ship","type":"mcp","name":"ship","position":{"x":440,"y":0},"data":{"serverId":"demo","toolName":"echo","toolDescription":"","parameters":[],"parameterValues":{"text":"Release 1.2 ships."},"mode":"detailed"}},{"id":"end","type":"end","name":"end","position":{"x":660,"y":0},"data":{}}],"connections":[{"id":"0","from":"start","to":"ask","fromPort":"output","toPort":"input"},{"id":"1","from":"ask","to":"ship","fromPort":"confirmed","toPort":"input"},{"id":"2","from":"ship","to":"end","fromPort":"output","toPort":"input"}],"createdAt":"2026-11-16T00:00:00.000Z","updatedAt":"2026-11-16T00:00:00.000Z"}');
CREATE TABLE health (
    server_id TEXT NOT NULL,
    at TEXT NOT NULL,
    ok INTEGER NOT NULL,
    latency_ms REAL,
    reason TEXT,
    tool_count INTEGER
);
INSERT INTO "health" VALUES('a1e718eb-0357-4514-968c-cb64c81cfc69','2026-11-17T00:33:47.527Z',1,2.75962499972592922858e+00,NULL,16);
INSERT INTO "health" VALUES('a1e718eb-0357-4514-968c-cb64c81cfc69','2026-11-17T00:33:54.895Z',1,2.84662400008528493344e+00,NULL,16);
CREATE TABLE heard (
    channel TEXT NOT NULL,
    message TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (channel, message)
);
CREATE TABLE journal (
    run TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT,

    blob TEXT,
    PRIMARY KEY (run, seq)
);
INSERT INTO "journal" VALUES('31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f',1,'2026-11-17T00:33:53.588Z','started','{"inputs":{"city":"Lisbon"}}',NULL);
INSERT INTO "journal" VALUES('31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f',2,'2026-11-17T00:33:53.606Z','computed','{"steps":[["start",0]],"values":[{"city":"Lisbon"}]}',NULL);
INSERT INTO "journal" VALUES('31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f',3,'2026-11-17T00:33:53.606Z','step_started','{"key":"weather"}',NULL);
INSERT INTO "journal" VALUES('31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f',4,'2026-11-17T00:33:54.904Z','step_finished','{"key":"weather","value":{"city":"Lisbon","made_up":true,"days":[{"day":1,"sky":"sunny","low_c":6,"high_c":12,"rain_percent":17}]}}',NULL);
INSERT INTO "journal" VALUES('31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f',5,'2026-11-17T00:33:54.904Z','computed','{"steps":[["cold",0,"true"]],"values":[{"data":{"city":"Lisbon","made_up":true,"days":[{"day":1,"sky":"sunny","low_c":6,"high_c":12,"rain_percent":17}]},"condition_result":true}]}',NULL);
INSERT INTO "journal" VALUES('31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f',6,'2026-11-17T00:33:54.904Z','step_started','{"key":"coat"}',NULL);
INSERT INTO "journal" VALUES('31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f',7,'2026-11-17T00:33:54.926Z','step_finished','{"key":"coat","value":{"text":"Take a coat to Lisbon.","content":[{"type":"text","text":"Take a coat to Lisbon.","mimeType":null,"uri":null}]}}',NULL);
INSERT INTO "journal" VALUES('31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f',8,'2026-11-17T00:33:54.926Z','computed','{"steps":[["end",0]],"values":[{"text":"Take a coat to Lisbon.","content":[{"type":"text","text":"Take a coat to Lisbon.","mimeType":null,"uri":null}]}]}',NULL);
INSERT INTO "journal" VALUES('31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f',9,'2026-11-17T00:33:54.926Z','finished','{"status":"success","result":{"text":"Take a coat to Lisbon.","content":[{"type":"text","text":"Take a coat to Lisbon.","mimeType":null,"uri":null}]}}',NULL);
INSERT INTO "journal" VALUES('e8eb5228-b027-4ddf-9de2-0fe9839fa11c',1,'2026-11-17T00:34:08.526Z','started','{"inputs":{}}',NULL);
INSERT INTO "journal" VALUES('e8eb5228-b027-4ddf-9de2-0fe9839fa11c',2,'2026-11-17T00:34:08.530Z','computed','{"steps":[["start",0]],"values":[{}]}',NULL);
INSERT INTO "journal" VALUES('e8eb5228-b027-4ddf-9de2-0fe9839fa11c',3,'2026-11-17T00:34:08.530Z','step_started','{"key":"ask"}',NULL);
INSERT INTO "journal" VALUES('e8eb5228-b027-4ddf-9de2-0fe9839fa11c',4,'2026-11-17T00:34:08.532Z','step_waiting','{"key":"ask","until":"2026-12-17T00:34:08.532Z","question":{"id":"2314c597916c42ad","kind":"review","title":"Release 1.2","text":"Please check the release.\n\n- Tests pass\n\nKind of review: code review.","schema":{"type":"object","properties":{"verdict":{"type":"string","title":"Verdict","enum":["pass","fail"]},"evidence":{"type":"string","title":"Reason or link","maxLength":10000},"abstain":{"type":"boolean","title":"I cannot judge this"}},"additionalProperties":false},"options":["pass","fail"],"channel":"inbox","people":["ada"],"due":"2026-12-17T00:34:08.532Z"},"memory":{"since":"2026-11-17T00:34:08.532Z","thread":null,"nudged":0,"joined":[],"replies":[],"own":{}},"effect":"keyed"}',NULL);
CREATE TABLE keepers (
    holder TEXT PRIMARY KEY,
    seen_at TEXT NOT NULL
);
CREATE TABLE libraries (
    name TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    protocol TEXT NOT NULL,
    ref TEXT NOT NULL,
    added_at TEXT NOT NULL
);
CREATE TABLE library_entries (
    library TEXT NOT NULL,
    entry TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (library, entry)
);
CREATE TABLE library_heads (
    library TEXT NOT NULL,
    ref TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    checked_at TEXT NOT NULL,
    PRIMARY KEY (library, ref)
);
CREATE TABLE memory_documents (
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    content TEXT NOT NULL,

    facts TEXT NOT NULL,
    PRIMARY KEY (collection, id)
);
CREATE TABLE memory_keys (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,

    expires_at REAL
);
CREATE TABLE memory_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE TABLE memory_spaces (
    space TEXT PRIMARY KEY,
    version INTEGER NOT NULL
);
CREATE TABLE memory_steps (
    step TEXT PRIMARY KEY,
    at REAL NOT NULL
);
CREATE TABLE memory_summaries (
    conversation TEXT PRIMARY KEY,
    body TEXT NOT NULL
);
CREATE TABLE memory_vectors (
    space TEXT NOT NULL,
    id TEXT NOT NULL,
    content TEXT NOT NULL,
    metadata TEXT NOT NULL,

    vector BLOB NOT NULL,
    PRIMARY KEY (space, id)
);
CREATE TABLE models (
    name TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    base_url TEXT NOT NULL,
    has_key INTEGER NOT NULL DEFAULT 0,
    is_default INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
);
INSERT INTO "models" VALUES('local','compatible','tiny','http://127.0.0.1:9/v1',0,1,'2026-11-17T00:34:05.672Z');
CREATE TABLE node_usage (
    ref TEXT PRIMARY KEY,
    asked INTEGER NOT NULL DEFAULT 0,
    last_asked_at TEXT NOT NULL
);
CREATE TABLE notices (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    message TEXT NOT NULL
);
CREATE TABLE published_workflows (
    tool TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    workflow TEXT NOT NULL,
    description TEXT NOT NULL,
    revision TEXT NOT NULL,
    document TEXT NOT NULL,
    input_schema TEXT NOT NULL,
    output_schema TEXT,

    if_left TEXT NOT NULL,

    tasks TEXT NOT NULL,
    published_at TEXT NOT NULL
);
INSERT INTO "published_workflows" VALUES('plan_trip','trip','trip','Looks up the weather and writes a line about it.','3c69e3f7eec734dbe726b117f98a58180482a49c6b35e61a3d716c763717371d','{"id":"trip","name":"trip","description":"Looks up the weather and writes a line about it.","version":"1.0.0","schemaVersion":"1.3.0","nodes":[{"id":"start","type":"start","name":"start","position":{"x":0,"y":0},"data":{}},{"id":"weather","type":"mcp","name":"weather","position":{"x":220,"y":0},"data":{"serverId":"demo","toolName":"weather","toolDescription":"","parameters":[],"parameterValues":{"city":"{{ trigger.city }}","days":1},"mode":"detailed"}},{"id":"cold","type":"FLOW","name":"is-it-cold","position":{"x":440,"y":0},"data":{"subtype":"IF","configurations":{"condition_expression":"data.days[0].high_c < 15"}}},{"id":"coat","type":"mcp","name":"coat","position":{"x":660,"y":-80},"data":{"serverId":"demo","toolName":"echo","toolDescription":"","parameters":[],"parameterValues":{"text":"Take a coat to {{ trigger.city }}."},"mode":"detailed"}},{"id":"shirt","type":"mcp","name":"shirt","position":{"x":660,"y":80},"data":{"serverId":"demo","toolName":"echo","toolDescription":"","parameters":[],"parameterValues":{"text":"A shirt will do in {{ trigger.city }}."},"mode":"detailed"}},{"id":"end","type":"end","name":"end","position":{"x":880,"y":0},"data":{}}],"connections":[{"id":"1","from":"start","to":"weather","fromPort":"output","toPort":"input"},{"id":"2","from":"weather","to":"cold","fromPort":"output","toPort":"input"},{"id":"3","from":"cold","to":"coat","fromPort":"true","toPort":"input"},{"id":"4","from":"cold","to":"shirt","fromPort":"false","toPort":"input"},{"id":"5","from":"coat","to":"end","fromPort":"output","toPort":"input"},{"id":"6","from":"shirt","to":"end","fromPort":"output","toPort":"input"}],"createdAt":"2026-11-16T00:00:00.000Z","updatedAt":"2026-11-16T00:00:00.000Z","inputSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}','{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}',NULL,'cancel','auto','2026-11-17T00:33:58.335Z');
CREATE TABLE questions (
    id TEXT NOT NULL,
    run TEXT NOT NULL,
    step TEXT NOT NULL,
    channel TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    due_at TEXT,

    closed_at TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (run, step)
);
INSERT INTO "questions" VALUES('2314c597916c42ad','e8eb5228-b027-4ddf-9de2-0fe9839fa11c','ask','inbox','2026-11-17T00:34:08.532Z','2026-12-17T00:34:08.532Z',NULL,'{"id":"2314c597916c42ad","kind":"review","title":"Release 1.2","text":"Please check the release.\n\n- Tests pass\n\nKind of review: code review.","schema":{"type":"object","properties":{"verdict":{"type":"string","title":"Verdict","enum":["pass","fail"]},"evidence":{"type":"string","title":"Reason or link","maxLength":10000},"abstain":{"type":"boolean","title":"I cannot judge this"}},"additionalProperties":false},"options":["pass","fail"],"channel":"inbox","people":["ada"],"due":"2026-12-17T00:34:08.532Z"}');
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    workflow TEXT NOT NULL,
    document TEXT NOT NULL,
    status TEXT NOT NULL,

    epoch INTEGER NOT NULL DEFAULT 0,
    seq INTEGER NOT NULL DEFAULT 0,

    holder TEXT,
    held_until TEXT,
    started_at TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    finished_at TEXT,
    wake_at TEXT,
    trigger_kind TEXT,

    once_key TEXT UNIQUE,
    fork_of TEXT,
    error TEXT
);
INSERT INTO "runs" VALUES('31a0bd86-b5a1-47f7-94b5-5c90a1f10b9f','trip','787d53b70a154ca44358a4ba5e75c53e73bf40134c3907e4d931e6746461d1f7','success',0,9,'host:00000000-0000-4000-8000-000000000000/12828/368506/0d437c22',NULL,'2026-11-17T00:33:53.588Z','2026-11-17T00:33:54.926Z','2026-11-17T00:33:54.926Z',NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES('e8eb5228-b027-4ddf-9de2-0fe9839fa11c','review','b3c5f5e0772cc93c98813053f093d26bab523722b3c825574c18d0e841f89b78','waiting',0,4,'host:00000000-0000-4000-8000-000000000000/12936/370146/21497d0b',NULL,'2026-11-17T00:34:08.526Z','2026-11-17T00:34:08.532Z',NULL,'2026-12-17T00:34:08.532Z',NULL,NULL,NULL,NULL);
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL);
INSERT INTO "schema_version" VALUES(1,'first','0a529b755ad33445ca4f7d6c4a76930754a197cd709f33785b705a466cb4fb71','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(2,'keys','8e6bc8e0873cff8fc54b26da2910b2cd69fcd641e754c5cc2c35912faf7ea813','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(3,'runs','0257137ab6813d231ae7d74a39bb37b26a05a8ded8901be16ca9bf0a6380ecdb','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(4,'memory','af0b6d10665b8419fa44525a0c6572839e431de5bd3375ecd1b9b52cbe9ec11b','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(5,'triggers','ac07178ee222f7dad9a6f332b80ada74cacc377cb01b393144b42f53161793dd','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(6,'keepers','ed8c23769efb716000e1ade67b46dc9c3962874a56410ed3495ec6d4d5ee8754','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(7,'blobs','73fc20bf06a2017e6f556332126f7b7711495342acc866ded7edce2bc4fb301c','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(8,'models','a31a2ad77466e7916ea8703ad4d1dd0b10e07b30052067707064066de429a110','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(9,'documents','e6a088d8296d49131a541e0a66397d12e56ae5bd7fce0bbe19d6ed51b84192a4','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(10,'commands','ec49f377ca2e079d7bcee1cf64de90dca35b58debb5e0bcd010784459fcfa83f','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(11,'questions','fafaedaa4d1f501898d0bd58c612b459c23011d60a30f70e251150839d95cb94','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(12,'library','e75361af4eae8953fee381bad696bc3fd1b363c3f164f47d63ca0c99106811c8','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(13,'publishing','c9d82ba8d82476bd53778cec60a5fb1ba1a52039bebff7625e15611087c9583e','2026-11-17T00:33:43.079Z');
INSERT INTO "schema_version" VALUES(14,'pausing','77e18c2326ef54871f9f393bd433323b3652e812cadf2f4518bfa8e01287baec','2026-11-17T00:33:43.079Z');
CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    nonce BLOB NOT NULL,
    sealed BLOB NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
INSERT INTO "secrets" VALUES('(check)',X'6CB54F5AA1A880D0E3446FE5',X'9F4BC5FE8984E104E2CCFE07E07DFE90','2026-11-17T00:34:05.142Z','2026-11-17T00:34:05.142Z');
INSERT INTO "secrets" VALUES('api-token',X'6A0DF88013DAC7A4F2FED4C4',X'AD70ABA40B72013B49AF0C6D900B9CFC2C5036B7E8E617A81320949C7568','2026-11-17T00:34:05.147Z','2026-11-17T00:34:05.147Z');
CREATE TABLE section_bindings (
    id TEXT PRIMARY KEY,
    document TEXT NOT NULL,
    binding TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE TABLE servers (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    definition TEXT NOT NULL,
    scope TEXT NOT NULL,
    found_in TEXT,
    enabled INTEGER NOT NULL DEFAULT 0,
    approved_hash TEXT,
    failure_count INTEGER NOT NULL DEFAULT 0,
    auto_disabled INTEGER NOT NULL DEFAULT 0,
    last_connected_at TEXT,
    last_failure TEXT,
    created_at TEXT NOT NULL
);
INSERT INTO "servers" VALUES('a1e718eb-0357-4514-968c-cb64c81cfc69','demo','{"kind":"command","command":"python3","args":["-m","toolweave.cli.main","demo-server"],"env":{},"cwd":null,"runner":"plain","writable_paths":[],"network":true}','user',NULL,1,'3a7d9f01510f6a061067bf45beff03ce4c6d586ded09ceb0a9c13075bf061c53',0,0,'2026-11-17T00:33:54.905Z',NULL,'2026-11-17T00:33:43.125Z');
CREATE TABLE trigger_firings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workflow TEXT NOT NULL,
    node TEXT NOT NULL,
    at TEXT NOT NULL,

    outcome TEXT NOT NULL,
    run TEXT,
    reason TEXT
);
CREATE INDEX calls_by_server ON calls (server, submitted_at);
CREATE INDEX calls_by_time ON calls (submitted_at);
CREATE INDEX health_by_server ON health (server_id, at);
CREATE INDEX runs_by_status ON runs (status, started_at);
CREATE INDEX runs_by_start ON runs (started_at);
CREATE INDEX runs_by_wake ON runs (wake_at);
CREATE INDEX runs_by_workflow ON runs (workflow, started_at);
CREATE INDEX memory_keys_by_end ON memory_keys (expires_at);
CREATE INDEX memory_steps_by_time ON memory_steps (at);
CREATE INDEX memory_messages_by_conversation ON memory_messages (conversation, id);
CREATE INDEX runs_by_finish ON runs (finished_at);
CREATE INDEX journal_by_blob ON journal (blob) WHERE blob IS NOT NULL;
CREATE INDEX questions_by_id ON questions (id);
CREATE INDEX questions_open ON questions (channel, asked_at) WHERE closed_at IS NULL;
CREATE INDEX heard_by_time ON heard (at);
CREATE INDEX section_bindings_by_document ON section_bindings (document);
CREATE INDEX trigger_firings_by_trigger ON trigger_firings (workflow, node, id);
DELETE FROM "sqlite_sequence";
COMMIT;
