/** The toolbar above the canvas: the name, the state, and the most frequent actions. */

import { useStore } from "zustand";
import { isRunOver } from "../model/run/runState";
import { countOf } from "../model/text/formatValue";
import type { Workflow } from "../model/workflow/workflow";
import { usePublication } from "../queries/publication";
import { runCommand } from "../state/commands";
import { isDirty } from "../state/document";
import { useDocument, useEditor, useProblems, useRunState } from "../state/editorContext";
import { setPanels, panelStore } from "../state/panels";
import { hrefToRunsOf } from "../state/route";
import { Badge } from "../ui/Badge";
import { Button, IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { Menu } from "../ui/Menu";
import { ActiveSwitch } from "./ActiveSwitch";
import { Breadcrumb } from "./Breadcrumb";

export function EditorToolbar({ workflow }: { workflow: Workflow }) {
  const editor = useEditor();
  const hasEdits = useDocument(isDirty);
  const isReadOnly = useDocument((state) => state.isReadOnly);
  return (
    <div className="editor__bar" role="group" aria-label="Workflow" data-stop="bar">
      {!isReadOnly && <PaletteButton />}
      <Breadcrumb />
      {isReadOnly ? (
        <span className="editor__name">{workflow.name || "untitled"}</span>
      ) : (
        <input
          className="editor__name editor__name--input"
          aria-label="Workflow name"
          value={workflow.name}
          size={Math.max(workflow.name.length, 6)}
          onChange={(event) =>
            editor.document.edit((now) => ({ ...now, name: event.target.value }), "workflow-name")
          }
          onBlur={() => editor.document.endGesture()}
        />
      )}
      {isReadOnly ? (
        <Badge>version of this run</Badge>
      ) : (
        <Badge tone={hasEdits ? "warn" : "plain"}>{hasEdits ? "unsaved" : "saved"}</Badge>
      )}
      {!isReadOnly && <EditButtons hasEdits={hasEdits} />}
      <span className="editor__space" />
      {!isReadOnly && <ActiveSwitch workflow={workflow} />}
      <Problems />
      {!isReadOnly && <BuilderButton />}
      <JsonButton />
      <InspectorButton />
      <MoreMenu isReadOnly={isReadOnly} />
      {isReadOnly && !workflow.name ? null : isReadOnly ? (
        <a className="button" href={`#/w/${encodeURIComponent(workflow.name)}`}>
          Open workflow
        </a>
      ) : (
        <RunButtons />
      )}
    </div>
  );
}

function PaletteButton() {
  const isOn = useStore(panelStore, (state) => state.hasPalette);
  return (
    <IconButton
      label="Palette"
      icon="palette"
      keys="P"
      aria-pressed={isOn}
      onClick={() => runCommand("palette")}
    />
  );
}

function EditButtons({ hasEdits }: { hasEdits: boolean }) {
  const canUndo = useDocument((state) => state.history.past.length > 0);
  const canRedo = useDocument((state) => state.history.future.length > 0);
  return (
    <>
      <span className="editor__divider" />
      <IconButton
        label="Undo"
        icon="undo"
        keys="Ctrl Z"
        disabled={!canUndo}
        onClick={() => runCommand("undo")}
      />
      <IconButton
        label="Redo"
        icon="redo"
        keys="Ctrl Shift Z"
        disabled={!canRedo}
        onClick={() => runCommand("redo")}
      />
      <IconButton label="Tidy up" icon="tidy" keys="Ctrl Shift L" onClick={() => runCommand("tidy")} />
      <IconButton
        label="Save"
        icon="save"
        keys="Ctrl S"
        disabled={!hasEdits}
        onClick={() => runCommand("save")}
      />
    </>
  );
}

function Problems() {
  const all = useProblems((state) => state.all);
  const side = useStore(panelStore, (state) => state.side);
  const errors = all.filter((problem) => problem.severity === "error").length;
  const fault = useProblems((state) => state.fault);
  if (fault) {
    return (
      <Badge tone="warn" title={fault}>
        Not validated: {fault}
      </Badge>
    );
  }
  if (all.length === 0) return null;
  return (
    <Button
      look="quiet"
      aria-pressed={side === "problems"}
      onClick={() => setPanels({ side: side === "problems" ? "inspector" : "problems" })}
    >
      <Badge tone={errors ? "bad" : "warn"}>
        {errors ? countOf(errors, "error") : countOf(all.length, "warning")}
      </Badge>
    </Button>
  );
}

function BuilderButton() {
  const side = useStore(panelStore, (state) => state.side);
  return (
    <IconButton
      label="Build with AI"
      icon="spark"
      keys="B"
      aria-pressed={side === "builder"}
      onClick={() => runCommand("build")}
    />
  );
}

function JsonButton() {
  const side = useStore(panelStore, (state) => state.side);
  return (
    <IconButton
      label="JSON"
      icon="braces"
      keys="J"
      aria-pressed={side === "json"}
      onClick={() => runCommand("json")}
    />
  );
}

function InspectorButton() {
  const side = useStore(panelStore, (state) => state.side);
  return (
    <IconButton
      label="Inspector"
      icon="panel"
      keys="I"
      aria-pressed={side === "inspector"}
      onClick={() => runCommand("inspector")}
    />
  );
}

function MoreMenu({ isReadOnly }: { isReadOnly: boolean }) {
  const name = useDocument((state) => state.storedAs);
  const hasSelection = useDocument((state) => state.selection.size > 0);
  return (
    <Menu
      label="More"
      actions={[
        {
          title: "Versions…",
          icon: "history",
          keys: "V",
          isDisabled: isReadOnly || name === null,
          run: () => runCommand("versions"),
        },
        {
          title: "Runs",
          icon: "clock",
          isDisabled: name === null,
          run: () => (window.location.hash = hrefToRunsOf(name!)),
        },
        { title: "Export…", icon: "download", run: () => runCommand("export") },
        {
          title: "MCP servers and tools…",
          icon: "server",
          isDisabled: isReadOnly,
          run: () => runCommand("servers"),
        },
        {
          title: "Group",
          icon: "panel",
          keys: "Ctrl G",
          isDisabled: isReadOnly,
          run: () => runCommand("group"),
        },
        {
          title: "Extract to a sub-workflow…",
          icon: "nested",
          keys: "X",
          isDisabled: isReadOnly || !hasSelection,
          run: () => runCommand("extract"),
        },
        {
          title: "Find a command…",
          icon: "search",
          keys: "Ctrl K",
          startsGroup: true,
          run: () => runCommand("commands"),
        },
        { title: "Keyboard shortcuts", icon: "help", keys: "?", run: () => runCommand("keys") },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}

/** Shows whether the workflow is published, and whether in this version. */
function PublishButton() {
  const { publication, isBehind } = usePublication();
  return (
    <Button
      icon="share"
      title={publication ? `Published as ${publication.tool}` : "Publish as an MCP tool"}
      onClick={() => runCommand("publish")}
    >
      Publish
      {publication && (
        <Badge tone={isBehind ? "warn" : "good"}>{isBehind ? "unpublished changes" : "published"}</Badge>
      )}
    </Button>
  );
}

function RunButtons() {
  const isRunning = useRunState((state) => !isRunOver(state.run));
  return (
    <>
      <PublishButton />
      <Button icon="text" title="Run with inputs (Ctrl Shift ↵)" onClick={() => runCommand("inputs")}>
        Inputs
      </Button>
      <Button
        look="primary"
        icon="play"
        title="Run (Ctrl ↵)"
        disabled={isRunning}
        onClick={() => runCommand("run")}
      >
        {isRunning ? "Running" : "Run"}
      </Button>
    </>
  );
}
