/** A chat with a model that uses the tools of your servers, or of the server a document's section is bound to. */

import type { FormEvent, KeyboardEvent } from "react";
import { useState } from "react";
import { safeText } from "../../model/text/untrusted";
import type { ChatAbout } from "../../queries/chat";
import { useChat } from "../../queries/chat";
import { useDocuments, useHeadings } from "../../queries/documents";
import { useModels } from "../../queries/models";
import { useServers } from "../../queries/servers";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { ChatTurn } from "./ChatTurn";
import { NoModel } from "./NoModel";
import "./chat.css";

export function ChatPage({ document }: { document: string }) {
  const { data: models } = useModels();
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
  return <Chat document={document} />;
}

function Chat({ document }: { document: string }) {
  const [about, setAbout] = useState<ChatAbout>(document ? { document } : {});
  const { conversation, isAnswering, send, stop, clear } = useChat(about);
  const [message, setMessage] = useState("");
  const { id, servers, toolCount, turns } = conversation;
  const choose = (to: ChatAbout) => {
    clear();
    setAbout(to);
  };
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
    <div className="page">
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
        <ol className="chat__turns" aria-label="Conversation" aria-live="polite">
          {turns.map((turn, index) => (
            <ChatTurn key={index} turn={turn} />
          ))}
        </ol>
        <form className="chat__form" onSubmit={submit}>
          <Field label="Message" note="Enter sends it, Shift Enter begins a new line.">
            {(field, more) => (
              <textarea
                id={field}
                className="textarea"
                rows={3}
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
