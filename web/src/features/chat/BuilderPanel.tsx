/** The AI builder beside the canvas: say what the workflow should do, then accept or refuse the proposal. */

import type { FormEvent, KeyboardEvent } from "react";
import { useRef, useState } from "react";
import { useStore } from "zustand";
import type { Turn } from "../../model/chat/conversation";
import { countOf } from "../../model/text/formatValue";
import { safeText } from "../../model/text/untrusted";
import { askBuilder } from "../../queries/builder";
import { useModels } from "../../queries/models";
import { announce } from "../../state/announcements";
import type { Proposal } from "../../state/builder";
import { useDocument, useEditor } from "../../state/editorContext";
import { notify } from "../../state/notices";
import { showInspector } from "../../state/panels";
import { Button, IconButton } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Untrusted } from "../../ui/Untrusted";
import { ChatTurn } from "./ChatTurn";
import { NoModel } from "./NoModel";
import "./chat.css";

const EXAMPLES = [
  "Every weekday at 9, summarise new issues and mail them to me",
  "Ask me before anything is sent",
];

export default function BuilderPanel() {
  const { data: models, isLoading } = useModels();
  return (
    <div className="ai-builder">
      <div className="row side-head">
        <h2>Build with AI</h2>
        <IconButton label="Close the builder" icon="close" onClick={showInspector} />
      </div>
      {isLoading ? (
        <p className="faint">Loading…</p>
      ) : models?.length ? (
        <Conversation models={models.map(({ name }) => name)} />
      ) : (
        <NoModel who="The builder" />
      )}
    </div>
  );
}

function Conversation({ models }: { models: readonly string[] }) {
  const editor = useEditor();
  const { conversation, proposal, request } = useStore(editor.builder.store);
  const setRequest = (text: string) => editor.builder.write(text);
  const [model, setModel] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const isWorking = conversation.turns.at(-1)?.isOver === false;
  const send = async () => {
    const message = request.trim();
    if (!message || isWorking) return;
    const active = new AbortController();
    editor.builder.stop = () => active.abort();
    await askBuilder(editor, message, model, active.signal);
    announce(editor.builder.store.getState().proposal ? "A change is proposed" : "No change is proposed");
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    void send();
  };
  return (
    <>
      <div className="ai-builder__talk">
        {conversation.turns.length === 0 && <Intro onChoose={setRequest} />}
        <ol className="chat__turns" aria-label="Conversation">
          {conversation.turns.map((turn, index) => (
            <BuilderTurn key={index} turn={turn} />
          ))}
        </ol>
        {!proposal && isAnsweredWithoutProposal(conversation.turns.at(-1)) && (
          <p className="faint">
            No changes proposed. Reply to the model, or describe in more detail what you want.
          </p>
        )}
      </div>
      {proposal && <Decision proposal={proposal} onDecided={() => field.current?.focus()} />}
      <form className="chat__form" onSubmit={onSubmit}>
        <Field label="What should the workflow do?">
          {(id, _, aria) => (
            <textarea
              ref={field}
              id={id}
              {...aria}
              className="textarea"
              rows={3}
              autoFocus
              value={request}
              onKeyDown={onKeyDown}
              onChange={(event) => setRequest(event.target.value)}
            />
          )}
        </Field>
        {models.length > 1 && (
          <Field label="Model">
            {(id, _, aria) => (
              <select
                id={id}
                {...aria}
                className="select"
                value={model ?? ""}
                onChange={(event) => setModel(event.target.value || null)}
              >
                <option value="">Default</option>
                {models.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        <div className="row">
          <Button look="primary" type="submit" icon="spark" disabled={isWorking || !request.trim()}>
            Propose a change
          </Button>
          {isWorking && (
            <Button icon="stop" onClick={() => editor.builder.stop()}>
              Stop
            </Button>
          )}
          {!isWorking && conversation.turns.length > 0 && (
            <Button look="quiet" onClick={() => editor.builder.clear()}>
              Start over
            </Button>
          )}
        </div>
      </form>
    </>
  );
}

function isAnsweredWithoutProposal(turn: Turn | undefined): boolean {
  return turn !== undefined && turn.isOver && turn.fault === null && turn.decision === undefined;
}

function Intro({ onChoose }: { onChoose(request: string): void }) {
  return (
    <>
      <p className="faint">
        The model reads the catalog and this workflow, checks its proposal, and shows it on the canvas.
        Nothing changes until you accept.
      </p>
      <div className="ai-builder__examples">
        {EXAMPLES.map((example) => (
          <button
            key={example}
            type="button"
            className="ai-builder__example"
            onClick={() => onChoose(example)}
          >
            {example}
          </button>
        ))}
      </div>
    </>
  );
}

/** One request with its tool calls, the answer, and what it cost. */
function BuilderTurn({ turn }: { turn: Turn }) {
  return (
    <ChatTurn turn={turn}>
      {turn.decision && <p className="faint ai-builder__usage">{turn.decision}</p>}
      {turn.usage && (
        <p className="faint ai-builder__usage">
          {turn.usage.inputTokens.toLocaleString("en")} tokens in,{" "}
          {turn.usage.outputTokens.toLocaleString("en")} out
        </p>
      )}
    </ChatTurn>
  );
}

/** The proposed changes with their problems, to accept or refuse; it disappears with the decision. */
function Decision({ proposal, onDecided }: { proposal: Proposal; onDecided(): void }) {
  const editor = useEditor();
  const current = useDocument((state) => state.history.present);
  const { comparison, differences, problems, workflow, summary, base } = proposal;
  const errors = problems.filter(({ severity }) => severity === "error");
  const isOutdated = current !== base;
  const accept = () => {
    editor.document.endGesture();
    editor.document.replace(workflow);
    const added = workflow.nodes
      .filter(({ id }) => comparison.changes.get(id) === "added")
      .map(({ id }) => id);
    editor.document.select(added);
    editor.builder.decide("Accepted.");
    notify("Change accepted", { tone: "good", hint: "Undo reverts it." });
    onDecided();
  };
  const reject = () => {
    editor.builder.decide("Rejected.");
    onDecided();
  };
  return (
    <section className="ai-builder__decision" aria-label="Proposed change">
      <strong>
        <Untrusted {...safeText(summary)} />
      </strong>
      {differences.length === 0 ? (
        <p className="faint">The proposal is the same as the workflow.</p>
      ) : (
        <ul className="ai-builder__changes" aria-label="Changes">
          {differences.map(({ kind, what, details }, index) => (
            <li key={index}>
              <span className={`ai-builder__kind ai-builder__kind--${kind}`}>{kind}</span>{" "}
              {safeText(what).text}
              {details.length > 0 && (
                <details>
                  <summary>{countOf(details.length, "field")}</summary>
                  <dl>
                    {details.map(({ field, mine, theirs }) => (
                      <div key={field}>
                        <dt className="mono">{safeText(field).text}</dt>
                        <dd>
                          <del>{safeText(theirs).text}</del> <ins>{safeText(mine).text}</ins>
                        </dd>
                      </div>
                    ))}
                  </dl>
                </details>
              )}
            </li>
          ))}
        </ul>
      )}
      {problems.length > 0 && (
        <ul className="ai-builder__problems" aria-label="Problems of the proposal">
          {problems.map(({ code, pointer, message, severity }) => (
            <li key={code + pointer} className={severity === "error" ? "field__fault" : "field__warning"}>
              {safeText(message).text}
            </li>
          ))}
        </ul>
      )}
      {isOutdated && (
        <p role="status" className="field__warning">
          The workflow changed since you asked. Ask again to include your edits.
        </p>
      )}
      <div className="row">
        <Button
          look="primary"
          icon="check"
          disabled={isOutdated || differences.length === 0}
          onClick={accept}
        >
          {errors.length > 0 ? `Accept with ${countOf(errors.length, "error")}` : "Accept"}
        </Button>
        <Button icon="close" onClick={reject}>
          Reject
        </Button>
      </div>
    </section>
  );
}
