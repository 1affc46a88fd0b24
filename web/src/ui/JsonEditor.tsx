/** A field for JSON with syntax colours; its editor is loaded only when a field is opened. */

import { Suspense, lazy } from "react";
import type { CodeEditorProps } from "./CodeEditor";
import type { FieldAria } from "./Field";

const CodeEditor = lazy(() => import("./CodeEditor"));

export function JsonEditor({ id, aria, ...props }: CodeEditorProps & { id: string; aria: FieldAria }) {
  return (
    <div
      id={id}
      role="group"
      aria-label="JSON editor"
      aria-describedby={aria["aria-describedby"]}
      className={`code-field code-field--json ${aria["aria-invalid"] ? "code-field--invalid" : ""}`}
    >
      <Suspense fallback={<pre className="code-field__loading">{props.value}</pre>}>
        <CodeEditor id={id} {...props} />
      </Suspense>
    </div>
  );
}
