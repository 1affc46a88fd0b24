/** The actions of a node, above it while the pointer is on it. Keyboard users have commands for all of them. */

import { canBeDisabled, isDisabledNode, pinOfNode } from "../../model/workflow/nodeActions";
import { runCommand } from "../../state/commands";
import { useDocument, useEditor } from "../../state/editorContext";
import type { IconName } from "../../ui/Icon";
import { Icon } from "../../ui/Icon";
import type { MenuAction } from "../../ui/Menu";
import { Menu } from "../../ui/Menu";

interface Action {
  command: string;
  title: string;
  icon: IconName;
  keys: string;
}

const COPY: Action = { command: "copy", title: "Copy", icon: "copy", keys: "Ctrl C" };
const DUPLICATE: Action = { command: "duplicate", title: "Duplicate", icon: "copy", keys: "Ctrl D" };
const DELETE: Action = { command: "delete", title: "Delete", icon: "trash", keys: "Del" };
const OPENING: readonly Action[] = [
  { command: "configure", title: "Open", icon: "expand", keys: "↵" },
  { command: "connect", title: "Connect to…", icon: "link", keys: "C" },
];
const COMBINING: readonly Action[] = [
  { command: "group", title: "Group", icon: "panel", keys: "Ctrl G" },
  { command: "extract", title: "Extract to a sub-workflow…", icon: "nested", keys: "X" },
];

const disableAction = (isDisabled: boolean): Action => ({
  command: "disable",
  title: isDisabled ? "Enable" : "Disable",
  icon: "plug",
  keys: "D",
});

/** `isFar`: only its menu is shown, because its buttons would cover the nodes around. */
export function StepToolbar({ id, isFar = false }: { id: string; isFar?: boolean }) {
  const editor = useEditor();
  const isPinned = useDocument(({ history }) => pinOfNode(history.present, id));
  const isDisabled = useDocument(({ history }) => isDisabledNode(history.present, id));
  const hasDisable = useDocument(({ history }) => canBeDisabled(history.present, id));
  const isOneOfSeveral = useDocument(({ selection }) => selection.size > 1 && selection.has(id));
  const run = (command: string) => {
    editor.document.select([id]);
    runCommand(command);
  };
  const actions: readonly Action[] = [
    { command: "run-step", title: "Run this step", icon: "play", keys: "R" },
    { command: "pin", title: isPinned ? "Unpin the output" : "Pin the output", icon: "pin", keys: "Shift P" },
    DUPLICATE,
    ...(hasDisable ? [disableAction(isDisabled)] : []),
    DELETE,
  ];
  const toMenu = ({ command, title, icon, keys }: Action, runIt: (command: string) => void): MenuAction => ({
    ...{ title, icon, keys },
    run: () => runIt(command),
  });
  const forOne = [
    ...[...OPENING, COPY, ...COMBINING].map((action) => toMenu(action, run)),
    ...actions.map((action, at) => ({ ...toMenu(action, run), startsGroup: at === 0 })),
  ];
  const forAll = [COPY, ...COMBINING, DUPLICATE, DELETE].map((action) => toMenu(action, runCommand));
  return (
    <div
      className={isFar ? "step__toolbar step__toolbar--far" : "step__toolbar nodrag nopan"}
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
      <Menu label="More actions" className="step__action" actions={isOneOfSeveral ? forAll : forOne}>
        <Icon name="more" size={13} />
      </Menu>
    </div>
  );
}
