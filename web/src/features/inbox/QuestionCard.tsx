/** One question with its form; if specific people were asked, the user selects who answers. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError } from "../../api/client";
import type { Decision, Question } from "../../model/form/answerForm";
import type { Json, JsonObject } from "../../model/workflow/workflow";
import { answerQuestion, INBOX } from "../../queries/inbox";
import { registerCommands } from "../../state/commands";
import { notify } from "../../state/notices";
import { hrefTo } from "../../state/route";
import { Field } from "../../ui/Field";
import { AnswerForm, QuestionText } from "./QuestionParts";

const NO_FAULTS: Readonly<Record<string, string>> = {};

interface Props {
  question: Question;
  /** Shown with its run, where letters are shortcuts of the canvas. */
  isInRun?: boolean;
}

export function QuestionCard({ question, isInRun = false }: Props) {
  const { id, run, workflow, askedAt, question: details } = question;
  const people = details.people ?? [];
  const [respondent, setWho] = useState(people[0] ?? "");
  const { send, isSending, refused } = useAnswer(id, respondent || null);
  return (
    <section
      className={isInRun ? "question question--in-run" : "card question"}
      aria-label="Question"
      data-stop={isInRun ? undefined : "detail"}
    >
      <QuestionText question={details}>
        <p className="faint">
          {isInRun ? (
            "Asked"
          ) : (
            <>
              <a href={hrefTo("runs", run)}>{workflow ? `A run of ${workflow}` : `Run ${run.slice(0, 8)}`}</a>{" "}
              asked this
            </>
          )}{" "}
          on {new Date(askedAt).toLocaleString()}
          {details.due && <>; due {new Date(details.due).toLocaleString()}</>}.
        </p>
      </QuestionText>
      <AnswerForm
        key={details.text}
        question={{ kind: details.kind, schema: details.schema as JsonObject }}
        isDisabled={isSending}
        refused={refused}
        keys={
          isInRun
            ? undefined
            : (decisions, decide) => (
                <DecisionKeys decisions={decisions} isDisabled={isSending} onDecide={decide} />
              )
        }
        onSend={send}
      >
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
      </AnswerForm>
    </section>
  );
}

interface KeyProps {
  decisions: readonly Decision[];
  isDisabled: boolean;
  onDecide(at: number): void;
}

/** An approval is answered with A or R; a key that is held down does not answer the next question. */
function DecisionKeys({ decisions, isDisabled, onDecide }: KeyProps) {
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
  return null;
}

/** Sends an answer; errors are returned by field, errors of no field under "". */
function useAnswer(id: string, respondent: string | null) {
  const [isSending, setSending] = useState(false);
  const [refused, setRefused] = useState(NO_FAULTS);
  const queries = useQueryClient();
  const send = (reply: Json) => {
    setSending(true);
    setRefused(NO_FAULTS);
    answerQuestion(id, reply, respondent)
      .then(({ counts, why }) =>
        notify(counts ? "Answered; the run continues" : `Recorded, but not counted: ${why}`, {
          tone: counts ? "good" : "bad",
        }),
      )
      .catch((error: unknown) => setRefused(faultsOf(error)))
      .finally(() => {
        setSending(false);
        void queries.invalidateQueries({ queryKey: INBOX });
      });
  };
  return { send, isSending, refused };
}

function faultsOf(error: unknown): Record<string, string> {
  const problems = error instanceof ApiError ? error.problems : [];
  const byField = Object.fromEntries(
    problems.map(({ pointer, message }) => [pointer.split("/")[1] ?? "", message]),
  );
  return { "": error instanceof Error ? error.message : String(error), ...byField };
}
