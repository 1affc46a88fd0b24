/** Press a key and type: nodes, tools and commands, or a node to connect to; Enter does it. */

import type { KeyboardEvent } from "react";
import { useEffect, useMemo, useRef, useState } from "react";
import { addEntry } from "../../model/adding";
import type { Entry, Specs } from "../../model/catalog";
import { DRAWN, entryTitle, inPorts, searchEntries } from "../../model/catalog";
import { commandStore, shownKeys } from "../../model/commandStore";
import { currentWorkflow, documentStore, edit } from "../../model/documentStore";
import { connectNodes } from "../../model/edits";
import { familyOf, familyOfNode } from "../../model/families";
import { titleOf } from "../../model/workflow";
import { FamilyIcon } from "../../ui/FamilyIcon";
import { Icon } from "../../ui/Icon";
import "./palette.css";

interface Choice {
  id: string;
  title: string;
  summary: string;
  family: string | null;
  keys?: string;
  run(): void;
}

interface Props {
  kind: "add" | "commands" | "connect";
  entries: Entry[];
  specs: Specs;
  onClose(): void;
}

const MOST = 40;
const PLACEHOLDERS = { add: "Add a node or a tool…", commands: "Type a command, a node or a tool…", connect: "Connect to…" };

export function QuickAdd({ kind, entries, specs, onClose }: Props) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  // Not deferred: Enter right after a letter means what was typed.
  const wanted = typed;
  const list = useRef<HTMLDivElement>(null);
  const before = useRef(document.activeElement as HTMLElement | null);
  const choices = useMemo(() => choicesOf(kind, wanted, entries, specs), [kind, wanted, entries, specs]);
  useEffect(() => setAt(0), [wanted]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  useEffect(() => () => before.current?.focus?.(), []);
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    choice.run();
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt((at + 1) % Math.max(choices.length, 1));
    else if (event.key === "ArrowUp") setAt((at - 1 + choices.length) % Math.max(choices.length, 1));
    else if (event.key === "Enter") choose(choices[at]);
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="quick" onPointerDown={(event) => event.target === event.currentTarget && onClose()}>
      <div className="quick__box" role="dialog" aria-modal="true" aria-label={PLACEHOLDERS[kind]} onKeyDown={pressed}>
        <input
          className="quick__input"
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="quick-list"
          aria-activedescendant={choices[at] ? `quick-${at}` : undefined}
          aria-label={PLACEHOLDERS[kind]}
          placeholder={PLACEHOLDERS[kind]}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div className="quick__list" id="quick-list" role="listbox" aria-label="What fits" ref={list}>
          {choices.map((choice, index) => (
            <div key={choice.id} id={`quick-${index}`} role="option" aria-selected={index === at} className="palette__item" onClick={() => choose(choice)} onMouseMove={() => setAt(index)}>
              {choice.family ? <FamilyIcon family={choice.family} /> : <Icon name="bolt" />}
              <span className="palette__names">
                <span className="palette__title">{choice.title}</span>
                <span className="palette__summary">{choice.summary}</span>
              </span>
              {choice.keys && <span className="kbd">{shownKeys(choice.keys)}</span>}
            </div>
          ))}
          {choices.length === 0 && <p className="palette__more">Nothing fits.</p>}
        </div>
      </div>
    </div>
  );
}

function choicesOf(kind: Props["kind"], typed: string, entries: Entry[], specs: Specs): Choice[] {
  if (kind === "connect") return targets(typed, specs);
  const nodes = searchEntries([...DRAWN, ...entries], typed, MOST).map((entry) => ({
    id: entry.ref,
    title: entryTitle(entry),
    summary: entry.server ? `${entry.server} · ${entry.summary}` : entry.summary,
    family: familyOf(entry.type),
    run: () => void addEntry(entry, specs),
  }));
  return kind === "add" ? nodes : [...commands(typed), ...nodes].slice(0, MOST);
}

function commands(typed: string): Choice[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return commandStore
    .getState()
    .commands.filter((one) => !one.isOff?.() && words.every((word) => one.title.toLowerCase().includes(word)))
    .map((one) => ({ id: `command ${one.id}`, title: one.title, summary: "Command", family: null, keys: one.keys, run: one.run }));
}

/** The nodes that the selected one can lead to. */
function targets(typed: string, specs: Specs): Choice[] {
  const workflow = currentWorkflow();
  const from = [...documentStore.getState().selection][0];
  if (!workflow || !from) return [];
  const wanted = typed.toLowerCase();
  return workflow.nodes
    .filter((node) => node.id !== from && inPorts(node, specs).length > 0 && titleOf(node).toLowerCase().includes(wanted))
    .slice(0, MOST)
    .map((node) => ({
      id: node.id,
      title: titleOf(node),
      summary: node.id,
      family: familyOfNode(node),
      run: () => edit((now) => connectNodes(now, from, node.id, specs)),
    }));
}
