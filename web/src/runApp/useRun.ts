/** The state of the app: what the host says, and the run that it follows. */

import { useCallback, useEffect, useRef, useState } from "react";
import type { AppRun } from "../model/run/appRun";
import { isOver, runOfResult } from "../model/run/appRun";
import { formatValue } from "../model/text/formatValue";
import type { Json, JsonObject } from "../model/workflow/workflow";
import type { HostBridge, HostInfo, ToolResult } from "./hostBridge";
import { CallError, resultText } from "./hostBridge";
import { applyHostContext } from "./hostTheme";

const VERSION = "1";
const POLL_MS = 700;
/** While a run waits for a person or a time, little changes. */
const WAITING_POLL_MS = 2_000;
const MAX_CONTEXT_CHARS = 4_000;

export interface WorkflowForm {
  tool: string;
  title: string;
  description: string;
  input_schema: JsonObject;
}

type Change = { step: string; reply: Json } | { step: string; choice: string };

export function useRun(tool: string, bridge: HostBridge) {
  const [form, setForm] = useState<WorkflowForm | null>(null);
  const [given, setGiven] = useState<JsonObject>({});
  const [run, setRun] = useState<AppRun | null>(null);
  const [isCalling, setCalling] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  /** Why the run cannot be followed at the moment. */
  const [lost, setLost] = useState<string | null>(null);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [isConnected, setConnected] = useState(false);
  /** Counts the answers to polls, so that the next one follows. */
  const [polls, setPolls] = useState(0);
  const host = useRef<HostInfo>({});
  /** Runs that end here, not in a call of the model: it is told how they ended. */
  const followed = useRef(new Set<string>());

  const show = useCallback((shown: JsonObject) => {
    if (shown["run_id"]) setRun(shown as unknown as AppRun);
  }, []);
  /** Calls a tool and shows the run it returns; an error is shown instead. */
  const call = useCallback(
    async (name: string, args: JsonObject, isBegun = false): Promise<JsonObject | null> => {
      setBusy(true);
      try {
        const shown = await bridge.callTool(name, args);
        setFault(typeof shown["why"] === "string" ? `Recorded, but not counted: ${shown["why"]}` : null);
        setFaults({});
        if (isBegun) followed.current.add(String(shown["run_id"]));
        show(shown);
        return shown;
      } catch (error) {
        setFault((error as Error).message);
        setFaults(error instanceof CallError ? faultsByField(error) : {});
        return null;
      } finally {
        setBusy(false);
      }
    },
    [bridge, show],
  );

  useEffect(() => {
    listen(bridge, {
      onInputs: (inputs, isComplete) => {
        setGiven(inputs);
        if (isComplete) setCalling(true);
      },
      onResult: (result) => {
        setCalling(false);
        const id = runOfResult(result._meta, result.structuredContent);
        if (typeof result.structuredContent?.["run_id"] === "string")
          followed.current.add(result.structuredContent["run_id"]);
        if (id) void call("app_run", { run_id: id });
        else if (result.isError) setFault(resultText(result));
      },
      onCancelled: () => setCalling(false),
    });
    void bridge.connect(VERSION).then(async (info) => {
      host.current = info;
      applyHostContext(info.hostContext ?? {});
      setConnected(true);
      const shown = await call("app_workflow", { tool });
      if (shown) setForm(shown as unknown as WorkflowForm);
    });
  }, [bridge, tool, call]);

  useEffect(() => {
    if (run === null ? !isCalling : isOver(run)) return;
    let isStopped = false;
    const asked: JsonObject = run ? { run_id: run.run_id } : { tool, arguments: given };
    const timer = setTimeout(
      () => {
        bridge
          .callTool("app_run", asked)
          .then((shown) => {
            if (isStopped) return;
            setLost(null);
            show(shown);
          })
          .catch((error: unknown) => {
            if (!isStopped) setLost((error as Error).message);
          })
          .finally(() => setPolls((count) => count + 1));
      },
      run?.status === "waiting" || lost !== null ? WAITING_POLL_MS : POLL_MS,
    );
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }, [bridge, tool, given, run, isCalling, lost, polls, show]);

  useEffect(() => {
    if (run === null || !isOver(run) || !followed.current.delete(run.run_id)) return;
    if (host.current.hostCapabilities?.updateModelContext === undefined) return;
    const text = `The user continued in the app of the tool ${tool}. ${outcomeText(run)}`;
    bridge.request("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => undefined);
  }, [bridge, tool, run]);

  const begin = async (name: string, args: JsonObject) => (await call(name, args, true)) !== null;
  const id = run?.run_id ?? "";
  return {
    ...{ form, given, run, isCalling, isBusy, faults, isConnected },
    fault: fault ?? lost,
    start: (inputs: JsonObject) => {
      setGiven(inputs);
      return begin("app_start", { tool, arguments: inputs });
    },
    rerun: (node: string) => begin("app_rerun", { run_id: id, node }),
    answer: async (change: Change) => (await call("app_answer", { run_id: id, ...change })) !== null,
    cancel: () => call("app_cancel", { run_id: id }),
  };
}

interface Listeners {
  onInputs(inputs: JsonObject, isComplete: boolean): void;
  onResult(result: ToolResult): void;
  onCancelled(): void;
}

function listen(bridge: HostBridge, { onInputs, onResult, onCancelled }: Listeners): void {
  const inputs = (params: JsonObject) => (params["arguments"] ?? {}) as JsonObject;
  bridge.on("ui/notifications/tool-input-partial", (params) => onInputs(inputs(params), false));
  bridge.on("ui/notifications/tool-input", (params) => onInputs(inputs(params), true));
  bridge.on("ui/notifications/tool-result", (params) => onResult(params as ToolResult));
  bridge.on("ui/notifications/tool-cancelled", onCancelled);
  bridge.on("ui/notifications/host-context-changed", applyHostContext);
}

function faultsByField({ problems }: CallError): Record<string, string> {
  return Object.fromEntries(
    problems.map(({ pointer, message }) => [pointer.split("/")[1] ?? "", message] as const),
  );
}

function outcomeText(run: AppRun): string {
  const { text } = formatValue(run.result ?? run.result_text ?? run.error, MAX_CONTEXT_CHARS);
  return `Run ${run.run_id} ended with status ${run.status}:\n${text}`;
}
