/** All problems of the workflow, with a button that applies the available fixes. */

import { problemHint, problemText } from "../../model/form/problems";
import { hintText } from "../../model/text/hints";
import { nodeAtPointer, sortProblems } from "../../model/workflow/problems";
import type { Workflow } from "../../model/workflow/workflow";
import { nodeById, nodeTitle } from "../../model/workflow/workflow";
import { runCommand } from "../../state/commands";
import { useEditor, useProblems } from "../../state/editorContext";
import { showInspector } from "../../state/panels";
import { Button, IconButton } from "../../ui/Button";
import "./inspector.css";

export function ProblemList({ workflow, onFix }: { workflow: Workflow; onFix(): void }) {
  const editor = useEditor();
  const problems = useProblems((state) => state.all);
  const canFix = problems.some((problem) => problem.patch?.length);
  const reveal = (pointer: string) => {
    const node = nodeAtPointer(workflow, pointer);
    if (!node) return;
    editor.formAttention.add(node);
    editor.document.select([node]);
    editor.canvas?.reveal(node);
    runCommand("settings");
  };
  return (
    <div className="inspector">
      <div className="row side-head">
        <h2>Problems</h2>
        {canFix && (
          <Button icon="check" onClick={onFix}>
            Fix automatically
          </Button>
        )}
        <IconButton label="Close problems" icon="close" onClick={showInspector} />
      </div>
      {problems.length === 0 && <p className="faint">No problems.</p>}
      {sortProblems(workflow, problems).map((problem) => (
        <button
          key={problem.code + problem.pointer}
          type="button"
          className={`inspector__problem inspector__problem--${problem.severity} inspector__problem--button`}
          onClick={() => reveal(problem.pointer)}
        >
          {problemText(problem)}
          {problemHint(problem) && <div className="faint">{hintText(problemHint(problem)!)}</div>}
          <div className="faint" title={problem.pointer}>
            {placeOf(workflow, problem.pointer)}
          </div>
        </button>
      ))}
    </div>
  );
}

/** The node that a problem is about. */
function placeOf(workflow: Workflow, pointer: string): string {
  const node = nodeById(workflow, nodeAtPointer(workflow, pointer) ?? "");
  return node ? nodeTitle(node) : "Workflow";
}
