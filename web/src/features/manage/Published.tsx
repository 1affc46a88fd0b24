/** Workflows that other programs call as MCP tools. */

import { safeText } from "../../model/text/untrusted";
import { useAction } from "../../queries/action";
import { publish, PUBLISHED, unpublish, usePublished } from "../../queries/publishedTools";
import { useWorkflows } from "../../queries/workflows";
import { hrefTo } from "../../state/route";
import { RemoveButton, Section } from "./Section";

export function Published() {
  const { data: tools, error } = usePublished();
  const { data: workflows } = useWorkflows();
  const [isBusy, runAction] = useAction(PUBLISHED);
  const names = workflows?.map(({ name }) => name) ?? [];
  return (
    <Section
      title="Published tools"
      error={error}
      rows={tools}
      nothing="Publish a workflow so that MCP clients can call it as a tool, at /mcp of this service."
      columns={[
        { title: "Tool", show: (published) => <strong className="mono">{published.tool}</strong> },
        {
          title: "Workflow",
          show: (published) => (
            <a href={hrefTo("w", published.workflow)}>{safeText(published.workflow).text}</a>
          ),
        },
        { title: "Description", show: (published) => safeText(published.description).text },
        { title: "Since", show: (published) => new Date(published.publishedAt).toLocaleString() },
      ]}
      actions={(published) => (
        <RemoveButton
          name={published.tool}
          title="Unpublish"
          words="Clients can no longer call this tool. Runs in progress continue."
          isDisabled={isBusy}
          onRemove={() => void runAction("Not unpublished", () => unpublish(published.tool))}
        />
      )}
      add={{
        title: "Publish a workflow",
        fields: [
          {
            name: "workflow",
            title: "Workflow",
            isNeeded: true,
            options: names,
            note: "Publishes the saved version; publish again after an edit.",
          },
        ],
        isDisabled: isBusy,
        onAdd: ({ workflow }) => runAction("Not published", () => publish(workflow!)),
      }}
    />
  );
}
