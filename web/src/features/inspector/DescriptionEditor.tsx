import { edit, endGesture } from "../../state/document";
import { changeNode } from "../../model/workflow/edits";
import type { Words } from "../../model/form/modes";
import { counted, MOST_CHARACTERS, withWords, wordsOf } from "../../model/form/modes";
import type { WorkflowNode } from "../../model/workflow/workflow";
import { Field } from "../../ui/Field";

/** What is wanted, in words, with how many characters that are. */
export function WordsEditor({ node, words, isReadOnly }: { node: WorkflowNode; words: Words; isReadOnly: boolean }) {
  const value = wordsOf(node.data, words);
  const { count, isRight } = counted(value, words.least);
  const type = (typed: string) =>
    edit((workflow) => changeNode(workflow, node.id, (one) => ({ ...one, data: withWords(one.data, words, typed, new Date().toISOString()) })), `words-${node.id}`);
  const note = (
    <span className={isRight ? "words__count" : "words__count field__fault"}>
      {count} of {MOST_CHARACTERS.toLocaleString("en")} characters{count < words.least ? `, at least ${words.least}` : ""}
    </span>
  );
  return (
    <Field label={words.label} note={note}>
      {(id, more) => <textarea id={id} className="textarea" rows={6} aria-describedby={more} aria-invalid={isRight ? undefined : true} value={value} readOnly={isReadOnly} onChange={(event) => type(event.target.value)} onBlur={endGesture} />}
    </Field>
  );
}
