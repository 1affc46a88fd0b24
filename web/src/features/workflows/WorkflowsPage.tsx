/** The stored workflows, or the welcome card if there are none. */

import { useRef } from "react";
import { openFile } from "../../queries/importedFiles";
import { createSample } from "../../queries/sample";
import { useOverview } from "../../queries/workflows";
import { notifyError } from "../../state/notices";
import { navigate } from "../../state/route";
import { Button } from "../../ui/Button";
import { Drafts } from "./Drafts";
import { GettingStarted } from "./GettingStarted";
import { RecentRuns, SuggestedTemplates } from "./HomeSections";
import { Welcome } from "./Welcome";
import { WorkflowList } from "./WorkflowList";

const SAMPLE = "what-to-wear";
/** Who has this many workflows knows where the templates are. */
const MIN_FOR_NO_SUGGESTIONS = 4;

export function WorkflowsPage() {
  const { data: workflows, error } = useOverview();
  const file = useRef<HTMLInputElement>(null);
  return (
    <div className="page">
      <div className="page__inner">
        <div className="page__head">
          <h1>Workflows</h1>
          <div className="row">
            <input
              ref={file}
              type="file"
              hidden
              aria-label="File to import"
              accept=".json,.yaml,.yml,.md,.mdc,.txt"
              onChange={(event) => {
                const [chosen] = event.target.files ?? [];
                if (chosen) void openFile(chosen);
                // Without this, choosing the same file again would not fire an event.
                event.target.value = "";
              }}
            />
            {workflows && workflows.length > 0 && (
              <Button
                look="quiet"
                onClick={() =>
                  void createSample()
                    .then((name) => navigate("w", name))
                    .catch((error: unknown) => notifyError(error, "The sample cannot be opened"))
                }
              >
                Open sample
              </Button>
            )}
            <Button icon="upload" onClick={() => file.current?.click()}>
              Import
            </Button>
            <Button look="primary" icon="plus" onClick={() => navigate("new")}>
              New workflow
            </Button>
          </div>
        </div>
        {error && <p role="alert">{error.message}</p>}
        <Drafts />
        {workflows && <GettingStarted hasOwn={workflows.some(({ name }) => name !== SAMPLE)} />}
        {workflows?.length === 0 && <Welcome />}
        {workflows && workflows.length > 0 && <WorkflowList workflows={workflows} />}
        {workflows && workflows.length < MIN_FOR_NO_SUGGESTIONS && <SuggestedTemplates />}
        <RecentRuns />
      </div>
    </div>
  );
}
