/** A question of the run, answered in place. */

import { useEffect, useRef, useState } from "react";
import { AnswerControl } from "../features/inbox/AnswerControl";
import { Markdown } from "../features/inbox/Markdown";
import type { AnswerValues } from "../model/form/answerForm";
import { answerFields, decisionField, decisionsOf, parseAnswer } from "../model/form/answerForm";
import type { AppQuestion } from "../model/run/appRun";
import { safeText } from "../model/text/untrusted";
import type { Json } from "../model/workflow/workflow";
import { Button } from "../ui/Button";
import { Untrusted } from "../ui/Untrusted";

interface Props {
  question: AppQuestion;
  isDisabled: boolean;
  onAnswer(reply: Json): Promise<boolean>;
}

export function RunQuestion({ question, isDisabled, onAnswer }: Props) {
  const fields = answerFields(question.schema);
  const deciding = decisionField(fields);
  const [filled, fill] = useState<AnswerValues>({});
  const [faults, setFaults] = useState<Record<string, string>>({});
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus(), [faults]);
  const submit = (extra: AnswerValues = {}) => {
    const read = parseAnswer(fields, { ...filled, ...extra });
    setFaults(read.faults);
    if (Object.keys(read.faults).length === 0) void onAnswer(read.reply);
  };
  return (
    <section ref={card} className="run-app__question" aria-label="Question">
      {question.title && question.title !== question.text && (
        <h2>
          <Untrusted {...safeText(question.title)} />
        </h2>
      )}
      <div className="run-app__text">
        <Markdown text={question.text} />
      </div>
      {question.content != null && (
        <div className="run-app__content" tabIndex={0} role="region" aria-label="To review">
          {typeof question.content === "string" ? (
            <Markdown text={question.content} />
          ) : (
            <pre>{safeText(JSON.stringify(question.content, null, 2)).text}</pre>
          )}
        </div>
      )}
      {!question.may_answer ? (
        <p className="faint">Only {safeText((question.people ?? []).join(", ")).text} can answer this.</p>
      ) : (
        <>
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
          <div className="row">
            {deciding ? (
              decisionsOf(deciding, question.kind).map(({ at, label }, index) => (
                <Button
                  key={at}
                  look={index === 0 ? "primary" : "plain"}
                  disabled={isDisabled}
                  onClick={() => submit({ [deciding.name]: String(at) })}
                >
                  {safeText(label).text}
                </Button>
              ))
            ) : (
              <Button look="primary" icon="check" disabled={isDisabled} onClick={() => submit()}>
                Send answer
              </Button>
            )}
            {question.kind !== "approval" && (
              <Button look="quiet" disabled={isDisabled} onClick={() => void onAnswer({ declined: true })}>
                Decline
              </Button>
            )}
          </div>
        </>
      )}
    </section>
  );
}
