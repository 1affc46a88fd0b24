/** Markdown documents that contain tool calls. */

import { useAction } from "../../queries/action";
import { checkDocument, DOCUMENTS, runDocument, useDocuments } from "../../queries/documents";
import { hrefTo } from "../../state/route";
import { Button } from "../../ui/Button";
import { Section } from "./Section";

export function Documents() {
  const { data: documents, error } = useDocuments();
  const [isBusy, runAction] = useAction(DOCUMENTS);
  return (
    <Section
      title="Documents"
      error={error}
      rows={documents}
      nothing="Markdown files with tool calls appear here if they are in a folder that the studio can read."
      emptyAction={
        <a className="button button--primary" href="/docs/documents/">
          Read about documents
        </a>
      }
      columns={[{ title: "Document", show: (path) => <span className="mono">{path}</span> }]}
      actions={(path) => (
        <>
          <Button
            disabled={isBusy}
            aria-label={`Check ${path}`}
            onClick={() => void runAction("Not checked", () => checkDocument(path))}
          >
            Check
          </Button>
          <Button
            disabled={isBusy}
            aria-label={`Run ${path}`}
            onClick={() => void runAction("Not run", () => runDocument(path))}
          >
            Run blocks
          </Button>
          <a className="button button--quiet" href={`${hrefTo("chat")}?document=${encodeURIComponent(path)}`}>
            Chat
          </a>
        </>
      )}
    />
  );
}
