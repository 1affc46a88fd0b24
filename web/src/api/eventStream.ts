/** Server-sent events over `fetch`, as `EventSource` cannot send a header: numbered, resumable. */

import { hear, refusal, tellHeard } from "./client";
import { currentToken } from "./token";

export interface StreamEvent {
  id: string;
  kind: string;
  data: string;
}

interface Following {
  signal: AbortSignal;
  after?: string;
  onEvent(event: StreamEvent): void;
  /** Connected, or not for now. */
  onState?(isOpen: boolean): void;
}

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 5_000;
/** The service says every 15 s that it is there; silence for longer is a connection that is gone. */
const LONGEST_SILENCE_MS = 45_000;
const AGAIN: ReadonlySet<number> = new Set([401, 408, 425, 429]);

/** Follows a stream to its end; a lost connection is taken up after the last event seen. */
export async function follow(path: string, { signal, after, onEvent, onState }: Following): Promise<void> {
  let last = after ?? "";
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      const response = await open(path, last, signal);
      if (response.status === 204) return;
      onState?.(true);
      wait = FIRST_WAIT_MS;
      for await (const event of events(response)) {
        last = event.id || last;
        onEvent(event);
      }
      // The service closes a stream when all is told; asked once more it says so with 204.
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TypeError) && !isLost(error)) throw error;
      if ((error as { status?: number }).status === undefined) tellHeard("silent");
    }
    onState?.(false);
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

/** Whether it may be otherwise soon: nobody answered, a proxy gave up, or another key will be typed. */
function isLost(error: unknown): boolean {
  if (error instanceof DOMException) return true;
  const { status = 0 } = error as { status?: number };
  return status >= 500 || AGAIN.has(status);
}

/** Posts, and hears what comes of it to the end; nothing is taken up again. */
export async function listen(path: string, signal: AbortSignal, onEvent: (event: StreamEvent) => void): Promise<void> {
  const response = await open(path, "", signal, "POST");
  for await (const event of events(response)) onEvent(event);
}

async function open(path: string, last: string, signal: AbortSignal, method = "GET"): Promise<Response> {
  const key = currentToken() ?? "";
  const headers: Record<string, string> = { "X-API-Key": key, Accept: "text/event-stream" };
  if (last) headers["Last-Event-ID"] = last;
  const response = await fetch(path, { method, headers, signal, cache: "no-store" });
  hear(response, key);
  if (response.ok) return response;
  throw refusal(response.status, await response.json().catch(() => undefined));
}

async function* events(response: Response): AsyncGenerator<StreamEvent> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const parse = parser();
  for (;;) {
    const { done, value } = await heardIn(LONGEST_SILENCE_MS, reader);
    if (done) return;
    yield* parse(value);
  }
}

/** The next piece; a reader that hears nothing for long is given up. */
async function heardIn(ms: number, reader: ReadableStreamDefaultReader<string>): Promise<ReadableStreamReadResult<string>> {
  let timer = 0;
  const silence = new Promise<never>((_, reject) => {
    timer = window.setTimeout(() => reject(new DOMException("nothing was heard", "TimeoutError")), ms);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (error) {
    void reader.cancel().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Cuts what arrives into events, however the pieces fall. */
export function parser(): (piece: string) => StreamEvent[] {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    return blocks.map(parseBlock).filter((event) => event.data !== "");
  };
}

function parseBlock(block: string): StreamEvent {
  const event: StreamEvent = { id: "", kind: "message", data: "" };
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) event.id = line.slice(4);
    else if (line.startsWith("event: ")) event.kind = line.slice(7);
    else if (line.startsWith("data: ")) event.data += line.slice(6);
  }
  return event;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
