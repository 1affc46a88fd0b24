/** Asks the service; every refusal becomes one kind of error, with its hint and problems. */

import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "../../types/api";
import { hearTime } from "./clock";
import { currentToken } from "./token";

export type Schemas = components["schemas"];

export interface Problem {
  code: string;
  severity: "error" | "warning";
  pointer: string;
  message: string;
  hint?: string | null;
  patch?: Record<string, unknown>[] | null;
}

/** What stopped a request; `status` 0 is a service that did not answer. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string | null = null,
    readonly problems: Problem[] = [],
    readonly facts: Record<string, unknown> = {},
  ) {
    super(message);
  }

  get isUnreachable(): boolean {
    return this.status === 0;
  }
}

export type Heard = "answered" | "silent" | "refused";
type Listener = (heard: Heard) => void;
const listeners = new Set<Listener>();

/** Tells whether the service answers, with every request. */
export function onHeard(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function tellHeard(heard: Heard): void {
  for (const listener of listeners) listener(heard);
}

/** Tells what an answer means; that a key is refused counts only while it is the one in use. */
export function hear(response: Response, key: string): void {
  hearTime(response.headers.get("Date"));
  if (response.status !== 401) tellHeard("answered");
  else if (key === (currentToken() ?? "")) tellHeard("refused");
}

const keyed: Middleware = {
  onRequest({ request }) {
    request.headers.set("X-API-Key", currentToken() ?? "");
    return request;
  },
  onResponse({ request, response }) {
    hear(response, request.headers.get("X-API-Key") ?? "");
  },
  onError() {
    tellHeard("silent");
    return new ApiError(0, "UNREACHABLE", "the service does not answer");
  },
};

export const client = createClient<paths>({ baseUrl: window.location.origin });
client.use(keyed);

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** The data of an answer, or the refusal as an error. */
export async function data<Data>(asked: Promise<Answer<Data>>): Promise<Data> {
  const { data: found, error, response } = await asked;
  if (response.ok) return found as Data;
  throw refusal(response.status, error);
}

/** Reads `{"error": {…}}`; what a proxy in between says is no JSON. */
export function refusal(status: number, body: unknown): ApiError {
  const told = (body as { error?: Partial<Schemas["ErrorBody"]> } | undefined)?.error;
  if (!told?.code) return new ApiError(status, "UNREADABLE", `the service answered ${status}`);
  return new ApiError(
    status,
    told.code,
    told.message ?? told.code,
    told.hint ?? null,
    (told.problems as Problem[] | null | undefined) ?? [],
    told.facts ?? {},
  );
}
