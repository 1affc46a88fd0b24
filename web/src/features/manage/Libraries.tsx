/** Git repositories with flows and templates. */

import { useState } from "react";
import { safeText } from "../../model/text/untrusted";
import { useAction } from "../../queries/action";
import {
  addLibrary,
  LIBRARIES,
  refreshLibrary,
  removeLibrary,
  useLibraries,
  useLibrary,
} from "../../queries/libraries";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { FlowRun } from "./FlowRun";
import { RemoveButton, Section } from "./Section";

const FIELDS = [
  { name: "name", title: "Name", isNeeded: true },
  { name: "url", title: "Repository", isNeeded: true, note: "An https or ssh URL, or a folder." },
  { name: "ref", title: "Branch or tag", note: "Default branch if empty." },
];

export function Libraries() {
  const { data: libraries, error } = useLibraries();
  const [isBusy, runAction] = useAction(LIBRARIES);
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Section
      title="Libraries"
      error={error}
      rows={libraries}
      nothing="Add a git repository with flows and prompt templates that you share."
      columns={[
        { title: "Name", show: (library) => <strong>{library.name}</strong> },
        { title: "Repository", show: (library) => <span className="mono">{library.url}</span> },
        { title: "At", show: (library) => library.ref },
      ]}
      actions={(library) => (
        <>
          <Button aria-label={`Show ${library.name}`} onClick={() => setOpen(library.name)}>
            Show
          </Button>
          <Button
            disabled={isBusy}
            aria-label={`Refresh ${library.name}`}
            onClick={() => void runAction("Not refreshed", () => refreshLibrary(library.name))}
          >
            Refresh
          </Button>
          <RemoveButton
            name={library.name}
            words="The repository itself is not changed."
            isDisabled={isBusy}
            onRemove={() => void runAction("Not removed", () => removeLibrary(library.name))}
          />
        </>
      )}
      add={{
        title: "Add a repository",
        fields: FIELDS,
        isDisabled: isBusy,
        onAdd: ({ name, url, ref }) => runAction("Not added", () => addLibrary(name!, url!, ref ?? null)),
      }}
    >
      {open && <LibraryContents name={open} onClose={() => setOpen(null)} />}
    </Section>
  );
}

function LibraryContents({ name, onClose }: { name: string; onClose(): void }) {
  const { data: contents, error } = useLibrary(name);
  const [flow, setFlow] = useState<string | null>(null);
  return (
    <Dialog title={`In ${name}`} onClose={onClose} wide={flow !== null}>
      {error && <p role="alert">{error.message}</p>}
      {!contents && !error && <p className="faint">Loading…</p>}
      {contents && (
        <>
          <EntryList title="Flows" entries={contents.flows} onRun={setFlow} />
          {flow && <FlowRun key={flow} library={name} flow={flow} />}
          <EntryList title="Templates" entries={contents.templates} />
          {contents.skipped.length > 0 && (
            <p className="faint">{contents.skipped.length} files could not be read.</p>
          )}
        </>
      )}
    </Dialog>
  );
}

function EntryList({
  title,
  entries,
  onRun,
}: {
  title: string;
  entries: Record<string, unknown>[];
  onRun?(name: string): void;
}) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {entries.length === 0 && <p className="faint">None.</p>}
      <ul>
        {entries.map((entry, at) => {
          const name = String(entry["name"] ?? entry["title"] ?? "untitled");
          return (
            <li key={at}>
              {safeText(name).text}{" "}
              {onRun && (
                <Button
                  look="quiet"
                  icon="play"
                  aria-label={`Run ${safeText(name).text}`}
                  onClick={() => onRun(name)}
                >
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
