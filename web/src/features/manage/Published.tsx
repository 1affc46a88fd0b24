/** Workflows that other programs call as MCP tools. */

import { pathTo } from "../../state/route";
import { useDoing } from "../../queries/action";
import { publish, PUBLISHED, unpublish, usePublished } from "../../queries/manage";
import { useWorkflows } from "../../queries/workflows";
import { AddForm } from "./AddForm";
import { RemoveButton, Section } from "./Section";

export function Published() {
  const { data: tools, error } = usePublished();
  const { data: workflows } = useWorkflows();
  const [doing, start] = useDoing(PUBLISHED);
  const names = workflows?.map(({ name }) => name) ?? [];
  return (
    <Section
      title="Published tools"
      error={error}
      rows={tools}
      nothing="Publish a workflow, and every MCP client can call it as a tool, at /mcp of this service."
      columns={[
        { title: "Tool", show: (one) => <strong className="mono">{one.tool}</strong> },
        { title: "Workflow", show: (one) => <a href={pathTo("w", one.workflow)}>{one.workflow}</a> },
        { title: "Description", show: (one) => one.description },
        { title: "Since", show: (one) => new Date(one.publishedAt).toLocaleString() },
      ]}
      actions={(one) => <RemoveButton name={one.tool} title="Take back" words="Programs that call it are told that there is no such tool. Runs that began go on." isOff={doing} onRemove={() => void start("Not taken back", () => unpublish(one.tool))} />}
    >
      <AddForm title="Publish a workflow" fields={[{ name: "workflow", title: "Workflow", isNeeded: true, options: names, note: "As it is stored now; publish it again after an edit." }]} isOff={doing} onAdd={({ workflow }) => start("Not published", () => publish(workflow!))} />
    </Section>
  );
}
