/** Exports the workflow to another format, with a preview. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Workflow } from "../../model/workflow/workflow";
import { AGENT_FORMATS, DIALECTS, exportWorkflow } from "../../queries/formats";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { Dialog } from "../../ui/Dialog";
import { Field } from "../../ui/Field";
import { downloadText } from "./download";
import "./workflows.css";

export function ExportDialog({ workflow, onClose }: { workflow: Workflow; onClose(): void }) {
  const [target, setFormat] = useState<string>("toolweave");
  const { data: files, error } = useQuery({
    queryKey: ["export", target, workflow],
    queryFn: () => exportWorkflow(workflow, target),
    retry: false,
  });
  return (
    <Dialog title={`Export ${workflow.name}`} onClose={onClose} wide>
      <Field label="Format">
        {(id, _, aria) => (
          <select
            id={id}
            {...aria}
            className="select"
            value={target}
            onChange={(event) => setFormat(event.target.value)}
          >
            <optgroup label="Workflow files">
              {DIALECTS.map(({ name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </optgroup>
            <optgroup label="Coding agents and diagrams">
              {AGENT_FORMATS.map(({ name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
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
              Download
            </Button>
            <CopyButton text={file.text} what={file.path} />
          </div>
          <pre tabIndex={0}>{file.text.slice(0, 20_000)}</pre>
        </div>
      ))}
    </Dialog>
  );
}
