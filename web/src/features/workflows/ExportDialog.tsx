/** Exports the workflow to another format, with a preview. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Workflow } from "../../model/workflow/workflow";
import { AGENT_FORMATS, DIALECTS, exportWorkflow } from "../../queries/formats";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { downloadText } from "./download";
import "./workflows.css";

export function ExportDialog({ workflow, onClose }: { workflow: Workflow; onClose(): void }) {
  const [to, setTo] = useState<string>("toolweave");
  const { data: files, error } = useQuery({
    queryKey: ["export", to, workflow],
    queryFn: () => exportWorkflow(workflow, to),
    retry: false,
  });
  return (
    <Dialog title={`Export ${workflow.name}`} onClose={onClose} wide>
      <Field label="As">
        {(id, _, said) => (
          <select
            id={id}
            {...said}
            className="select"
            value={to}
            onChange={(event) => setTo(event.target.value)}
          >
            <optgroup label="Workflow files">
              {DIALECTS.map((format) => (
                <option key={format}>{format}</option>
              ))}
            </optgroup>
            <optgroup label="Coding agents and diagrams">
              {AGENT_FORMATS.map((format) => (
                <option key={format}>{format}</option>
              ))}
            </optgroup>
          </select>
        )}
      </Field>
      {error && <p role="alert">{error.message}</p>}
      {files?.map((file) => (
        <div key={file.path} className="export__file">
          <div className="row">
            <code>{file.path}</code>
            <Button icon="download" onClick={() => downloadText(file.path.split("/").at(-1)!, file.text)}>
              Save
            </Button>
          </div>
          <pre tabIndex={0}>{file.text.slice(0, 20_000)}</pre>
        </div>
      ))}
    </Dialog>
  );
}
