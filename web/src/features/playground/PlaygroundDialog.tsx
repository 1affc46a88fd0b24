/** One tool to try: its arguments as a form, its result, and buttons that keep the call as a node. */

import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import type { Problem } from "../../api/client";
import type { Parameter } from "../../model/form/parameters";
import { isObject } from "../../model/form/values";
import { safeText } from "../../model/text/untrusted";
import { createNode } from "../../model/workflow/edits";
import type { WorkflowNode } from "../../model/workflow/workflow";
import { newWorkflow } from "../../model/workflow/workflow";
import { toolEntry } from "../../model/servers/serverStatus";
import { runStep } from "../../queries/expressions";
import { editableWorkflow, useAddTool } from "../../queries/toolNode";
import { useValidation } from "../../queries/validation";
import { keyCombination } from "../../state/commands";
import { Editor } from "../../state/editor";
import { EditorContext, useDocument, useEditor } from "../../state/editorContext";
import type { TriedTool } from "../../state/playground";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Untrusted } from "../../ui/Untrusted";
import type { Outcome } from "./ToolResult";
import { faultOf, ToolResult } from "./ToolResult";
import "./playground.css";

interface Props extends TriedTool {
  /** Renders the form of the node that calls the tool. */
  form(node: WorkflowNode, parameters: readonly Parameter[]): ReactNode;
  /** What a call waits for a person to decide. */
  decision(run: string, step: string): ReactNode;
  onClose(): void;
}

export default function PlaygroundDialog(props: Props) {
  const { server, tool } = props;
  // A workflow of one node that is never saved: the form, its checks and its run are those of the editor.
  const [editor] = useState(() => {
    const empty = newWorkflow("playground");
    const node = createNode(empty, toolEntry(server.name, tool, []), { x: 0, y: 0 });
    return new Editor({ workflow: { ...empty, nodes: [node], connections: [] } });
  });
  return (
    <EditorContext value={editor}>
      <TriedCall {...props} />
    </EditorContext>
  );
}

function TriedCall({ server, tool, form, decision, onUsed, onClose }: Props) {
  const editor = useEditor();
  const node = useDocument((state) => state.history.present.nodes[0]!);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isRunning, setRunning] = useState(false);
  const active = useRef<AbortController | null>(null);
  // Closing the dialog ends the call.
  useEffect(() => () => active.current?.abort(), []);
  const fields = useRef<HTMLDivElement>(null);
  useValidation();
  const name = safeText(tool.name).text;
  const parameters = tool.parameters as unknown as Parameter[];
  const run = async () => {
    if (isRunning) return;
    setRunning(true);
    try {
      const { signal } = (active.current = new AbortController());
      const result = await runStep(editor, node.id, { signal });
      const problems = (result.problems as Problem[]).map((problem) => ({
        ...problem,
        pointer: `/nodes/0${problem.pointer}`,
      }));
      if (!result.executed) editor.problems.set(editor.document.workflow, problems);
      setOutcome({ kind: "result", result });
      if (!result.executed) requestAnimationFrame(() => focusFirstInvalid(fields.current));
    } catch (error) {
      setOutcome(active.current?.signal.aborted ? null : faultOf(error));
    } finally {
      setRunning(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (keyCombination(event) !== "mod+enter") return;
    event.preventDefault();
    event.stopPropagation();
    void run();
  };
  return (
    <Dialog
      title={`Try ${name}`}
      wide
      onClose={onClose}
      onKeyDown={onKeyDown}
      foot={
        <>
          <Button
            look="primary"
            icon="play"
            title="Ctrl+Enter"
            disabled={isRunning}
            onClick={() => void run()}
          >
            {isRunning ? "Running…" : "Run"}
          </Button>
          {isRunning ? (
            <Button icon="stop" onClick={() => active.current?.abort()}>
              Stop
            </Button>
          ) : (
            <span className="faint">Calls the tool on {server.name}, with its effects.</span>
          )}
          <span className="playground__space" />
          <Keep server={server} tool={tool} node={node} onUsed={onUsed} onClose={onClose} />
        </>
      }
    >
      <div className="playground">
        <section className="playground__form" aria-label="Arguments" ref={fields}>
          {tool.description && (
            <p className="faint playground__about">
              <Untrusted {...safeText(tool.description)} hasCode />
            </p>
          )}
          {parameters.length > 0 ? (
            form(node, parameters)
          ) : (
            <p className="faint">This tool takes no arguments.</p>
          )}
        </section>
        <section className="playground__result" aria-label="Result" aria-live="polite">
          <ToolResult
            name={name}
            node={node.id}
            outcome={outcome}
            isRunning={isRunning}
            decision={decision}
          />
        </section>
      </div>
    </Dialog>
  );
}

function focusFirstInvalid(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
}

/** Adds the call to the open workflow or a new one, with the values of the form. */
function Keep({ server, tool, node, onUsed, onClose }: TriedTool & { node: WorkflowNode; onClose(): void }) {
  const add = useAddTool(server);
  const open = editableWorkflow();
  const values = node.data["parameterValues"];
  const keep = (isNew: boolean) => {
    onClose();
    add(tool, { values: isObject(values) ? values : {}, isNew, onAdded: onUsed });
  };
  return (
    <>
      <Button icon="plus" onClick={() => keep(true)}>
        Use in a new workflow
      </Button>
      {open && (
        <Button icon="plus" onClick={() => keep(false)}>
          Use in {open.document.workflow.name}
        </Button>
      )}
    </>
  );
}
