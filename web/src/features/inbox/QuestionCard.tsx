/** One question with its form; if specific people were asked, the user selects who answers. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/client";
import type { AnswerValues, Decision, Question } from "../../model/form/answerForm";
import { decisionField, decisionsOf, answerFields, parseAnswer } from "../../model/form/answerForm";
import { safeText } from "../../model/text/untrusted";
import type { Json, JsonObject } from "../../model/workflow/workflow";
import { answerQuestion, INBOX } from "../../queries/inbox";
import { registerCommands } from "../../state/commands";
import { notify } from "../../state/notices";
import { hrefTo } from "../../state/route";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Untrusted } from "../../ui/Untrusted";
import { AnswerControl } from "./AnswerControl";
import { Markdown } from "./Markdown";

const DECLINED: JsonObject = { declined: true };

export function QuestionCard({
  question: { id, run, workflow, askedAt, question: details },
}: {
  question: Question;
}) {
  const fields = answerFields(details.schema as JsonObject);
  const deciding = decisionField(fields);
  const people = details.people ?? [];
  const [filled, fill] = useState<AnswerValues>({});
  const [respondent, setWho] = useState(people[0] ?? "");
  const { send, isSending, faults, setFaults } = useAnswer(id, respondent || null);
  const submit = (extra: AnswerValues = {}) => {
    const read = parseAnswer(fields, { ...filled, ...extra });
    if (Object.keys(read.faults).length > 0) setFaults(read.faults);
    else send(read.reply);
  };
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus(), [faults]);
  return (
    <section ref={card} className="card question" aria-label="Question">
      {details.title && details.title !== details.text && (
        <h2>
          <Untrusted {...safeText(details.title)} />
        </h2>
      )}
      <div className="question__text">
        <Markdown text={details.text} />
      </div>
      <p className="faint">
        <a href={hrefTo("runs", run)}>{workflow ? `A run of ${workflow}` : `Run ${run.slice(0, 8)}`}</a> asked
        this on {new Date(askedAt).toLocaleString()}
        {details.due && <>; due {new Date(details.due).toLocaleString()}</>}.
      </p>
      {details.content != null && (
        <div className="question__content">
          {typeof details.content === "string" ? (
            <Markdown text={details.content} />
          ) : (
            <pre>{safeText(JSON.stringify(details.content, null, 2)).text}</pre>
          )}
        </div>
      )}
      {fields
        .filter((field) => field !== deciding)
        .map((field) => (
          <AnswerControl
            key={field.name}
            field={field}
            value={filled[field.name]}
            fault={faults[field.name] ?? null}
            onChange={(value) => fill({ ...filled, [field.name]: value })}
          />
        ))}
      {people.length > 0 && (
        <Field label="Answer as" note="Only people who were asked can answer.">
          {(control, extra) => (
            <select
              id={control}
              aria-describedby={extra}
              className="select"
              value={respondent}
              onChange={(event) => setWho(event.target.value)}
            >
              {people.map((person) => (
                <option key={person}>{person}</option>
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
        {deciding ? (
          <DecisionButtons
            decisions={decisionsOf(deciding, details.kind)}
            isDisabled={isSending}
            onDecide={(at) => submit({ [deciding.name]: String(at) })}
          />
        ) : (
          <SendButton isDisabled={isSending} onSend={() => submit()} />
        )}
        {details.kind !== "approval" && (
          <Button look="quiet" disabled={isSending} onClick={() => send(DECLINED)}>
            Decline
          </Button>
        )}
      </div>
    </section>
  );
}

interface DecisionProps {
  decisions: readonly Decision[];
  isDisabled: boolean;
  onDecide(at: number): void;
}

function DecisionButtons({ decisions, isDisabled, onDecide }: DecisionProps) {
  useDecisionKeys(decisions, isDisabled, onDecide);
  return (
    <>
      {decisions.map(({ at, label, key }, index) => (
        <Button
          key={at}
          look={index === 0 ? "primary" : "plain"}
          disabled={isDisabled}
          aria-keyshortcuts={key?.toUpperCase()}
          onClick={() => onDecide(at)}
        >
          {safeText(label).text}
          {key && (
            <kbd className="question__key" aria-hidden="true">
              {key.toUpperCase()}
            </kbd>
          )}
        </Button>
      ))}
    </>
  );
}

/** An approval is answered with A or R; a key that is held down does not answer the next question. */
function useDecisionKeys(
  decisions: readonly Decision[],
  isDisabled: boolean,
  onDecide: (at: number) => void,
): void {
  useEffect(() =>
    registerCommands(
      decisions.flatMap(({ at, label, key }) =>
        key === null
          ? []
          : {
              id: `decide-${key}`,
              title: label,
              keys: key,
              isOnce: true,
              isDisabled: () => isDisabled,
              run: () => onDecide(at),
            },
      ),
    ),
  );
}

function SendButton({ isDisabled, onSend }: { isDisabled: boolean; onSend(): void }) {
  return (
    <Button look="primary" icon="check" disabled={isDisabled} onClick={onSend}>
      Send answer
    </Button>
  );
}

/** Sends an answer; errors are returned by field, errors of no field under "". */
function useAnswer(id: string, respondent: string | null) {
  const [isSending, setSending] = useState(false);
  const [faults, setFaults] = useState<Record<string, string>>({});
  const queries = useQueryClient();
  const send = (reply: Json) => {
    setSending(true);
    setFaults({});
    answerQuestion(id, reply, respondent)
      .then(({ counts, why }) =>
        notify(counts ? "Answered; the run continues" : `Recorded, but not counted: ${why}`, {
          tone: counts ? "good" : "bad",
        }),
      )
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
  const byField = Object.fromEntries(
    problems.map(({ pointer, message }) => [pointer.split("/")[1] ?? "", message]),
  );
  return { "": error instanceof Error ? error.message : String(error), ...byField };
}
