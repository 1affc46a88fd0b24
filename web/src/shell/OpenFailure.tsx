/** A workflow that cannot be opened: the reason, and what the user can do. */

import type { ApiError } from "../api/client";
import { safeText } from "../model/text/untrusted";
import { readDraft } from "../state/drafts";
import { currentRun, openEditor } from "../state/workspace";
import { Button } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";
import { Untrusted } from "../ui/Untrusted";

interface Props {
  name: string;
  fault: ApiError | Error;
  onAgain(): void;
}

export function OpenFailure({ name, fault, onAgain }: Props) {
  const draft = readDraft({ storedAs: name });
  const hint = "hint" in fault ? fault.hint : null;
  const openDraft = () => {
    if (draft)
      openEditor(
        { workflow: draft.workflow, storedAs: name, revision: draft.revision, isUnsaved: true },
        currentRun() ?? undefined,
      );
  };
  if (!draft && "code" in fault && fault.code === "WORKFLOW_NOT_FOUND")
    return (
      <EmptyState icon="search" title={`There is no workflow ${safeText(name).text}`} isPage>
        <p role="alert">It may have been renamed or deleted.</p>
        <a className="button button--primary" href="#/">
          Back to workflows
        </a>
      </EmptyState>
    );
  return (
    <EmptyState title={`${safeText(name).text} cannot be opened`} isPage>
      <p role="alert">
        <Untrusted {...safeText(fault.message)} />
      </p>
      {hint && <p className="faint">{safeText(hint).text}</p>}
      <p>It was not changed.{draft && " Your unsaved changes are kept in this browser."}</p>
      <div className="row">
        {draft && (
          <Button look="primary" onClick={openDraft}>
            Open unsaved changes
          </Button>
        )}
        <Button icon="again" onClick={onAgain}>
          Try again
        </Button>
        <a className="button button--quiet" href="#/">
          Back to workflows
        </a>
      </div>
    </EmptyState>
  );
}
