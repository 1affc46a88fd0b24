/** The stored workflows as a table or as cards, favorites first; found by text, state and tag. */

import { useState } from "react";
import { useStore } from "zustand";
import { readStored, writeStored } from "../../api/storage";
import { safeText } from "../../model/text/untrusted";
import type { WorkflowOverview } from "../../queries/workflows";
import { favoriteStore } from "../../state/favorites";
import { Button, IconButton } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { WorkflowCards } from "./WorkflowCards";
import { WorkflowTable } from "./WorkflowTable";
import "./list.css";

const MIN_FOR_FILTERS = 3;
const VIEW = "toolweave.workflow-view";
const VIEWS = [
  { view: "table", title: "Table", icon: "list" },
  { view: "cards", title: "Cards", icon: "cards" },
] as const;
type View = (typeof VIEWS)[number]["view"];

const FILTERS = ["All", "Favorites", "Active", "Published", "With errors"] as const;
type Filter = (typeof FILTERS)[number];

/** The view that was chosen; else cards where a table would have narrow columns. */
function initialView(): View {
  const chosen = readStored("localStorage", VIEW);
  if (chosen === "cards" || chosen === "table") return chosen;
  return window.innerWidth <= 700 ? "cards" : "table";
}

export function WorkflowList({ workflows }: { workflows: readonly WorkflowOverview[] }) {
  const [search, setSearch] = useState("");
  const [filter, setFilter] = useState<Filter>("All");
  const [tag, setTag] = useState("");
  const [view, setView] = useState<View>(initialView);
  const favorites = new Set(useStore(favoriteStore, (state) => state.workflows));
  const tags = [...new Set(workflows.flatMap((workflow) => workflow.tags))].sort();
  // A tag may be removed while it is chosen.
  const chosenTag = tags.includes(tag) ? tag : "";
  const shown = workflows
    .filter((one) => isMatch(one, search, filter, favorites) && (!chosenTag || one.tags.includes(chosenTag)))
    .sort((a, b) => Number(favorites.has(b.name)) - Number(favorites.has(a.name)));
  const choose = (chosen: View) => {
    writeStored("localStorage", VIEW, chosen);
    setView(chosen);
  };
  return (
    <>
      <div className="filters">
        {workflows.length >= MIN_FOR_FILTERS && (
          <>
            <input
              className="input"
              type="search"
              placeholder="Search workflows"
              aria-label="Search workflows"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
            <Choice label="Show" options={FILTERS} value={filter} onChange={(value) => setFilter(value)} />
            {tags.length > 0 && (
              <Choice
                label="Tag"
                options={["", ...tags]}
                value={chosenTag}
                empty="All tags"
                onChange={setTag}
              />
            )}
          </>
        )}
        <div className="workflows__views" role="group" aria-label="View">
          {VIEWS.map(({ view: name, title, icon }) => (
            <IconButton
              key={name}
              label={title}
              icon={icon}
              aria-pressed={view === name}
              onClick={() => choose(name)}
            />
          ))}
        </div>
      </div>
      {shown.length === 0 ? (
        <EmptyState icon="search" title="No workflows match">
          <Button look="primary" onClick={() => (setSearch(""), setFilter("All"), setTag(""))}>
            Clear filters
          </Button>
        </EmptyState>
      ) : view === "cards" ? (
        <WorkflowCards workflows={shown} />
      ) : (
        <WorkflowTable workflows={shown} />
      )}
    </>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  options: readonly Value[];
  value: Value;
  /** The title of the option "". */
  empty?: string;
  onChange(value: Value): void;
}

function Choice<Value extends string>({ label, options, value, empty, onChange }: ChoiceProps<Value>) {
  return (
    <select
      className="select"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value as Value)}
    >
      {options.map((option) => (
        <option key={option} value={option}>
          {safeText(option).text || empty}
        </option>
      ))}
    </select>
  );
}

function isMatch(
  workflow: WorkflowOverview,
  search: string,
  filter: Filter,
  favorites: ReadonlySet<string>,
): boolean {
  const { name, description, tags, isActive, isPublished, errors } = workflow;
  const text = [name, description ?? "", ...tags].join(" ").toLowerCase();
  const isShown = {
    All: true,
    Favorites: favorites.has(name),
    Active: isActive,
    Published: isPublished,
    "With errors": errors > 0,
  };
  return isShown[filter] && text.includes(search.trim().toLowerCase());
}
