import { useState } from "react";
import { MAX_TOOLS } from "../../model/form/modes";
import { safeText } from "../../model/text/untrusted";
import { Button } from "../../ui/Button";
import { CollapsibleSection } from "./CollapsibleSection";

interface Props {
  names: readonly string[];
  chosen: readonly string[];
  isOpen: boolean;
  isFixed: boolean;
  onChoose(names: string[]): void;
}

/** The tools of the server that a model may choose from. */
export function ToolSubset({ names, chosen, isOpen, isFixed, onChoose }: Props) {
  const [wanted, setWanted] = useState<ReadonlySet<string>>(() => new Set(chosen));
  const [search, setSearch] = useState("");
  const matching = names.filter((name) => name.toLowerCase().includes(search.toLowerCase()));
  const toggle = (name: string) =>
    setWanted((before) => {
      const after = new Set(before);
      if (!after.delete(name)) after.add(name);
      return after;
    });
  const count = names.filter((name) => wanted.has(name)).length;
  return (
    <CollapsibleSection title={`Tools (${chosen.length} of ${names.length})`} isOpen={isOpen}>
      <div className="field__note">A model chooses from these, at most {MAX_TOOLS}.</div>
      {names.length > 12 && (
        <input
          className="input"
          type="search"
          placeholder="Search tools"
          aria-label="Search tools of the server"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <ul className="tool-subset" aria-label="Tools to choose from">
        {matching.map((name) => (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                checked={wanted.has(name)}
                disabled={isFixed}
                onChange={() => toggle(name)}
              />
              <span className="mono">{safeText(name).text}</span>
            </label>
          </li>
        ))}
      </ul>
      <div className="row">
        <Button
          look="primary"
          disabled={isFixed || count === 0 || count > MAX_TOOLS}
          onClick={() => onChoose(names.filter((name) => wanted.has(name)))}
        >
          Use {count} {count === 1 ? "tool" : "tools"}
        </Button>
        {names.length <= MAX_TOOLS && (
          <Button look="quiet" disabled={isFixed} onClick={() => setWanted(new Set(names))}>
            All
          </Button>
        )}
        <Button look="quiet" disabled={isFixed} onClick={() => setWanted(new Set())}>
          None
        </Button>
      </div>
    </CollapsibleSection>
  );
}
