/** The messages between this page and the host that shows it: JSON-RPC over postMessage. */

import type { JsonObject } from "../model/workflow/workflow";

const PROTOCOL_VERSION = "2026-01-26";

export interface HostContext {
  theme?: string;
  styles?: { variables?: Readonly<Record<string, unknown>> };
}

export interface HostInfo {
  hostCapabilities?: { updateModelContext?: unknown };
  hostContext?: HostContext;
}

/** The result of a tool call, as far as this page reads it. */
export interface ToolResult {
  isError?: boolean;
  content?: readonly { type: string; text?: string }[];
  structuredContent?: JsonObject;
  _meta?: JsonObject;
}

interface Message {
  jsonrpc: "2.0";
  id?: string | number;
  method?: string;
  params?: JsonObject;
  result?: unknown;
  error?: { message?: string };
}

interface Pending {
  resolve(value: unknown): void;
  reject(reason: Error): void;
}

/** A call that the server refused, with what is wrong by input. */
export class CallError extends Error {
  constructor(
    message: string,
    readonly problems: readonly { pointer: string; message: string }[] = [],
  ) {
    super(message);
  }
}

export class HostBridge {
  private readonly pending = new Map<number, Pending>();
  private readonly listeners = new Map<string, (params: JsonObject) => void>();
  private lastId = 0;

  constructor(private readonly host: Window) {
    window.addEventListener("message", (event: MessageEvent<unknown>) => {
      // Only the window that shows this page is the host.
      if (event.source === this.host) this.receive(event.data as Message);
    });
  }

  on(method: string, listener: (params: JsonObject) => void): void {
    this.listeners.set(method, listener);
  }

  /** The host sends nothing before it was told that this page is ready. */
  async connect(version: string): Promise<HostInfo> {
    const info = (await this.request("ui/initialize", {
      protocolVersion: PROTOCOL_VERSION,
      appInfo: { name: "toolweave", version },
      appCapabilities: {},
    })) as HostInfo;
    this.notify("ui/notifications/initialized", {});
    return info;
  }

  async callTool(name: string, args: JsonObject): Promise<JsonObject> {
    const result = (await this.request("tools/call", { name, arguments: args })) as ToolResult;
    const content = result.structuredContent ?? {};
    if (!result.isError) return content;
    const problems = Array.isArray(content["problems"]) ? content["problems"] : [];
    throw new CallError(
      typeof content["message"] === "string" ? content["message"] : resultText(result) || "The call failed.",
      problems as unknown as CallError["problems"],
    );
  }

  request(method: string, params: JsonObject): Promise<unknown> {
    const id = (this.lastId += 1);
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.send({ jsonrpc: "2.0", id, method, params });
    });
  }

  notify(method: string, params: JsonObject): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  private send(message: Message): void {
    // A page without an origin cannot know the one of its host.
    this.host.postMessage(message, "*");
  }

  private receive(message: Message | null): void {
    if (message?.jsonrpc !== "2.0") return;
    if (message.method !== undefined) {
      this.listeners.get(message.method)?.(message.params ?? {});
      if (message.id !== undefined) this.send(answerTo(message.id, message.method));
      return;
    }
    const waiting = this.pending.get(Number(message.id));
    this.pending.delete(Number(message.id));
    if (message.error) waiting?.reject(new CallError(message.error.message ?? "The host refused."));
    else waiting?.resolve(message.result);
  }
}

const ANSWERED: ReadonlySet<string> = new Set(["ping", "ui/resource-teardown"]);

function answerTo(id: string | number, method: string): Message {
  if (ANSWERED.has(method)) return { jsonrpc: "2.0", id, result: {} };
  const error = { code: -32601, message: "Method not found" };
  return { jsonrpc: "2.0", id, error };
}

export function resultText(result: ToolResult): string {
  return (result.content ?? []).map(({ text }) => text ?? "").join("\n");
}
