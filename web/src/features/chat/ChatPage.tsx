/** A chat with a model that uses the tools of your servers, or of the server a document's section is bound to. */

import type { FormEvent, KeyboardEvent } from "react";
import { useEffect, useRef, useState } from "react";
import { safeText } from "../../model/text/untrusted";
import type { ChatAbout } from "../../queries/chat";
import { useChat } from "../../queries/chat";
import { useDocuments, useHeadings } from "../../queries/documents";
import { useModels } from "../../queries/models";
import { useServers } from "../../queries/servers";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { Field } from "../../ui/Field";
import { ChatTurn } from "./ChatTurn";
import { NoModel } from "./NoModel";
import "./chat.css";

export function ChatPage({ document }: { document: string }) {
  const { data: models } = useModels();
  const model = models?.find(({ isDefault }) => isDefault)?.name ?? models?.[0]?.name;
  if (models?.length === 0)
    return (
      <div className="page">
        <div className="page__inner">
          <div className="page__head">
            <h1>Chat</h1>
          </div>
          <NoModel who="The chat" />
        </div>
      </div>
    );
  return <Chat document={document} model={model} />;
}

const EXAMPLES = ["Which tools can you use, and what for?", "Plan my day with the tools you have"];

function Chat({ document, model }: { document: string; model: string | undefined }) {
  const [about, setAbout] = useState<ChatAbout>(document ? { document } : {});
  const { conversation, isAnswering, send, stop, clear } = useChat(about);
  const [message, setMessage] = useState("");
  const box = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const { id, servers, toolCount, turns } = conversation;
  const choose = (to: ChatAbout) => {
    clear();
    setAbout(to);
  };
  const startWith = (example: string) => {
    setMessage(example);
    box.current?.focus();
  };
  // The newest part of the answer stays in view.
  useEffect(() => {
    if (turns.length > 0) end.current?.scrollIntoView({ block: "end" });
  }, [turns]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!message.trim() || isAnswering) return;
    void send(message);
    setMessage("");
  };
  const sendOnEnter = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Enter" && !event.shiftKey) submit(event);
  };
  return (
    <div className="page chat-page">
      <div className="page__inner">
        <div className="page__head">
          <h1>Chat</h1>
          {turns.length > 0 && (
            <Button icon="plus" onClick={clear}>
              New chat
            </Button>
          )}
        </div>
        <Subject about={about} isFixed={isAnswering} onChoose={choose} />
        {id && (
          <p className="faint" role="status">
            The model has {toolCount} {toolCount === 1 ? "tool" : "tools"}
            {servers.length > 0 && ` of ${safeText(servers.join(", ")).text}`}.
          </p>
        )}
        {turns.length === 0 && (
          <EmptyState icon="chat" title="Ask a model that uses your tools">
            <p>Each tool call is shown with its arguments and its result.</p>
            <div className="chat__examples">
              {EXAMPLES.map((example) => (
                <button key={example} className="ai-builder__example" onClick={() => startWith(example)}>
                  {example}
                </button>
              ))}
            </div>
          </EmptyState>
        )}
        <ol className="chat__turns" aria-label="Conversation" aria-live="polite">
          {turns.map((turn, index) => (
            <ChatTurn key={index} turn={turn} />
          ))}
        </ol>
        <form className="chat__form" data-stop="message" onSubmit={submit}>
          <Field
            label="Message"
            note={`Enter sends it, Shift Enter begins a new line.${model ? ` Model: ${safeText(model).text}` : ""}`}
          >
            {(field, more) => (
              <textarea
                id={field}
                ref={box}
                className="textarea"
                rows={2}
                aria-describedby={more}
                value={message}
                onKeyDown={sendOnEnter}
                onChange={(event) => setMessage(event.target.value)}
              />
            )}
          </Field>
          <div className="row">
            <Button look="primary" type="submit" disabled={isAnswering || !message.trim()}>
              Send
            </Button>
            {isAnswering && (
              <Button icon="stop" onClick={stop}>
                Stop
              </Button>
            )}
          </div>
        </form>
        <div ref={end} />
      </div>
    </div>
  );
}

interface SubjectProps {
  about: ChatAbout;
  isFixed: boolean;
  onChoose(about: ChatAbout): void;
}

/** What the chat is about; a document says which server it uses. */
function Subject({ about, isFixed, onChoose }: SubjectProps) {
  const { data: documents } = useDocuments();
  const { data: headings, error } = useHeadings(about.document ?? "");
  const { data: servers } = useServers();
  const usable = servers?.filter(({ enabled, approved }) => enabled && approved) ?? [];
  const documentOptions = [...new Set([...(documents ?? []), ...(about.document ? [about.document] : [])])];
  return (
    <div className="chat__subject">
      <Choice
        label="Document"
        none="No document"
        value={about.document}
        options={documentOptions}
        isFixed={isFixed}
        onChoose={(document) => onChoose(document ? { document } : {})}
      />
      {about.document ? (
        <Choice
          label="Section"
          none="The whole document"
          value={about.heading}
          options={headings ?? []}
          isFixed={isFixed}
          onChoose={(heading) => onChoose({ document: about.document!, ...(heading ? { heading } : {}) })}
        />
      ) : (
        <Choice
          label="Server"
          none="All enabled servers"
          value={about.server}
          options={usable.map(({ name }) => name)}
          isFixed={isFixed}
          onChoose={(server) => onChoose(server ? { server } : {})}
        />
      )}
      {error && <p role="alert">{error.message}</p>}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  none: string;
  value: string | undefined;
  options: readonly string[];
  isFixed: boolean;
  onChoose(value: string): void;
}

function Choice({ label, none, value, options, isFixed, onChoose }: ChoiceProps) {
  return (
    <Field label={label}>
      {(id, _, aria) => (
        <select
          id={id}
          {...aria}
          className="select"
          value={value ?? ""}
          disabled={isFixed}
          onChange={(event) => onChoose(event.target.value)}
        >
          <option value="">{none}</option>
          {options.map((option, index) => (
            <option key={index} value={option}>
              {safeText(option).text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
