/** A conversation with a model, built from the events of its answers. */

export interface ToolUse {
  tool: string;
  arguments: string;
  /** Null while it runs. */
  result: string | null;
  isError: boolean;
  /** Pictures, sounds, files and links, as the service sent them. */
  content?: readonly Record<string, unknown>[];
}

export interface Turn {
  message: string;
  answer: string;
  calls: readonly ToolUse[];
  /** Why there is no answer, or no more of it. */
  fault: string | null;
  isOver: boolean;
  /** The tokens of the whole turn, once it is known. */
  usage: { inputTokens: number; outputTokens: number } | null;
  /** What the user decided about a proposal. */
  decision?: string;
}

export interface Conversation {
  id: string | null;
  servers: readonly string[];
  toolCount: number;
  turns: readonly Turn[];
}

export const NEW_CONVERSATION: Conversation = { id: null, servers: [], toolCount: 0, turns: [] };

export interface ChatEvent {
  type: string;
  [field: string]: unknown;
}

export function ask(conversation: Conversation, message: string): Conversation {
  const turn: Turn = { message, answer: "", calls: [], fault: null, isOver: false, usage: null };
  return { ...conversation, turns: [...conversation.turns, turn] };
}

export function hear(conversation: Conversation, event: ChatEvent): Conversation {
  if (event.type === "chat") {
    const { id, servers, tools } = event as { id?: string; servers?: string[]; tools?: number };
    return { ...conversation, id: id ?? null, servers: servers ?? [], toolCount: tools ?? 0 };
  }
  const last = conversation.turns.at(-1);
  return last
    ? { ...conversation, turns: [...conversation.turns.slice(0, -1), heard(last, event)] }
    : conversation;
}

function heard(turn: Turn, event: ChatEvent): Turn {
  switch (event.type) {
    case "text":
      return { ...turn, answer: turn.answer + String(event["text"] ?? "") };
    case "call": {
      const { server, tool: name } = event as { server?: string | null; tool?: string };
      const tool = [server, name].filter(Boolean).join("/");
      const use = { tool, arguments: JSON.stringify(event["arguments"]), result: null, isError: false };
      return { ...turn, calls: [...turn.calls, use] };
    }
    case "result": {
      const at = turn.calls.findIndex(({ result }) => result === null);
      const content = Array.isArray(event["content"]) ? (event["content"] as ToolUse["content"]) : [];
      const done = { result: String(event["text"] ?? ""), isError: event["isError"] === true, content };
      return { ...turn, calls: turn.calls.map((use, index) => (index === at ? { ...use, ...done } : use)) };
    }
    case "answer":
      return { ...turn, usage: (event["usage"] as Turn["usage"] | undefined) ?? null };
    case "decided":
      return { ...turn, decision: String(event["note"]) };
    case "error":
      return { ...turn, fault: faultOf(event) };
    case "stopped":
      return { ...turn, fault: "Stopped." };
    case "end":
      return { ...turn, isOver: true };
    default:
      return turn;
  }
}

function faultOf(event: ChatEvent): string {
  const { message, hint } = (event["error"] ?? event) as { message?: string; hint?: string | null };
  return [message ?? "the model did not answer", hint].filter(Boolean).join("; ");
}
