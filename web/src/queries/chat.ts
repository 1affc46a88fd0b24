/** A conversation with a model; the answer is streamed. */

import { useEffect, useRef, useState } from "react";
import { client, unwrap } from "../api/client";
import { postStream } from "../api/eventStream";
import type { ChatEvent, Conversation } from "../model/chat/conversation";
import { ask, hear, NEW_CONVERSATION } from "../model/chat/conversation";

export interface ChatAbout {
  document?: string;
  heading?: string;
  server?: string;
}

export interface Chat {
  conversation: Conversation;
  isAnswering: boolean;
  send(message: string): Promise<void>;
  stop(): void;
  /** Starts a new conversation. */
  clear(): void;
}

export function useChat(about: ChatAbout): Chat {
  const [conversation, setConversation] = useState(NEW_CONVERSATION);
  const request = useRef<AbortController | null>(null);
  // Leaving the page ends the answer.
  useEffect(() => () => request.current?.abort(), []);
  const isAnswering = conversation.turns.at(-1)?.isOver === false;
  const send = async (message: string) => {
    const { id } = conversation;
    const controller = (request.current = new AbortController());
    const onEvent = (event: ChatEvent) => setConversation((current) => hear(current, event));
    setConversation((current) => ask(current, message));
    try {
      const body = { message, ...(id ? { chat: id } : about) };
      await postStream("/api/v1/chat", controller.signal, (event) => onEvent(parsed(event.data)), body);
    } catch (error) {
      if (!controller.signal.aborted) onEvent({ type: "error", message: (error as Error).message });
    }
    onEvent({ type: "end" });
  };
  const stop = () => {
    const { id } = conversation;
    if (!id) return request.current?.abort();
    const path = { chat: id };
    void unwrap(client.POST("/api/v1/chat/{chat}/stop", { params: { path } })).catch(() =>
      request.current?.abort(),
    );
  };
  const clear = () => {
    request.current?.abort();
    setConversation(NEW_CONVERSATION);
  };
  return { conversation, isAnswering, send, stop, clear };
}

function parsed(data: string): ChatEvent {
  return JSON.parse(data) as ChatEvent;
}
