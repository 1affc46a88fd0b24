/** A question of the run, answered in place. */

import { AnswerForm, QuestionText } from "../features/inbox/QuestionParts";
import type { AppQuestion } from "../model/run/appRun";
import { safeText } from "../model/text/untrusted";
import type { Json } from "../model/workflow/workflow";

interface Props {
  question: AppQuestion;
  isDisabled: boolean;
  onAnswer(reply: Json): Promise<boolean>;
}

export function RunQuestion({ question, isDisabled, onAnswer }: Props) {
  return (
    <section className="run-app__question" aria-label="Question">
      <QuestionText question={question} />
      {question.may_answer ? (
        <AnswerForm question={question} isDisabled={isDisabled} onSend={(reply) => void onAnswer(reply)} />
      ) : (
        <p className="faint">Only {safeText((question.people ?? []).join(", ")).text} can answer this.</p>
      )}
    </section>
  );
}
