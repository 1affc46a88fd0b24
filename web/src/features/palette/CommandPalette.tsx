/** Search by keyboard for nodes, tools and commands, or for a node to connect to; Enter runs the choice. */

import type { KeyboardEvent } from "react";
import { useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { CatalogEntry, Specs } from "../../model/workflow/catalog";
import {
  BUILT_IN_STEPS,
  entryIcon,
  entryText,
  inputPorts,
  nodeIcon,
  outputPorts,
  portLabel,
} from "../../model/workflow/catalog";
import { connectPorts, removeItems } from "../../model/workflow/edits";
import { isUnlikelyNext, searchEntries } from "../../model/workflow/entrySearch";
import { fitsPoint } from "../../model/workflow/insertion";
import type { Workflow } from "../../model/workflow/workflow";
import { nodeById, OUTPUT_PORT, nodeRef, nodeTitle } from "../../model/workflow/workflow";
import { insertEntry } from "../../queries/insertion";
import { announce } from "../../state/announcements";
import { commandStore, formatKeys } from "../../state/commands";
import type { Editor } from "../../state/editor";
import type { NodeSearch } from "../../state/nodeSearch";
import { favoriteStore } from "../../state/favorites";
import { recentNodes } from "../../state/recentNodes";
import { useEditor } from "../../state/editorContext";
import { showInspector } from "../../state/panels";
import { selectAndFocus } from "../../state/selection";
import { Icon } from "../../ui/Icon";
import type { NodeIconProps } from "../../ui/NodeIcon";
import { NodeIcon } from "../../ui/NodeIcon";
import { TextWarning } from "../../ui/TextWarning";
import { useModal } from "../../ui/useModal";
import "./palette.css";

interface Choice {
  id: string;
  title: string;
  summary: string;
  warnings?: string[];
  /** Null for a command. */
  icon: NodeIconProps | null;
  keys?: string;
  run(): void;
}

interface Props {
  kind: "add" | "commands" | "connect" | "disconnect" | "find";
  entries: CatalogEntry[];
  specs: Specs;
  /** Nodes are missing still. */
  isLoading?: boolean;
  /** Where on the canvas the search was opened; null if with a key. */
  search?: NodeSearch | null;
  onClose(): void;
}

const MAX_CHOICES = 40;
const PLACEHOLDERS = {
  add: "Add a node or a tool…",
  commands: "Type a command, a node or a tool…",
  connect: "Connect to…",
  disconnect: "Delete a connection…",
  find: "Find a node in this workflow…",
};

export function CommandPalette({ kind, entries, specs, isLoading = false, search = null, onClose }: Props) {
  const editor = useEditor();
  const [text, setText] = useState("");
  const [activeIndex, setActiveIndex] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  useModal(dialog);
  const choices = useMemo(
    // Not deferred, because Enter right after a key applies to what was typed.
    () => choicesOf(editor, kind, text, entries, specs, search),
    [editor, kind, text, entries, specs, search],
  );
  useEffect(() => setActiveIndex(0), [text]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  }, [activeIndex]);
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    // Restores the focus before the command moves it.
    flushSync(onClose);
    choice.run();
  };
  const [isEnterPending, setEnterPending] = useState(false);
  // While the nodes load, the best match may be missing.
  const isIncomplete = isLoading && (kind === "add" || (kind === "commands" && choices.length === 0));
  useEffect(() => {
    if (isEnterPending && !isIncomplete) choose(choices[0]);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when the nodes are there
  }, [isEnterPending, isIncomplete]);
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setActiveIndex((activeIndex + 1) % Math.max(choices.length, 1));
    else if (event.key === "ArrowUp")
      setActiveIndex((activeIndex - 1 + choices.length) % Math.max(choices.length, 1));
    else if (event.key === "Enter" && isIncomplete && activeIndex === 0) setEnterPending(true);
    else if (event.key === "Enter") choose(choices[activeIndex]);
    else if (event.key === "Home" && text === "") setActiveIndex(0);
    else if (event.key === "End" && text === "") setActiveIndex(Math.max(choices.length - 1, 0));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <dialog
      ref={dialog}
      className={search ? "quick quick--here" : "quick"}
      style={search ? placeNear(search) : undefined}
      aria-label={PLACEHOLDERS[kind]}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === dialog.current && onClose()}
    >
      <div className="quick__box" onKeyDown={pressed}>
        <input
          className="quick__input"
          role="combobox"
          aria-expanded="true"
          aria-controls="quick-list"
          aria-activedescendant={choices[activeIndex] ? `quick-${activeIndex}` : undefined}
          aria-label={PLACEHOLDERS[kind]}
          placeholder={PLACEHOLDERS[kind]}
          value={text}
          onChange={(event) => (setText(event.target.value), setEnterPending(false))}
        />
        <div className="quick__list" id="quick-list" role="listbox" aria-label="Results" ref={list}>
          {choices.map((choice, index) => (
            <div
              key={choice.id}
              id={`quick-${index}`}
              role="option"
              aria-selected={index === activeIndex}
              className="palette__item"
              onClick={() => choose(choice)}
              onMouseMove={() => setActiveIndex(index)}
            >
              {choice.icon ? <NodeIcon {...choice.icon} /> : <Icon name="bolt" />}
              <span className="palette__names">
                <span className="palette__title">
                  <TextWarning warnings={choice.warnings ?? []} /> {choice.title}
                </span>
                <span className="palette__summary">{choice.summary}</span>
              </span>
              {choice.keys && <span className="kbd">{formatKeys(choice.keys)}</span>}
            </div>
          ))}
          {choices.length === 0 && !isIncomplete && <p className="palette__more">No results.</p>}
        </div>
        {isIncomplete && (
          <p className="palette__more" role="status">
            Loading nodes…
          </p>
        )}
      </div>
    </dialog>
  );
}

const BOX = { width: 360, height: 420, margin: 12 };

/** Below and to the right of the pointer, but within the window. */
function placeNear({ x, y }: NodeSearch): { left: number; top: number } {
  const within = (at: number, size: number, all: number) =>
    Math.max(BOX.margin, Math.min(at, all - size - BOX.margin));
  return {
    left: within(x + 8, BOX.width, window.innerWidth),
    top: within(y - 24, BOX.height, window.innerHeight),
  };
}

function choicesOf(
  editor: Editor,
  kind: Props["kind"],
  text: string,
  entries: CatalogEntry[],
  specs: Specs,
  search: NodeSearch | null,
): Choice[] {
  if (kind === "connect") return targetChoices(editor, text, specs);
  if (kind === "disconnect") return connectionChoices(editor, text);
  if (kind === "find") return nodeChoices(editor, text);
  const fitting = [...BUILT_IN_STEPS, ...entries].filter((entry) => fitsPoint(entry, search?.point));
  const { workflow } = editor.document;
  const nodes = searchEntries(fitting, text, {
    most: MAX_CHOICES,
    recent: preferredNodes(),
    isUnlikely: (entry) => isUnlikelyNext(workflow, entry),
  }).map((entry) => ({
    id: entry.ref,
    ...entryText(entry),
    icon: entryIcon(entry),
    run: () => void insertEntry(editor, entry, specs, search?.point),
  }));
  return kind === "add" ? nodes : [...commandChoices(text), ...nodes].slice(0, MAX_CHOICES);
}

function preferredNodes(): string[] {
  return [...favoriteStore.getState().nodes, ...recentNodes()];
}

function commandChoices(text: string): Choice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return commandStore
    .getState()
    .commands.filter(
      (command) =>
        !command.isDisabled?.() && words.every((word) => command.title.toLowerCase().includes(word)),
    )
    .map((command) => ({
      id: `command ${command.id}`,
      title: command.title,
      summary: "Command",
      icon: null,
      keys: command.keys,
      run: command.run,
    }));
}

/** The nodes of this workflow, by name, kind, server or id. */
function nodeChoices(editor: Editor, text: string): Choice[] {
  const nodes = editor.document.workflow.nodes.filter((node) =>
    matches(`${nodeTitle(node)} ${nodeRef(node)} ${node.id}`, text),
  );
  return nodes.slice(0, MAX_CHOICES).map((node) => ({
    id: node.id,
    title: nodeTitle(node),
    summary: nodeRef(node),
    icon: nodeIcon(node),
    run: () => {
      selectAndFocus(editor, node.id);
      editor.canvas?.reveal(node.id, true);
      if (!editor.builder.store.getState().proposal) showInspector();
    },
  }));
}

/** The nodes that the selected node can be connected to, once for each of its output ports. */
function targetChoices(editor: Editor, text: string, specs: Specs): Choice[] {
  const { workflow, selection } = editor.document;
  const from = nodeById(workflow, [...selection][0] ?? "");
  if (!from) return [];
  const ports = outputPorts(from, specs);
  const nodes = workflow.nodes.filter(
    (node) => node.id !== from.id && inputPorts(node, specs).length > 0 && matches(nodeTitle(node), text),
  );
  return nodes
    .flatMap((node) =>
      unusedFirst(workflow, from.id, ports).map((port) => ({
        id: `${node.id} ${port}`,
        title: nodeTitle(node),
        summary: ports.length > 1 ? `from ${portLabel(from, port)}` : node.id,
        icon: nodeIcon(node),
        run: () => {
          editor.document.edit((now) =>
            connectPorts(now, from.id, node.id, port, inputPorts(node, specs)[0]),
          );
          announce(`Connected ${nodeTitle(from)} to ${nodeTitle(node)}`);
        },
      })),
    )
    .slice(0, MAX_CHOICES);
}

/** Ports without a connection come first. */
function unusedFirst(workflow: Workflow, from: string, ports: string[]): string[] {
  const used = new Set(
    workflow.connections
      .filter((connection) => connection.from === from)
      .map((connection) => connection.fromPort ?? OUTPUT_PORT),
  );
  return [...ports.filter((port) => !used.has(port)), ...ports.filter((port) => used.has(port))];
}

/** The connections of the selected node. */
function connectionChoices(editor: Editor, text: string): Choice[] {
  const { workflow, selection } = editor.document;
  const [selectedId] = [...selection];
  const named = (id: string) => nodeTitle(nodeById(workflow, id) ?? { id, type: "", name: id, data: {} });
  return workflow.connections
    .filter(({ from, to }) => from === selectedId || to === selectedId)
    .map(({ id, from, to, fromPort }) => ({
      id,
      title: `${named(from)} → ${named(to)}`,
      summary: fromPort && fromPort !== OUTPUT_PORT ? `from ${fromPort}` : "Connection",
    }))
    .filter(({ title }) => matches(title, text))
    .map((choice) => ({
      ...choice,
      icon: null,
      run: () => {
        editor.document.edit((now) => removeItems(now, new Set([choice.id])));
        announce(`Deleted connection: ${choice.title}`);
      },
    }));
}

function matches(title: string, text: string): boolean {
  return title.toLowerCase().includes(text.toLowerCase());
}
