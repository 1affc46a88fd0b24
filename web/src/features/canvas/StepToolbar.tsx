/** The actions of a node, above it while the pointer is on it. Keyboard users have commands for all of them. */

import { canBeDisabled, isDisabledNode, pinOfNode } from "../../model/workflow/nodeActions";
import { runCommand } from "../../state/commands";
import { useDocument, useEditor } from "../../state/editorContext";
import type { IconName } from "../../ui/Icon";
import { Icon } from "../../ui/Icon";
import { Menu } from "../../ui/Menu";

interface Action {
  command: string;
  title: string;
  icon: IconName;
  keys: string;
}

const disableAction = (isDisabled: boolean): Action => ({
  command: "disable",
  title: isDisabled ? "Enable" : "Disable",
  icon: "plug",
  keys: "D",
});

export function StepToolbar({ id }: { id: string }) {
  const editor = useEditor();
  const isPinned = useDocument(({ history }) => pinOfNode(history.present, id));
  const isDisabled = useDocument(({ history }) => isDisabledNode(history.present, id));
  const hasDisable = useDocument(({ history }) => canBeDisabled(history.present, id));
  const run = (command: string) => {
    editor.document.select([id]);
    runCommand(command);
  };
  /** For the whole selection if the node is part of it. */
  const runOnAll = (command: string) => {
    if (!editor.document.selection.has(id)) editor.document.select([id]);
    runCommand(command);
  };
  const actions: readonly Action[] = [
    { command: "run-step", title: "Run this step", icon: "play", keys: "R" },
    { command: "pin", title: isPinned ? "Unpin the output" : "Pin the output", icon: "pin", keys: "Shift P" },
    { command: "duplicate", title: "Duplicate", icon: "copy", keys: "Ctrl D" },
    ...(hasDisable ? [disableAction(isDisabled)] : []),
    { command: "delete", title: "Delete", icon: "trash", keys: "Del" },
  ];
  return (
    <div
      className="step__toolbar nodrag nopan"
      role="group"
      aria-label="Actions of the node"
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      {actions.map(({ command, title, icon, keys }) => (
        <button
          key={command}
          type="button"
          tabIndex={-1}
          className="step__action"
          aria-label={title}
          title={`${title} (${keys})`}
          onClick={() => run(command)}
        >
          <Icon name={icon} size={13} />
        </button>
      ))}
      <Menu
        label="More actions"
        className="step__action"
        actions={[
          { title: "Open", icon: "expand", keys: "↵", run: () => run("configure") },
          { title: "Connect to…", icon: "link", keys: "C", run: () => run("connect") },
          { title: "Copy", icon: "copy", keys: "Ctrl C", run: () => run("copy") },
          { title: "Group", icon: "panel", keys: "Ctrl G", run: () => runOnAll("group") },
          {
            title: "Extract to a sub-workflow…",
            icon: "nested",
            keys: "X",
            run: () => runOnAll("extract"),
          },
          ...actions.map(({ command, title, icon, keys }, at) => ({
            ...{ title, icon, keys, startsGroup: at === 0 },
            run: () => run(command),
          })),
        ]}
      >
        <Icon name="more" size={13} />
      </Menu>
    </div>
  );
}
