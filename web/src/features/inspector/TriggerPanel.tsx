/** What a trigger does with its current settings, and the event that test runs start with. */

import { useStore } from "zustand";
import { safeText } from "../../model/text/untrusted";
import { setTestEvent, testEventOf } from "../../model/workflow/studioData";
import type { WorkflowNode } from "../../model/workflow/workflow";
import type { EditedTrigger } from "../../queries/testEvents";
import { listenForEvent, stopListening, useEditedTrigger } from "../../queries/testEvents";
import { runCommand } from "../../state/commands";
import { useDocument, useEditor } from "../../state/editorContext";
import { listeningStore } from "../../state/listening";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { Untrusted } from "../../ui/Untrusted";
import "./trigger.css";

interface Props {
  node: WorkflowNode;
  isReadOnly: boolean;
}

export function TriggerPanel({ node, isReadOnly }: Props) {
  const { data: trigger, error } = useEditedTrigger(node);
  if (error) return <p className="field__fault">{error.message}</p>;
  if (!trigger || trigger.kind === "manual") return null;
  return (
    <section className="trigger-panel" aria-label="Trigger">
      {trigger.reason && (
        <p className="field__fault">
          <Untrusted {...safeText(trigger.reason)} />
        </p>
      )}
      {trigger.hook && <Addresses hook={trigger.hook} />}
      {trigger.nextTimes.length > 0 && <NextTimes trigger={trigger} />}
      {!isReadOnly && trigger.kind !== "cron" && (
        <EventSample node={node} canListen={trigger.hook !== null} />
      )}
    </section>
  );
}

function Addresses({ hook }: { hook: NonNullable<EditedTrigger["hook"]> }) {
  return (
    <div className="trigger-panel__part">
      <h3>{hook.paths.length > 1 ? "Addresses" : "Address"}</h3>
      {hook.paths.map((path) => {
        const url = window.location.origin + path;
        return (
          <div key={path} className="trigger-panel__address">
            <code>{url}</code>
            <CopyButton text={url} what={`the address ${path}`} />
          </div>
        );
      })}
      <p className="faint">{hook.methods.join(", ")} · it starts runs while the workflow is active.</p>
    </div>
  );
}

function NextTimes({ trigger }: { trigger: EditedTrigger }) {
  return (
    <div className="trigger-panel__part">
      <h3>Next five runs, in your time</h3>
      <ol className="trigger-panel__times" aria-label="Next runs">
        {trigger.nextTimes.map((at) => (
          <li key={at}>
            <time dateTime={at}>{new Date(at).toLocaleString([], TIME_FORMAT)}</time>
          </li>
        ))}
      </ol>
    </div>
  );
}

const TIME_FORMAT: Intl.DateTimeFormatOptions = {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
};

function since(at: string | null): string {
  return at === null ? "" : ` since ${new Date(at).toLocaleString([], TIME_FORMAT)}`;
}

/** The kept event, and the ways to get one. */
function EventSample({ node, canListen }: { node: WorkflowNode; canListen: boolean }) {
  const editor = useEditor();
  const workflow = useDocument(({ history }) => history.present);
  const event = testEventOf(workflow);
  const isListening = useStore(
    listeningStore,
    (state) => state.editor === editor.id && state.node === node.id,
  );
  const isMine = event?.node === node.id;
  return (
    <div className="trigger-panel__part">
      <h3>Test event</h3>
      <p className="faint" role="status">
        {isListening
          ? "Listening: send one request to the address above. No run starts."
          : isMine
            ? `Saved${since(event.receivedAt)}: Run starts with it, and the next nodes read it.`
            : "Run asks for an event, or uses the one that you save here."}
      </p>
      <div className="row">
        {isListening ? (
          <Button icon="stop" onClick={stopListening}>
            Stop listening
          </Button>
        ) : (
          canListen && (
            <Button icon="bolt" look="primary" onClick={() => void listenForEvent(editor, node)}>
              Listen for a test event
            </Button>
          )
        )}
        <Button icon="pencil" onClick={() => runCommand("inputs")}>
          {isMine ? "Edit event" : "Enter event"}
        </Button>
        {isMine && (
          <Button look="quiet" onClick={() => editor.document.edit((now) => setTestEvent(now, null))}>
            Remove
          </Button>
        )}
      </div>
    </div>
  );
}
