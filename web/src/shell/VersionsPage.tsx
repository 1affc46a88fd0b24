/** The saved versions of a workflow, with what each one changed on the canvas. */

import { useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useMemo, useState } from "react";
import { ChangeList } from "../features/versions/ChangeList";
import { VersionList, authorOf } from "../features/versions/VersionList";
import { safeText } from "../model/text/untrusted";
import { compareVersions } from "../model/workflow/versionDifference";
import type { Version } from "../queries/versions";
import { nameVersion, restoreVersion, useVersion, useVersions, VERSIONS } from "../queries/versions";
import { WORKFLOWS } from "../queries/workflows";
import { dropDraft, readDraft } from "../state/drafts";
import { notify, notifyError } from "../state/notices";
import { hrefTo, navigate } from "../state/route";
import { closeEditor, currentEditor, saveOpenDraft } from "../state/workspace";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/ConfirmDialog";
import { EmptyState } from "../ui/EmptyState";
import { Field } from "../ui/Field";
import { TextField } from "../ui/TextField";
import { ComparisonCanvas, useComparison } from "./ComparisonCanvas";
import "./versionsPage.css";

type Against = "before" | "current";

export default function VersionsPage({ name }: { name: string }) {
  const { data: versions, error } = useVersions(name);
  const [number, setNumber] = useState<number | null>(null);
  const [against, setAgainst] = useState<Against>("before");
  const chosen = versions?.find((version) => version.number === number) ?? versions?.[0];
  const current = versions?.find(({ isCurrent }) => isCurrent);
  const previous = chosen && versions?.[versions.indexOf(chosen) + 1];
  const compared = against === "current" ? current : previous;
  const { data: after } = useVersion(name, chosen?.number ?? null);
  const { data: before } = useVersion(name, compared?.number ?? null);
  const base = compared ? before : after;
  const editor = useComparison(
    useMemo(() => (after && base ? compareVersions(after, base) : null), [after, base]),
  );
  if (error) {
    return (
      <EmptyState title="The versions cannot be shown" isPage>
        <p>{error.message}</p>
        <a href="#/">Back to workflows</a>
      </EmptyState>
    );
  }
  if (!versions || !chosen) return <EmptyState title="Loading the versions…" isPage />;
  const isLoaded = editor !== null;
  const show = (nodes: string[]) => {
    editor?.document.select(nodes);
    editor?.canvas?.reveal(nodes[0]!, true);
  };
  return (
    <div className="history">
      <div className="history__bar" data-stop="bar">
        <a className="button button--quiet" href={current ? hrefTo("w", name) : "#/"}>
          ← {current ? "Editor" : "Workflows"}
        </a>
        <h1>Versions of {safeText(name).text}</h1>
      </div>
      <section className="history__list" aria-label="Saved versions" data-stop="list">
        <VersionList versions={versions} chosen={chosen.number} onChoose={setNumber} />
      </section>
      <div className="history__canvas" data-stop="canvas">
        {editor && <ComparisonCanvas editor={editor} />}
      </div>
      <aside className="history__side" aria-label="Version" data-stop="side">
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
              value={against}
              onChange={(event) => setAgainst(event.target.value as Against)}
            >
              <option value="before">the version before</option>
              <option value="current">the current version</option>
            </select>
          )}
        </Field>
        {isLoaded && compared ? (
          <ChangeList after={after!} before={before!} onChoose={show} />
        ) : (
          <p className="faint">{compared ? "Loading…" : "There is no earlier version."}</p>
        )}
      </aside>
    </div>
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
        <TextField
          label="Name"
          note="A version with a name is not deleted."
          value={label}
          maxLength={100}
          placeholder={`Version ${version.number}`}
          onChange={setLabel}
        />
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
