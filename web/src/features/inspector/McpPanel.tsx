/** An MCP node: its tool, its mode, and its values or description. */

import { useMemo, useRef, useState } from "react";
import { ApiError } from "../../api/client";
import type { Mode } from "../../model/form/modes";
import { DESCRIPTION_FIELDS, MAX_TOOLS, modeOf, previousTool, snapshotTools } from "../../model/form/modes";
import type { Parameter } from "../../model/form/parameters";
import { inferParameters } from "../../model/form/parameters";
import { hintParts } from "../../model/text/hints";
import { safeText } from "../../model/text/untrusted";
import type { WorkflowNode } from "../../model/workflow/workflow";
import { asText } from "../../model/workflow/workflow";
import { useModels } from "../../queries/models";
import type { ModeChange } from "../../queries/tools";
import { switchMode, useServerRetry, useServerTools } from "../../queries/tools";
import { useEditor, useProblems } from "../../state/editorContext";
import { notifyError } from "../../state/notices";
import { hrefTo } from "../../state/route";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Hint } from "../../ui/Hint";
import { Untrusted } from "../../ui/Untrusted";
import { CollapsibleSection } from "./CollapsibleSection";
import { DescriptionEditor } from "./DescriptionEditor";
import { JsonDataField } from "./JsonDataField";
import { ModeSwitch } from "./ModeSwitch";
import type { TitledSection } from "./NodeForm";
import { NodeForm } from "./NodeForm";
import { QueueField } from "./QueueField";
import { ToolChoice } from "./ToolChoice";
import { ToolSubset } from "./ToolSubset";

const STALE_CODE = "MCP_TOOL_LIST_STALE";
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  "MODEL_NEEDED",
  STALE_CODE,
  "MCP_NL_DESC_EMPTY",
  "MCP_NL_DESC_TOO_SHORT",
  "MCP_NL_DESC_TOO_LONG",
]);

export function McpPanel({ node, isReadOnly }: { node: WorkflowNode; isReadOnly: boolean }) {
  const editor = useEditor();
  const [isSwitching, setIsSwitching] = useState(false);
  const [pendingMode, setPendingMode] = useState<Mode | null>(null);
  // Chosen while another choice was still being stored.
  const [nextMode, setNextMode] = useState<Mode | null>(null);
  const queued = useRef<Mode | null>(null);
  const [server, tool, mode] = [
    asText(node.data["serverId"]),
    asText(node.data["toolName"]),
    modeOf(node.data),
  ];
  const { data: serverTools, error } = useServerTools(server);
  const askAgain = useServerRetry(server);
  const names = serverTools?.tools.map(({ name }) => name) ?? snapshotTools(node.data);
  const chosen = snapshotTools(node.data);
  // A choice stays a choice when the list is refreshed.
  const subset = chosen.length < names.length ? chosen.filter((name) => names.includes(name)) : [];
  const isFixed = isReadOnly || isSwitching;
  const switchTo = async (to: ModeChange) => {
    setIsSwitching(true);
    let reached = mode;
    try {
      await switchMode(editor, node.id, to);
      reached = to.mode;
    } catch (fault) {
      notifyError(fault, "The node is unchanged");
    } finally {
      setPendingMode(null);
      setIsSwitching(false);
    }
    // Also after the dialog was closed: the last choice is stored.
    const next = queued.current;
    queue(null);
    if (next !== null) begin(reached, next);
  };
  const queue = (to: Mode | null) => {
    queued.current = to;
    setNextMode(to);
  };
  const begin = (from: Mode, to: Mode) => {
    setPendingMode(to === from ? null : to);
    // A node that describes its task has no tool yet, so one is chosen first.
    if (to === from || from === "fullNaturalLanguage") return;
    if (to === "fullNaturalLanguage" && names.length > MAX_TOOLS) return;
    void switchTo({ mode: to });
  };
  const choose = (to: Mode) => (isSwitching ? queue(to) : begin(mode, to));
  const descriptionField = DESCRIPTION_FIELDS[mode];
  const changes = serverTools?.changes.find((change) => change.tool === tool)?.changes ?? [];
  return (
    <>
      <ModeSwitch mode={nextMode ?? pendingMode ?? mode} isFixed={isReadOnly} onChoose={choose} />
      {error && <ToolListError server={server} error={error} onAgain={askAgain} />}
      {pendingMode && mode === "fullNaturalLanguage" && (
        <ToolChoice
          names={names}
          before={previousTool(node.data)}
          isFixed={isFixed}
          onChoose={(name) => void switchTo({ mode: pendingMode, tool: name })}
          onCancel={() => setPendingMode(null)}
        />
      )}
      {mode !== "fullNaturalLanguage" && (
        <ToolField
          tool={tool}
          names={names}
          isKnown={serverTools !== undefined}
          isFixed={isReadOnly}
          isSwitching={isSwitching}
          onChange={(name) => void switchTo({ mode, tool: name })}
        />
      )}
      {changes.length > 0 ? (
        <Drift server={server} changes={changes} />
      ) : (
        names.includes(tool) && <InvalidTool node={node.id} />
      )}
      {mode !== "detailed" && <MissingModel />}
      {descriptionField && <DescriptionEditor node={node} field={descriptionField} isReadOnly={isFixed} />}
      {(pendingMode ?? mode) === "fullNaturalLanguage" && names.length > 1 && (
        <ToolSubset
          key={chosen.join(" ")}
          names={names}
          chosen={chosen}
          isOpen={pendingMode !== null && names.length > MAX_TOOLS}
          isFixed={isFixed}
          onChoose={(tools) => void switchTo({ mode: "fullNaturalLanguage", tools })}
        />
      )}
      {mode === "fullNaturalLanguage" && (
        <StaleTools
          node={node.id}
          isFixed={isFixed}
          onRefresh={() => void switchTo({ mode, live: true, tools: subset })}
        />
      )}
      <Values
        node={node}
        isReadOnly={isFixed}
        serverTools={
          serverTools?.tools.find(({ name }) => name === tool)?.parameters as Parameter[] | undefined
        }
      />
      <QueueField node={node} isReadOnly={isFixed} />
    </>
  );
}

/** What a mode that asks a model needs, before a run is refused. */
function MissingModel() {
  const { data: models } = useModels();
  if (models?.length !== 0) return null;
  return (
    <div className="inspector__problem" role="status">
      There is no language model yet. <a href={hrefTo("manage", "models")}>Add a model</a>
    </div>
  );
}

/** Why the tools cannot be listed; the node keeps its values and can be edited with its last known schema. */
function ToolListError({ server, error, onAgain }: { server: string; error: Error; onAgain(): void }) {
  const hint = error instanceof ApiError ? error.hint : null;
  return (
    <div className="inspector__problem" role="status">
      The tools of {safeText(server).text} cannot be listed: <Untrusted {...safeText(error.message)} />
      {hint && (
        <div className="faint">
          <Hint parts={hintParts(hint)} />
        </div>
      )}
      <div className="row">
        <Button icon="again" onClick={onAgain}>
          Try again
        </Button>
        <a className="button button--quiet" href={hrefTo("servers", server)}>
          Open server
        </a>
      </div>
    </div>
  );
}

interface ToolProps {
  tool: string;
  names: readonly string[];
  isKnown: boolean;
  isFixed: boolean;
  /** A choice is being stored: the field does nothing, and unlike a disabled one keeps the focus. */
  isSwitching: boolean;
  onChange(name: string): void;
}

function ToolField({ tool, names, isKnown, isFixed, isSwitching, onChange }: ToolProps) {
  const isGone = isKnown && tool !== "" && !names.includes(tool);
  return (
    <Field
      label="Tool"
      fault={
        isGone
          ? `The server no longer has the tool ${safeText(tool).text}. Choose another; your values are kept.`
          : null
      }
    >
      {(id, _, aria) => (
        <select
          id={id}
          {...aria}
          className="select"
          value={tool}
          disabled={isFixed}
          aria-disabled={isSwitching || undefined}
          onChange={(event) => isSwitching || onChange(event.target.value)}
        >
          {!names.includes(tool) && <option value={tool}>{tool || "Choose a tool"}</option>}
          {names.map((name) => (
            <option key={name} value={name}>
              {safeText(name).text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Shown if the server's tool does not accept the call that the node makes. */
function InvalidTool({ node }: { node: string }) {
  const toolStatus = useProblems((state) => state.toolStatuses[node]);
  if (toolStatus?.status !== "invalid" || !toolStatus.why) return null;
  return (
    <div className="inspector__problem inspector__problem--error" role="status">
      {safeText(toolStatus.why).text}
    </div>
  );
}

function Drift({
  server,
  changes,
}: {
  server: string;
  changes: readonly { pointer: string; message: string }[];
}) {
  return (
    <div className="inspector__problem" role="status">
      This tool changed after approval: {safeText(changes.map(({ message }) => message).join("; ")).text}
      <div>
        <a href={hrefTo("servers", server)}>Review changes</a>
      </div>
    </div>
  );
}

/** Shown if the list of tools is outdated, with a button to refresh it. */
function StaleTools({ node, isFixed, onRefresh }: { node: string; isFixed: boolean; onRefresh(): void }) {
  const stale = useProblems((state) => state.byNode[node]?.find(({ code }) => code === STALE_CODE));
  return (
    <div className={stale ? "inspector__problem row" : "row"} role="status">
      {stale && <span>{stale.message}</span>}
      <Button look={stale ? "plain" : "quiet"} icon="again" disabled={isFixed} onClick={onRefresh}>
        Refresh the tools
      </Button>
    </div>
  );
}

/** The values of detailed mode; without the server, the fields come from the schema stored in the node. */
function Values({
  node,
  isReadOnly,
  serverTools,
}: {
  node: WorkflowNode;
  isReadOnly: boolean;
  serverTools: Parameter[] | undefined;
}) {
  const mode = modeOf(node.data);
  const storedSchema = node.data["parameters"];
  const sections = useMemo<TitledSection[]>(() => {
    const parameters =
      serverTools ??
      (Array.isArray(storedSchema) && storedSchema.length > 0
        ? (storedSchema as unknown as Parameter[])
        : inferParameters(node.data["parameterValues"]));
    return mode === "detailed" ? [{ title: "Values", path: ["parameterValues"], parameters }] : [];
    // eslint-disable-next-line react-hooks/exhaustive-deps -- inferred fields must not change while a value is typed
  }, [serverTools, storedSchema, mode, node.id]);
  return (
    <NodeForm node={node} sections={sections} isReadOnly={isReadOnly} besides={SHOWN_ELSEWHERE}>
      <CollapsibleSection title="Edit as JSON" isOpen={false}>
        <JsonDataField node={node} isReadOnly={isReadOnly} />
      </CollapsibleSection>
    </NodeForm>
  );
}
