/** What a step of a run waits for a person to decide, where the run is shown. */

import { useQuestions, useUncertainSteps } from "../../queries/inbox";
import { hrefTo } from "../../state/route";
import { QuestionCard } from "./QuestionCard";
import { UncertainSteps } from "./UncertainSteps";
import "./inbox.css";

export function StepDecision({ run, step }: { run: string; step: string }) {
  const { data: questions } = useQuestions();
  const { data: uncertain } = useUncertainSteps();
  const question = questions?.find((one) => one.run === run && one.step === step);
  if (question) return <QuestionCard key={question.id} question={question} isInRun />;
  const steps = uncertain?.filter((one) => one.run === run && one.step === step) ?? [];
  if (steps.length > 0) return <UncertainSteps steps={steps} />;
  return (
    <p className="faint">
      Waiting for a decision in the <a href={hrefTo("inbox")}>inbox</a>.
    </p>
  );
}
