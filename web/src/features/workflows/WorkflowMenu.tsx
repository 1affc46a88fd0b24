/** What can be done with a stored workflow from the list. */

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { WorkflowOverview } from "../../queries/workflows";
import { deleteWorkflow, loadWorkflow, saveWorkflow, useOverview, WORKFLOWS } from "../../queries/workflows";
import { notify, notifyError } from "../../state/notices";
import { hrefToRunsOf, navigate } from "../../state/route";
import { Icon } from "../../ui/Icon";
import { Menu } from "../../ui/Menu";
import { TagsDialog } from "./TagsDialog";

export function WorkflowMenu({ workflow: listed }: { workflow: WorkflowOverview }) {
  const { name, revision } = listed;
  const [isTagging, setTagging] = useState(false);
  const queries = useQueryClient();
  const refetch = () => void queries.invalidateQueries({ queryKey: WORKFLOWS });
  const { data: workflows = [] } = useOverview();
  const copy = async () => {
    const { workflow } = await loadWorkflow(name);
    const free = freeName(
      `${name}-copy`,
      workflows.map((other) => other.name),
    );
    await saveWorkflow({ ...workflow, name: free }, free, null);
    refetch();
    notify(`Duplicated as ${free}`, { tone: "good" });
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
    <>
      <Menu
        label={`Actions for ${name}`}
        actions={[
          { title: "Open", icon: "list", run: () => navigate("w", name) },
          { title: "Runs", icon: "clock", run: () => (window.location.hash = hrefToRunsOf(name)) },
          { title: "Duplicate", icon: "copy", run: () => notifyFailure(copy(), "Not duplicated") },
          { title: "Edit tags…", icon: "tag", run: () => setTagging(true) },
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
      {isTagging && <TagsDialog workflow={listed} onClose={() => setTagging(false)} />}
    </>
  );
}

/** The name itself, else with the first number that makes it free. */
function freeName(wanted: string, taken: readonly string[]): string {
  if (!taken.includes(wanted)) return wanted;
  let number = 2;
  while (taken.includes(`${wanted}-${number}`)) number += 1;
  return `${wanted}-${number}`;
}
