/** Everything that waits for a person: the questions on the left, the selected one on the right. */

import { useEffect, useRef, useState } from "react";
import type { Question } from "../../model/form/answerForm";
import { choiceLabel } from "../../model/text/choiceLabel";
import { firstLine } from "../../model/text/markdown";
import { safeText } from "../../model/text/untrusted";
import { useHomeNotices, useQuestions, useUncertainSteps } from "../../queries/inbox";
import { registerCommands } from "../../state/commands";
import { hrefTo } from "../../state/route";
import { Badge } from "../../ui/Badge";
import { EmptyState } from "../../ui/EmptyState";
import { QuestionCard } from "./QuestionCard";
import { UncertainSteps } from "./UncertainSteps";
import "./inbox.css";

export function InboxPage({ chosen }: { chosen: string | null }) {
  const { data: questions, error } = useQuestions();
  const { data: steps } = useUncertainSteps();
  const { data: notices } = useHomeNotices();
  const [id, setId] = useState(chosen);
  const selected = questions?.find((question) => question.id === id) ?? questions?.[0];
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    // The focus goes along, so that the next Tab leads on from there.
    const open = (change: number) => {
      const lines = [...(list.current?.querySelectorAll<HTMLElement>("button") ?? [])];
      const next = lines[lines.findIndex((line) => line.ariaCurrent === "true") + change];
      next?.focus();
      next?.click();
    };
    return registerCommands([
      { id: "next-question", title: "Next question", keys: "j", run: () => open(1) },
      { id: "previous-question", title: "Previous question", keys: "k", run: () => open(-1) },
    ]);
  }, []);
  return (
    <div className="page">
      <div className="page__inner">
        <div className="page__head">
          <h1>Inbox</h1>
        </div>
        {error && <p role="alert">{error.message}</p>}
        {steps && steps.length > 0 && <UncertainSteps steps={steps} />}
        {questions?.length === 0 && steps?.length === 0 && (
          <EmptyState icon="inbox" title="Nothing to answer">
            <p>Questions from runs and interrupted steps appear here until they are answered.</p>
            <a className="button button--primary" href={hrefTo("runs")}>
              View runs
            </a>
          </EmptyState>
        )}
        {questions && selected && (
          <div className="inbox">
            <nav ref={list} className="inbox__list" aria-label="Open questions" data-stop="list">
              {questions.map((question) => (
                <QuestionItem
                  key={question.id}
                  question={question}
                  isOpen={question === selected}
                  onOpen={() => setId(question.id)}
                />
              ))}
              {questions.length > 1 && (
                <p className="faint" aria-hidden="true">
                  <kbd>J</kbd> next, <kbd>K</kbd> previous
                </p>
              )}
            </nav>
            <QuestionCard key={selected.id} question={selected} />
          </div>
        )}
        {notices && notices.length > 0 && (
          <section aria-label="System notices">
            <h2>Notices</h2>
            <ul>
              {notices.map(({ at, message }) => (
                <li key={at + message}>
                  <time dateTime={at}>{new Date(at).toLocaleString()}</time>: {safeText(message).text}
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </div>
  );
}

function QuestionItem({ question, isOpen, onOpen }: { question: Question; isOpen: boolean; onOpen(): void }) {
  const asked = question.question;
  return (
    <button type="button" className="inbox__line" aria-current={isOpen} onClick={onOpen}>
      <span className="inbox__title">{firstLine(safeText(asked.title || asked.text).text)}</span>
      <span className="row faint">
        <Badge>{choiceLabel(asked.kind)}</Badge>
        <bdi>{question.workflow || `run ${question.run.slice(0, 8)}`}</bdi>
      </span>
    </button>
  );
}
