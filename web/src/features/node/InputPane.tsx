/** What a node can read; a value that is clicked or dragged is written into a field as an expression. */

import { useMemo, useState } from "react";
import { useStore } from "zustand";
import { initiallyOpen, matchingPaths, sourceItems } from "../../model/data/tree";
import { tableOf } from "../../model/data/table";
import { formatValue } from "../../model/text/formatValue";
import { pinsOf, testEventOf } from "../../model/workflow/studioData";
import type { Json, WorkflowNode } from "../../model/workflow/workflow";
import { useNames, useNodeInput } from "../../queries/expressions";
import { useDocument, useRunState, useStepOutputs } from "../../state/editorContext";
import { PATH_DRAG_TYPE, fieldTargetStore } from "../../state/fieldTarget";
import type { DataLook } from "../../ui/DataView";
import { DataView } from "../../ui/DataView";

const INPUT = "data";

interface Props {
  node: WorkflowNode;
  onInsert(): void;
}

export function InputPane({ node, onInsert }: Props) {
  const [look, setLook] = useState<DataLook>("tree");
  const [search, setSearch] = useState("");
  const input = useNodeInput(node.id);
  const { data: names } = useNames(node.id);
  const hasPins = useDocument(({ history }) =>
    Object.keys(pinsOf(history.present)).some((pinned) => pinned !== node.id),
  );
  const items = useMemo(
    () => sourceItems(input.data?.sources ?? [], names?.offers ?? []).filter(isUseful),
    [input.data, names],
  );
  const isRunShown = useRunState(({ run }) => run !== null);
  const hasRun = useRunState(({ run }) => (run?.stepsOfNode[node.id]?.length ?? 0) > 0);
  const hasEvent = useDocument(({ history }) => testEventOf(history.present) !== null) && !isRunShown;
  const hasSteps = Object.keys(useStepOutputs()).some((id) => id !== node.id);
  const only = useMemo(
    () => (search.trim() === "" ? undefined : matchingPaths(items, search.trim())),
    [items, search],
  );
  const open = useMemo(() => initiallyOpen(items), [items]);
  const source = input.data?.sources.find(({ path }) => path === INPUT);
  const choose = async (path: string, kind: string) => {
    if (!fieldTargetStore.getState().target) firstEmptyField()?.focus();
    // A field announces itself after its focus.
    await Promise.resolve();
    const { target } = fieldTargetStore.getState();
    if (!target) return;
    target.insert(path, kind);
    onInsert();
  };
  return (
    <>
      <div className="node-view__pane-head">
        <h3>Input</h3>
        <Origin
          isRun={input.data?.run != null}
          isReached={input.data?.reached ?? false}
          isTooLarge={hasRun && !input.data?.sources.some(({ hasValue }) => hasValue)}
          hasPins={hasPins}
          hasSteps={hasSteps}
          hasEvent={hasEvent}
          hasValues={input.data?.sources.some(({ hasValue }) => hasValue) ?? false}
        />
      </div>
      <Hint />
      {input.error && <p className="node-view__none">Not available: {input.error.message}</p>}
      {items.length > 0 && (
        <input
          className="input"
          type="search"
          aria-label="Search the input"
          placeholder="Search fields and values"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      {only?.size === 0 && <p className="node-view__none">No results for “{search.trim()}”.</p>}
      {items.length > 0 && (
        <DataView
          key={input.data ? "loaded" : "loading"}
          label="Input"
          look={look}
          onLook={setLook}
          items={items}
          open={open}
          only={only}
          table={() => tableOf((source?.value ?? null) as Json)}
          json={() => formatValue(source?.hasValue ? source.value : undefined)}
          dragType={PATH_DRAG_TYPE}
          chooseTitle="Click to insert, or drag onto a field"
          onChoose={(path, kind) => void choose(path, kind)}
        />
      )}
    </>
  );
}

function firstEmptyField(): HTMLElement | undefined {
  const fields = document.querySelectorAll<HTMLElement>(
    ".node-view [data-mapping] :is(input, textarea, .cm-content)",
  );
  return [...fields].find(
    (field) =>
      !field.closest("[data-built=credential]") && !("value" in field ? field.value : field.textContent),
  );
}

type Item = ReturnType<typeof sourceItems>[number];

/** The facts of the run help only in rare expressions: completion offers them. */
function isUseful(item: Item): boolean {
  return item.path !== "run" && (item.summary !== "" || item.children().length > 0 || item.path === INPUT);
}

/** The input itself with its first level; other sources are closed. */

interface OriginProps {
  isRun: boolean;
  isReached: boolean;
  /** The node ran, but the service does not read values out of a run of this size. */
  isTooLarge: boolean;
  hasPins: boolean;
  /** Other nodes were run alone since that run. */
  hasSteps: boolean;
  hasEvent: boolean;
  hasValues: boolean;
}

function Origin({ isRun, isReached, isTooLarge, hasPins, hasSteps, hasEvent, hasValues }: OriginProps) {
  if (hasSteps && hasValues)
    return <span className="faint">from steps you ran{isRun && isReached && " and the last run"}</span>;
  if (hasEvent && hasValues) return <span className="faint">from the test event</span>;
  if (isRun && !isReached && isTooLarge)
    return <span className="faint">expected fields; the last run is too large to show its values</span>;
  const text = isRun
    ? isReached
      ? hasPins
        ? "from the last run and pinned data"
        : "from the last run"
      : hasPins
        ? "pinned data; not reached in the last run"
        : "not reached in the last run"
    : hasValues
      ? hasPins
        ? "from pinned data"
        : "from the test event"
      : "expected fields, no run yet";
  return <span className="faint">{text}</span>;
}

/** Where a chosen value goes. */
function Hint() {
  const target = useStore(fieldTargetStore, (state) => state.target);
  const isReadOnly = useDocument((state) => state.isReadOnly);
  if (isReadOnly) return null;
  return (
    <p className="node-view__hint" role="status">
      {target ? (
        <>
          Click a value to insert it into <strong>{target.label}</strong>.
        </>
      ) : (
        "Click a value to insert it into the first empty field, or drag it onto any field."
      )}
    </p>
  );
}
