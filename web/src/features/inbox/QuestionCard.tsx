/** One question with its form; who answers can be chosen where certain people were asked. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/client";
import type { AnswerField, Filled, Question } from "../../model/form/answerForm";
import { decidingField, fieldsOf, replyOf } from "../../model/form/answerForm";
import { notify } from "../../state/notices";
import { pathTo } from "../../state/route";
import { shownText } from "../../model/text/untrusted";
import type { Json, JsonObject } from "../../model/workflow/workflow";
import { answerQuestion, INBOX } from "../../queries/inbox";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Untrusted } from "../../ui/Untrusted";
import { AnswerControl } from "./AnswerControl";

const DECLINED: JsonObject = { declined: true };

export function QuestionCard({ question: { id, run, workflow, askedAt, question: asked } }: { question: Question }) {
  const fields = fieldsOf(asked.schema as JsonObject);
  const deciding = decidingField(fields);
  const people = asked.people ?? [];
  const [filled, fill] = useState<Filled>({});
  const [who, setWho] = useState(people[0] ?? "");
  const { send, isSending, faults, setFaults } = useSending(id, who || null);
  const submit = (more: Filled = {}) => {
    const read = replyOf(fields, { ...filled, ...more });
    if (Object.keys(read.faults).length > 0) setFaults(read.faults);
    else send(read.reply);
  };
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus(), [faults]);
  return (
    <section ref={card} className="card question" aria-label="Question">
      {asked.title && asked.title !== asked.text && (
        <h2>
          <Untrusted {...shownText(asked.title)} />
        </h2>
      )}
      <p className="question__text">
        <Untrusted {...shownText(asked.text)} />
      </p>
      <p className="faint">
        <a href={pathTo("runs", run)}>{workflow ? `A run of ${workflow}` : `Run ${run.slice(0, 8)}`}</a> asked this on {new Date(askedAt).toLocaleString()}
        {asked.due && <>; an answer counts until {new Date(asked.due).toLocaleString()}</>}.
      </p>
      {asked.content != null && <pre className="question__content">{contentText(asked.content as Json)}</pre>}
      {fields
        .filter((field) => field !== deciding)
        .map((field) => (
          <AnswerControl key={field.name} field={field} value={filled[field.name]} fault={faults[field.name] ?? null} onChange={(value) => fill({ ...filled, [field.name]: value })} />
        ))}
      {people.length > 0 && (
        <Field label="Who answers" note="Only the answers of those who were asked count.">
          {(control, more) => (
            <select id={control} aria-describedby={more} className="select" value={who} onChange={(event) => setWho(event.target.value)}>
              {people.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      {faults[""] && (
        <p role="alert" className="field__fault">
          {faults[""]}
        </p>
      )}
      <div className="row">
        {deciding ? <Deciding field={deciding} isOff={isSending} onDecide={(at) => submit({ [deciding.name]: String(at) })} /> : <SendButton isOff={isSending} onSend={() => submit()} />}
        {asked.kind !== "approval" && (
          <Button look="quiet" disabled={isSending} onClick={() => send(DECLINED)}>
            Do not answer
          </Button>
        )}
      </div>
    </section>
  );
}

function Deciding({ field, isOff, onDecide }: { field: AnswerField; isOff: boolean; onDecide(at: number): void }) {
  return (
    <>
      {field.options.map((option, at) => (
        <Button key={at} look={at === 0 ? "primary" : "plain"} disabled={isOff} onClick={() => onDecide(at)}>
          {shownText(option.label).text}
        </Button>
      ))}
    </>
  );
}

function SendButton({ isOff, onSend }: { isOff: boolean; onSend(): void }) {
  return (
    <Button look="primary" icon="check" disabled={isOff} onClick={onSend}>
      Send the answer
    </Button>
  );
}

function contentText(content: Json): string {
  return shownText(typeof content === "string" ? content : JSON.stringify(content, null, 2)).text;
}

/** Sends an answer; faults come back by field, those of no field under "". */
function useSending(id: string, who: string | null) {
  const [isSending, setSending] = useState(false);
  const [faults, setFaults] = useState<Record<string, string>>({});
  const queries = useQueryClient();
  const send = (reply: Json) => {
    setSending(true);
    setFaults({});
    answerQuestion(id, reply, who)
      .then(({ counts, why }) => notify(counts ? "Answered; the run goes on" : `Noted, but it does not count: ${why}`, { tone: counts ? "good" : "bad" }))
      .catch((error: unknown) => setFaults(faultsOf(error)))
      .finally(() => {
        setSending(false);
        void queries.invalidateQueries({ queryKey: INBOX });
      });
  };
  return { send, isSending, faults, setFaults };
}

function faultsOf(error: unknown): Record<string, string> {
  const problems = error instanceof ApiError ? error.problems : [];
  const byField = Object.fromEntries(problems.map(({ pointer, message }) => [pointer.split("/")[1] ?? "", message]));
  return { "": error instanceof Error ? error.message : String(error), ...byField };
}
