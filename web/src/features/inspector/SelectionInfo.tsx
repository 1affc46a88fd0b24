/** The side panel while several nodes are selected: what can be done with all of them. */

import { countOf } from "../../model/text/formatValue";
import { runCommand } from "../../state/commands";
import { Button } from "../../ui/Button";
import "./inspector.css";

export function SelectionInfo({ count }: { count: number }) {
  return (
    <div className="inspector">
      <p>{countOf(count, "node")} selected</p>
      <div className="selection-actions">
        <Button icon="nested" title="Extract to a sub-workflow (X)" onClick={() => runCommand("extract")}>
          Extract to a sub-workflow…
        </Button>
        <Button icon="panel" title="Group (Ctrl G)" onClick={() => runCommand("group")}>
          Group
        </Button>
        <Button icon="copy" title="Duplicate (Ctrl D)" onClick={() => runCommand("duplicate")}>
          Duplicate
        </Button>
        <Button icon="trash" title="Delete (Del)" onClick={() => runCommand("delete")}>
          Delete
        </Button>
      </div>
    </div>
  );
}
