/** The saved versions of a workflow, with what each one changed on the canvas. */

import { useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useMemo, useState } from "react";
import { Canvas } from "../features/canvas/Canvas";
import { ChangeList } from "../features/versions/ChangeList";
import { VersionList, authorOf } from "../features/versions/VersionList";
import { safeText } from "../model/text/untrusted";
import { compareVersions } from "../model/workflow/versionDifference";
import type { Workflow } from "../model/workflow/workflow";
import { useSpecs } from "../queries/catalog";
import type { Version } from "../queries/versions";
import { nameVersion, restoreVersion, useVersion, useVersions, VERSIONS } from "../queries/versions";
import { WORKFLOWS } from "../queries/workflows";
import { dropDraft, readDraft } from "../state/drafts";
import { Editor } from "../state/editor";
import { EditorContext } from "../state/editorContext";
import { notify, notifyError } from "../state/notices";
import { hrefTo, navigate } from "../state/route";
import { closeEditor, currentEditor, saveOpenDraft } from "../state/workspace";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/ConfirmDialog";
import { EmptyState } from "../ui/EmptyState";
import { Field } from "../ui/Field";
import "./versionsPage.css";

type Base = "before" | "current";

export default function VersionsPage({ name }: { name: string }) {
  const { data: versions, error } = useVersions(name);
  const [number, setNumber] = useState<number | null>(null);
  const [base, setBase] = useState<Base>("before");
  const chosen = versions?.find((version) => version.number === number) ?? versions?.[0];
  const current = versions?.find(({ isCurrent }) => isCurrent);
  const previous = chosen && versions?.[versions.indexOf(chosen) + 1];
  const compared = base === "current" ? current : previous;
  const { data: after } = useVersion(name, chosen?.number ?? null);
  const { data: before } = useVersion(name, compared?.number ?? null);
  if (error) {
    return (
      <EmptyState title="The versions cannot be shown" isPage>
        <p>{error.message}</p>
        <a href="#/">Back to workflows</a>
      </EmptyState>
    );
  }
  if (!versions || !chosen) return <EmptyState title="Loading the versions…" isPage />;
  const isLoaded = after !== undefined && (!compared || before !== undefined);
  return (
    <div className="history">
      <div className="history__bar">
        <a className="button button--quiet" href={current ? hrefTo("w", name) : "#/"}>
          ← {current ? "Editor" : "Workflows"}
        </a>
        <h1>Versions of {safeText(name).text}</h1>
      </div>
      <section className="history__list" aria-label="Saved versions">
        <VersionList versions={versions} chosen={chosen.number} onChoose={setNumber} />
      </section>
      <div className="history__canvas">
        {isLoaded && <VersionCanvas after={after} before={compared ? before! : null} />}
      </div>
      <aside className="history__side" aria-label="Version">
        <h2>{chosen.label ? safeText(chosen.label).text : `Version ${chosen.number}`}</h2>
        <p className="faint">
          Saved {new Date(chosen.savedAt).toLocaleString()} by {authorOf(chosen)}
        </p>
        <VersionActions key={chosen.number} name={name} version={chosen} current={current} />
        <Field label="Compare with">
          {(id) => (
            <select
              className="select"
              id={id}
              value={base}
              onChange={(event) => setBase(event.target.value as Base)}
            >
              <option value="before">the version before</option>
              <option value="current">the current version</option>
            </select>
          )}
        </Field>
        {isLoaded && compared ? (
          <ChangeList after={after} before={before!} />
        ) : (
          <p className="faint">{compared ? "Loading…" : "There is no earlier version."}</p>
        )}
      </aside>
    </div>
  );
}

/** Both versions on one canvas, which cannot be edited. */
function VersionCanvas({ after, before }: { after: Workflow; before: Workflow | null }) {
  const specs = useSpecs();
  const editor = useMemo(() => {
    const { workflow, changes } = compareVersions(after, before ?? after);
    const opened = new Editor({ workflow, isReadOnly: true });
    opened.changes = changes;
    return opened;
  }, [after, before]);
  return (
    <EditorContext key={editor.id} value={editor}>
      <Canvas workflow={editor.document.workflow} specs={specs} isReadOnly />
    </EditorContext>
  );
}

interface ActionProps {
  name: string;
  version: Version;
  current: Version | undefined;
}

function VersionActions({ name, version, current }: ActionProps) {
  const queries = useQueryClient();
  const [label, setLabel] = useState(version.label ?? "");
  const [isAsking, setAsking] = useState(false);
  const saveLabel = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await nameVersion(name, version.number, label);
      await queries.invalidateQueries({ queryKey: VERSIONS });
      notify(label.trim() ? "Version named" : "Name removed", { tone: "good" });
    } catch (error) {
      notifyError(error, "Not named");
    }
  };
  const restore = async () => {
    setAsking(false);
    try {
      await restoreVersion(name, version.number, current?.revision ?? null);
      discardEdits(name);
      await queries.invalidateQueries({ queryKey: VERSIONS });
      await queries.invalidateQueries({ queryKey: WORKFLOWS });
      notify(`Version ${version.number} restored`, { tone: "good" });
      navigate("w", name);
    } catch (error) {
      notifyError(error, "Not restored");
    }
  };
  return (
    <>
      <form className="history__name" onSubmit={(event) => void saveLabel(event)}>
        <Field label="Name" note="A version with a name is not deleted.">
          {(id, more) => (
            <input
              className="input"
              id={id}
              aria-describedby={more}
              value={label}
              maxLength={100}
              placeholder={`Version ${version.number}`}
              onChange={(event) => setLabel(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={label.trim() === (version.label ?? "")}>
          Save name
        </Button>
      </form>
      <Button
        look="primary"
        icon="history"
        disabled={version.isCurrent || version.revision === current?.revision}
        onClick={() => (hasEdits(name) ? setAsking(true) : void restore())}
      >
        Restore this version
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Restore version ${version.number}`}
          yes="Discard edits and restore"
          onYes={() => void restore()}
          onClose={() => setAsking(false)}
        >
          This workflow has unsaved edits in this browser. They are discarded when the version is restored.
        </ConfirmDialog>
      )}
    </>
  );
}

function hasEdits(name: string): boolean {
  saveOpenDraft();
  return readDraft({ storedAs: name }) !== null;
}

function discardEdits(name: string): void {
  if (currentEditor()?.document.storedAs === name) closeEditor(null);
  dropDraft({ storedAs: name });
}
