import { useState } from "react";
import type { DescriptionField } from "../../model/form/modes";
import { checkLength, MAX_CHARACTERS, withDescription, descriptionOf } from "../../model/form/modes";
import { changeNode } from "../../model/workflow/edits";
import type { WorkflowNode } from "../../model/workflow/workflow";
import { useEditor } from "../../state/editorContext";
import { Field } from "../../ui/Field";

/** A description in natural language with a character count. */
export function DescriptionEditor({
  node,
  field,
  isReadOnly,
}: {
  node: WorkflowNode;
  field: DescriptionField;
  isReadOnly: boolean;
}) {
  const editor = useEditor();
  const [wasLeft, setWasLeft] = useState(false);
  const value = descriptionOf(node.data, field);
  const { count, isRight: hasLength } = checkLength(value, field.minLength);
  // A description that nobody wrote yet is no error.
  const isRight = hasLength || (value === "" && !wasLeft);
  const type = (typed: string) =>
    editor.document.edit(
      (workflow) =>
        changeNode(workflow, node.id, (current) => ({
          ...current,
          data: withDescription(current.data, field, typed, new Date().toISOString()),
        })),
      `words-${node.id}`,
    );
  const note = (
    <span className={isRight ? "words__count" : "words__count field__fault"}>
      {count} of {MAX_CHARACTERS.toLocaleString("en")} characters
      {count < field.minLength ? `, at least ${field.minLength}` : ""}
    </span>
  );
  return (
    <Field label={field.label} note={note}>
      {(id, more) => (
        <textarea
          id={id}
          className="textarea"
          rows={6}
          aria-describedby={more}
          aria-invalid={isRight ? undefined : true}
          value={value}
          readOnly={isReadOnly}
          onChange={(event) => type(event.target.value)}
          onBlur={() => (setWasLeft(true), editor.document.endGesture())}
        />
      )}
    </Field>
  );
}
