/** Publishes the open workflow as a tool for MCP clients, and shows how to connect one. */

import { useState } from "react";
import { hintText } from "../../model/text/hints";
import type { Workflow } from "../../model/workflow/workflow";
import { useAction } from "../../queries/action";
import { useBacktest } from "../../queries/backtest";
import type { ToolDraft, Publication, PublishOptions } from "../../queries/publication";
import { publishAs, useToolDraft, usePublication } from "../../queries/publication";
import { PUBLISHED, unpublish } from "../../queries/publishedTools";
import { save } from "../../queries/save";
import { WORKFLOWS } from "../../queries/workflows";
import { runCommand } from "../../state/commands";
import { isDirty } from "../../state/document";
import { useDocument, useEditor } from "../../state/editorContext";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { BacktestPanel } from "./BacktestPanel";
import { ClientConnection } from "./ClientConnection";
import "./publish.css";

const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,47}$/;
const MAX_DESCRIPTION = 1_000;

export function PublishDialog({ workflow, onClose }: { workflow: Workflow; onClose(): void }) {
  const { publication, isBehind } = usePublication();
  const { data: draft, error } = useToolDraft(workflow);
  return (
    <Dialog
      title={publication ? `Published as ${publication.tool}` : `Publish ${workflow.name}`}
      onClose={onClose}
      wide
    >
      {error && <p role="alert">{error.message}</p>}
      {!draft && !error && <p className="faint">Loading the tool…</p>}
      {draft && (
        <PublishForm
          key={publication?.publishedAt ?? "new"}
          draft={draft}
          publication={publication}
          isBehind={isBehind}
          workflow={workflow}
        />
      )}
      {draft && publication && <ClientConnection tool={publication.tool} />}
      <p className="row faint">
        Or share it as files:
        <Button look="quiet" icon="download" onClick={() => (onClose(), runCommand("export"))}>
          Export as a slash command, skill or agent…
        </Button>
      </p>
    </Dialog>
  );
}

interface FormProps {
  draft: ToolDraft;
  publication: Publication | null;
  isBehind: boolean;
  workflow: Workflow;
}

function PublishForm({ draft, publication, isBehind, workflow }: FormProps) {
  const editor = useEditor();
  const backtest = useBacktest(
    workflow,
    useDocument((state) => state.storedAs),
  );
  const hasDifferences = backtest.found?.cases.some(({ verdict }) => verdict === "differs") ?? false;
  const hasEdits = useDocument(isDirty);
  const [options, setOptions] = useState<PublishOptions>({
    tool: publication?.tool ?? draft.tool,
    description: publication?.description ?? draft.description,
    ifLeft: publication?.ifLeft ?? "cancel",
  });
  const [isBusy, runAction] = useAction(PUBLISHED, WORKFLOWS);
  const isValidName = TOOL_NAME.test(options.tool);
  const length = `${[...options.description].length} of ${MAX_DESCRIPTION.toLocaleString("en")} characters`;
  const publish = () =>
    runAction("Not published", async () => {
      if (editor.document.isDirty && !(await save(editor)))
        throw new Error("The workflow is not saved, so it was not published");
      const { storedAs } = editor.document;
      if (!storedAs) throw new Error("Save the workflow first");
      return `Published as the tool ${(await publishAs(storedAs, options)).tool}`;
    });
  const problems = draft.problems;
  return (
    <form className="publish" onSubmit={(event) => (event.preventDefault(), void publish())}>
      {publication && (
        <p className="row">
          <Badge tone={isBehind ? "warn" : "good"}>{isBehind ? "unpublished changes" : "current"}</Badge>
          <span className="faint">
            Published on {new Date(publication.publishedAt).toLocaleString()}. Later edits are not included
            until you publish again.
          </span>
        </p>
      )}
      <Field
        label="Tool name"
        fault={isValidName ? null : "Starts with a letter; letters, digits, _ and -; at most 48 characters."}
      >
        {(id, _, aria) => (
          <input
            id={id}
            className="input input--code"
            {...aria}
            value={options.tool}
            onChange={(event) => setOptions({ ...options, tool: event.target.value })}
          />
        )}
      </Field>
      <Field label="Description" note={`What a client's model reads to decide when to call it. ${length}.`}>
        {(id, _, aria) => (
          <textarea
            id={id}
            className="textarea"
            rows={3}
            maxLength={MAX_DESCRIPTION}
            {...aria}
            value={options.description}
            onChange={(event) => setOptions({ ...options, description: event.target.value })}
          />
        )}
      </Field>
      <Field label="If the caller disconnects">
        {(id) => (
          <select
            id={id}
            className="select"
            value={options.ifLeft}
            onChange={(event) =>
              setOptions({ ...options, ifLeft: event.target.value as PublishOptions["ifLeft"] })
            }
          >
            <option value="cancel">Stop the run</option>
            <option value="continue">Continue the run</option>
          </select>
        )}
      </Field>
      <ToolInputs draft={draft} />
      {problems.length > 0 && (
        <div role="alert" className="publish__problems">
          <strong>Fix these errors before publishing:</strong>
          <ul>
            {problems.map((problem) => (
              <li key={problem.code + problem.pointer}>
                {problem.message}
                {problem.hint && <span className="faint"> — {hintText(problem.hint)}</span>}
              </li>
            ))}
          </ul>
        </div>
      )}
      {hasEdits && (
        <p>
          <Badge tone="warn">unsaved</Badge> The workflow has unsaved changes. They are saved, then published.
        </p>
      )}
      <BacktestPanel backtest={backtest} />
      <div className="row">
        <Button
          look="primary"
          icon="share"
          type="submit"
          disabled={isBusy || !isValidName || problems.length > 0}
        >
          {label(hasEdits, publication !== null, hasDifferences)}
        </Button>
        {publication && (
          <Button
            look="danger"
            disabled={isBusy}
            onClick={() => void runAction("Not unpublished", () => unpublish(publication.tool))}
          >
            Unpublish
          </Button>
        )}
        <span className="faint">Callers need a key with tools:read and workflows:run.</span>
      </div>
    </form>
  );
}

function label(hasEdits: boolean, isPublished: boolean, hasDifferences: boolean): string {
  const words = hasEdits ? "Save and publish" : isPublished && !hasDifferences ? "Publish again" : "Publish";
  return hasDifferences ? `${words} anyway` : words;
}

/** What a client sees of the tool: its inputs and both schemas. */
function ToolInputs({ draft }: { draft: ToolDraft }) {
  const [isOpen, setOpen] = useState(false);
  const properties = Object.entries(
    (draft.inputSchema["properties"] ?? {}) as Record<string, { type?: unknown; description?: unknown }>,
  );
  const required = new Set((draft.inputSchema["required"] ?? []) as string[]);
  return (
    <div className="publish__takes">
      <div className="field__label">Inputs</div>
      {properties.length === 0 && <span className="faint">None.</span>}
      <ul aria-label="Inputs of the tool">
        {properties.map(([name, { type, description }]) => (
          <li key={name}>
            <code>{name}</code>{" "}
            <span className="faint">
              {[
                typeof type === "string" ? type : "any",
                required.has(name) ? "required" : "",
                typeof description === "string" ? description : "",
              ]
                .filter(Boolean)
                .join(" · ")}
            </span>
          </li>
        ))}
      </ul>
      <button type="button" className="publish__more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "▾" : "▸"} Schemas
      </button>
      {isOpen && (
        <pre tabIndex={0} role="region" aria-label="Schemas of the tool">
          {JSON.stringify({ inputSchema: draft.inputSchema, outputSchema: draft.outputSchema }, null, 2)}
        </pre>
      )}
    </div>
  );
}
