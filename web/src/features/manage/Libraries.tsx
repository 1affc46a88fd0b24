/** Git repositories with flows and templates. */

import { useState } from "react";
import { shownText } from "../../model/text/untrusted";
import { useDoing } from "../../queries/action";
import { addLibrary, LIBRARIES, refreshLibrary, removeLibrary, useLibraries, useLibrary } from "../../queries/manage";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { AddForm } from "./AddForm";
import { FlowRun } from "./FlowRun";
import { RemoveButton, Section } from "./Section";

const FIELDS = [
  { name: "name", title: "Name", isNeeded: true },
  { name: "url", title: "Repository", isNeeded: true, note: "An https or ssh address, or a folder." },
  { name: "ref", title: "Branch or tag", note: "Its own one where you name none." },
];

export function Libraries() {
  const { data: libraries, error } = useLibraries();
  const [doing, start] = useDoing(LIBRARIES);
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Section
      title="Library"
      error={error}
      rows={libraries}
      nothing="Add a git repository with flows and prompt templates that you share."
      columns={[
        { title: "Name", show: (one) => <strong>{one.name}</strong> },
        { title: "Repository", show: (one) => <span className="mono">{one.url}</span> },
        { title: "At", show: (one) => one.ref },
      ]}
      actions={(one) => (
        <>
          <Button aria-label={`Show ${one.name}`} onClick={() => setOpen(one.name)}>
            Show
          </Button>
          <Button disabled={doing} aria-label={`Refresh ${one.name}`} onClick={() => void start("Not refreshed", () => refreshLibrary(one.name))}>
            Refresh
          </Button>
          <RemoveButton name={one.name} words="The repository itself stays as it is." isOff={doing} onRemove={() => void start("Not removed", () => removeLibrary(one.name))} />
        </>
      )}
    >
      <AddForm title="Add a repository" fields={FIELDS} isOff={doing} onAdd={({ name, url, ref }) => start("Not added", () => addLibrary(name!, url!, ref ?? null))} />
      {open && <Contents name={open} onClose={() => setOpen(null)} />}
    </Section>
  );
}

function Contents({ name, onClose }: { name: string; onClose(): void }) {
  const { data: found, error } = useLibrary(name);
  const [flow, setFlow] = useState<string | null>(null);
  return (
    <Dialog title={`In ${name}`} onClose={onClose} wide={flow !== null}>
      {error && <p role="alert">{error.message}</p>}
      {!found && !error && <p className="faint">Reading…</p>}
      {found && (
        <>
          <Names title="Flows" entries={found.flows} onRun={setFlow} />
          {flow && <FlowRun key={flow} library={name} flow={flow} />}
          <Names title="Templates" entries={found.templates} />
          {found.skipped.length > 0 && <p className="faint">{found.skipped.length} files could not be read.</p>}
        </>
      )}
    </Dialog>
  );
}

function Names({ title, entries, onRun }: { title: string; entries: Record<string, unknown>[]; onRun?(name: string): void }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {entries.length === 0 && <p className="faint">None.</p>}
      <ul>
        {entries.map((entry, at) => {
          const name = String(entry["name"] ?? entry["title"] ?? "without a name");
          return (
            <li key={at}>
              {shownText(name).text}{" "}
              {onRun && (
                <Button look="quiet" icon="play" aria-label={`Run ${shownText(name).text}`} onClick={() => onRun(name)}>
                  Run
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
