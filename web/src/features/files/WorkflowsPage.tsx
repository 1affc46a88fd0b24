/** The stored workflows, and the first steps where there are none. */

import { go, pathTo } from "../../model/route";
import { useWorkflows } from "../../queries/workflows";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";

export function WorkflowsPage() {
  const { data: workflows, error } = useWorkflows();
  return (
    <div className="page">
      <div className="page__inner">
        <div className="page__head">
          <h1>Workflows</h1>
          <Button look="primary" icon="plus" onClick={() => go("new")}>
            New workflow
          </Button>
        </div>
        {error && <p role="alert">{error.message}</p>}
        {workflows?.length === 0 && (
          <Empty title="No workflows yet">
            <p>Make one, or open the sample.</p>
          </Empty>
        )}
        {workflows && workflows.length > 0 && (
          <div className="card">
            <table className="table">
              <thead>
                <tr>
                  <th>Name</th>
                  <th>Nodes</th>
                  <th>State</th>
                </tr>
              </thead>
              <tbody>
                {workflows.map((one) => (
                  <tr key={one.slug}>
                    <td>
                      <a href={pathTo("w", one.name)}>{one.name}</a>
                      {one.description && <div className="faint">{one.description}</div>}
                    </td>
                    <td>{one.nodes}</td>
                    <td>{one.errors ? <Badge tone="bad">{one.errors} wrong</Badge> : <Badge tone="good">fine</Badge>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
    </div>
  );
}
