/** The stored workflows, or the welcome card if there are none. */

import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { countOf } from "../../model/text/formatValue";
import { importFile } from "../../queries/formats";
import { createSample } from "../../queries/sample";
import { deleteWorkflow, loadWorkflow, saveWorkflow, useWorkflows, WORKFLOWS } from "../../queries/workflows";
import { openImported } from "../../state/importedWorkflow";
import { notify, notifyError } from "../../state/notices";
import { navigate, hrefTo } from "../../state/route";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Icon } from "../../ui/Icon";
import { Menu } from "../../ui/Menu";
import { Drafts } from "./Drafts";
import { GettingStarted } from "./GettingStarted";
import { RecentRuns, SuggestedTemplates } from "./HomeSections";
import { Welcome } from "./Welcome";

const SAMPLE = "what-to-wear";
/** Who has this many workflows knows where the templates are. */
const MIN_FOR_NO_SUGGESTIONS = 4;

export function WorkflowsPage() {
  const { data: workflows, error } = useWorkflows();
  const [search, setSearch] = useState("");
  const file = useRef<HTMLInputElement>(null);
  const matching = workflows?.filter((workflow) =>
    `${workflow.name} ${workflow.description ?? ""}`.toLowerCase().includes(search.toLowerCase()),
  );
  const importChosen = async (chosen: File | undefined) => {
    if (!chosen) return;
    try {
      navigate("new", openImported(await importFile(chosen)));
    } catch (error) {
      notifyError(error, `${chosen.name} cannot be read`);
    }
  };
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
                void importChosen(event.target.files?.[0]);
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
                Sample
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
        {workflows && workflows.length > 0 && (
          <>
            {workflows.length > 8 && (
              <input
                className="input"
                type="search"
                placeholder="Search workflows"
                aria-label="Search workflows"
                value={search}
                onChange={(event) => setSearch(event.target.value)}
              />
            )}
            <div className="card">
              <table className="table" aria-label="Workflows">
                <thead>
                  <tr>
                    <th>Name</th>
                    <th className="table__extra">Nodes</th>
                    <th>State</th>
                    <th>
                      <span className="visually-hidden">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {matching?.map((workflow) => (
                    <tr key={workflow.slug}>
                      <td>
                        <a href={hrefTo("w", workflow.name)}>
                          <strong>{workflow.name}</strong>
                        </a>
                        {workflow.description && <div className="faint">{workflow.description}</div>}
                      </td>
                      <td className="table__extra">{workflow.nodes}</td>
                      <td>
                        {workflow.errors ? (
                          <Badge tone="bad">{countOf(workflow.errors, "error")}</Badge>
                        ) : (
                          <Badge tone="good">No errors</Badge>
                        )}
                      </td>
                      <td className="file-row__actions">
                        <RowMenu name={workflow.name} revision={workflow.revision} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
        {workflows && workflows.length < MIN_FOR_NO_SUGGESTIONS && <SuggestedTemplates />}
        <RecentRuns />
      </div>
    </div>
  );
}

function RowMenu({ name, revision }: { name: string; revision: string }) {
  const queries = useQueryClient();
  const refetch = () => void queries.invalidateQueries({ queryKey: WORKFLOWS });
  const copy = async () => {
    const { workflow } = await loadWorkflow(name);
    await saveWorkflow({ ...workflow, name: `${name}-copy` }, `${name}-copy`, null);
    refetch();
  };
  const remove = async () => {
    const { workflow } = await loadWorkflow(name);
    await deleteWorkflow(name, revision);
    refetch();
    const restore = () =>
      void saveWorkflow(workflow, name, null)
        .then(refetch)
        .catch((error: unknown) => notifyError(error, "Not restored"));
    notify(`Deleted ${name}`, { action: { title: "Undo", run: restore } });
  };
  const notifyFailure = (action: Promise<void>, failure: string) =>
    void action.catch((error: unknown) => notifyError(error, failure));
  return (
    <Menu
      label={`Actions for ${name}`}
      actions={[
        { title: "Open", icon: "list", run: () => navigate("w", name) },
        { title: "Duplicate", icon: "copy", run: () => notifyFailure(copy(), "Not duplicated") },
        {
          title: "Delete",
          icon: "trash",
          startsGroup: true,
          run: () => notifyFailure(remove(), "Not deleted"),
        },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}
