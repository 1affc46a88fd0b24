/** One node in full: what it can read, its form, and its output, side by side. */

import type { KeyboardEvent, ReactNode } from "react";
import { useId, useRef, useState } from "react";
import { neighbour } from "../../model/workflow/navigation";
import { nodeIcon } from "../../model/workflow/catalog";
import { canOpenNode } from "../../model/workflow/families";
import type { WorkflowNode } from "../../model/workflow/workflow";
import { nodeById, nodeTitle } from "../../model/workflow/workflow";
import { keyCombination, runCommand } from "../../state/commands";
import { useEditor } from "../../state/editorContext";
import { setPanels } from "../../state/panels";
import { IconButton } from "../../ui/Button";
import { NodeIcon } from "../../ui/NodeIcon";
import { Tabs } from "../../ui/Tabs";
import { useModal } from "../../ui/useModal";
import { InputPane } from "./InputPane";
import { OutputPane } from "./OutputPane";
import "./node.css";

type PaneName = "input" | "form" | "output";
const PANES: readonly { name: PaneName; title: string }[] = [
  { name: "input", title: "Input" },
  { name: "form", title: "Parameters" },
  { name: "output", title: "Output" },
];
/** Commands that work here as on the canvas. */
const SHARED_COMMANDS: Readonly<Record<string, string>> = {
  "mod+s": "save",
  "mod+z": "undo",
  "mod+shift+z": "redo",
  "mod+y": "redo",
};

/** There, Alt and an arrow moves by a word in a text. */
const IS_MAC = navigator.userAgent.includes("Mac");
/** Where the arrow keys have a meaning of their own. */
const USES_ARROWS = "input, textarea, select, pre, .code-editor, [role=tree], [role=tablist], [role=listbox]";

interface Props {
  node: WorkflowNode;
  form: ReactNode;
  onClose(): void;
}

export default function NodeView({ node, form, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // In a narrow window one pane is shown at a time.
  const [pane, setPane] = useState<PaneName>("form");
  useModal(dialog);
  const walk = useWalk(node);
  const walkAction = (pressed: string, target: Element) => {
    const [, alt, direction] = /^(alt\+)?arrow(left|right)$/.exec(pressed) ?? [];
    const next = direction === "left" ? walk.before : direction === "right" ? walk.after : undefined;
    const isTaken = target.closest(USES_ARROWS) !== null && !(alt && !IS_MAC);
    return next && !isTaken ? () => walk.to(next) : null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const pressed = keyCombination(event);
    const command = SHARED_COMMANDS[pressed];
    // A text field undoes its own typing.
    const isTyping = command !== "save" && (event.target as Element).matches("input, textarea, .code-editor");
    const action =
      command && !isTyping
        ? () => runCommand(command)
        : pressed === "alt+i"
          ? () => focusInput(dialog.current)
          : walkAction(pressed, event.target as Element);
    if (!action) return;
    event.preventDefault();
    action();
  };
  return (
    <dialog
      ref={dialog}
      className="node-view"
      aria-labelledby={id}
      data-pane={pane}
      onKeyDown={onKeyDown}
      onCancel={(event) => (event.preventDefault(), onClose())}
    >
      <div className="node-view__frame">
        <header className="node-view__head">
          <NodeIcon {...nodeIcon(node)} size={18} />
          <h2 id={id} className="node-view__title">
            {nodeTitle(node)}
          </h2>
          <span className="node-view__space" />
          <WalkButtons {...walk} />
          <IconButton label="Close" icon="close" keys="Esc" onClick={onClose} />
        </header>
        <div className="node-view__tabs">
          <Tabs<PaneName> label="Node" tabs={PANES} current={pane} onChange={setPane} />
        </div>
        <div className="node-view__panes">
          <section className="node-view__pane node-view__pane--input" aria-label="Input">
            <InputPane key={node.id} node={node} onInsert={() => setPane("form")} />
          </section>
          <section className="node-view__pane node-view__pane--form dialog__body" aria-label="Parameters">
            {form}
          </section>
          <section className="node-view__pane node-view__pane--output" aria-label="Output">
            <OutputPane key={node.id} node={node} />
          </section>
        </div>
      </div>
    </dialog>
  );
}

/** Moves the focus to the tree of values, to choose one for the current field. */
function focusInput(dialog: HTMLElement | null): void {
  dialog?.querySelector<HTMLElement>(".node-view__pane--input [role=treeitem][tabindex='0']")?.focus();
}

interface Walk {
  before: WorkflowNode | undefined;
  after: WorkflowNode | undefined;
  to(node: WorkflowNode): void;
}

/** The previous and the next node along the connections. */
function useWalk(node: WorkflowNode): Walk {
  const editor = useEditor();
  const towards = (direction: "left" | "right") => {
    const { workflow } = editor.document;
    const next = workflow.connections.some((edge) =>
      direction === "left" ? edge.to === node.id : edge.from === node.id,
    )
      ? neighbour(workflow, node.id, direction)
      : null;
    const found = next ? nodeById(workflow, next) : undefined;
    return found && canOpenNode(found) ? found : undefined;
  };
  return {
    before: towards("left"),
    after: towards("right"),
    to({ id }) {
      editor.document.select([id]);
      setPanels({ openNode: id });
    },
  };
}

function WalkButtons({ before, after, to }: Walk) {
  return (
    <>
      <IconButton
        label={before ? `Previous node: ${nodeTitle(before)}` : "Previous node"}
        icon="left"
        keys="Alt ←"
        disabled={!before}
        onClick={() => before && to(before)}
      />
      <IconButton
        label={after ? `Next node: ${nodeTitle(after)}` : "Next node"}
        icon="right"
        keys="Alt →"
        disabled={!after}
        onClick={() => after && to(after)}
      />
    </>
  );
}
