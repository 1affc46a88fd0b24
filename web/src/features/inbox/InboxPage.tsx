/** Everything that waits for a person: questions at the left, the chosen one at the right. */

import { useState } from "react";
import type { Question } from "../../model/form/answerForm";
import { shownText } from "../../model/text/untrusted";
import { useQuestions, useUncertain } from "../../queries/inbox";
import { Badge } from "../../ui/Badge";
import { Empty } from "../../ui/EmptyState";
import { QuestionCard } from "./QuestionCard";
import { UncertainSteps } from "./UncertainSteps";
import "./inbox.css";

export function InboxPage({ chosen }: { chosen: string | null }) {
  const { data: questions, error } = useQuestions();
  const { data: steps } = useUncertain();
  const [id, choose] = useState(chosen);
  const open = questions?.find((one) => one.id === id) ?? questions?.[0];
  return (
    <div className="page">
      <div className="page__inner">
        <div className="page__head">
          <h1>Inbox</h1>
        </div>
        {error && <p role="alert">{error.message}</p>}
        {steps && steps.length > 0 && <UncertainSteps steps={steps} />}
        {questions?.length === 0 && steps?.length === 0 && (
          <Empty title="Nothing waits for you">
            <p>When a run asks somebody, or may have done something twice, it stands here until it is answered.</p>
          </Empty>
        )}
        {questions && open && (
          <div className="inbox">
            <nav className="inbox__list" aria-label="Open questions">
              {questions.map((one) => (
                <Line key={one.id} question={one} isOpen={one === open} onOpen={() => choose(one.id)} />
              ))}
            </nav>
            <QuestionCard key={open.id} question={open} />
          </div>
        )}
      </div>
    </div>
  );
}

function Line({ question, isOpen, onOpen }: { question: Question; isOpen: boolean; onOpen(): void }) {
  const asked = question.question;
  return (
    <button type="button" className="inbox__line" aria-current={isOpen} onClick={onOpen}>
      <span className="inbox__title">{shownText(asked.title || asked.text).text}</span>
      <span className="row faint">
        <Badge>{asked.kind}</Badge>
        <bdi>{question.workflow || `run ${question.run.slice(0, 8)}`}</bdi>
      </span>
    </button>
  );
}
