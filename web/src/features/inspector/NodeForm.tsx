/** The fields of a node in sections, each with its problems; problems without a field come last. */

import type { ReactNode } from "react";
import { useMemo } from "react";
import { useStore } from "zustand";
import type { Problem } from "../../api/client";
import type { FormSection } from "../../model/form/problems";
import { currentProblems, fieldPointers, MISSING_VALUE, placeProblems } from "../../model/form/problems";
import { hintParts } from "../../model/text/hints";
import type { WorkflowNode } from "../../model/workflow/workflow";
import { useNames } from "../../queries/expressions";
import { useEditor, useProblems, useRunState } from "../../state/editorContext";
import { Hint } from "../../ui/Hint";
import { CollapsibleSection } from "./CollapsibleSection";
import { FormContext } from "./formContext";
import { ParameterField } from "./ParameterField";
import "./form.css";

const NO_PROBLEMS: readonly Problem[] = [];

export interface TitledSection extends FormSection {
  title: string;
  isFolded?: boolean;
}

interface Props {
  node: WorkflowNode;
  sections: readonly TitledSection[];
  isReadOnly: boolean;
  /** The values are literal: the node has no expressions. */
  isPlain?: boolean;
  /** Codes of problems that are shown elsewhere. */
  besides?: ReadonlySet<string>;
  children?: ReactNode;
}

export function NodeForm({ node, sections, isReadOnly, isPlain = false, besides, children }: Props) {
  const problems = useProblems((state) => state.byNode[node.id] ?? NO_PROBLEMS);
  const validated = useProblems((state) => state.validated?.nodes.find(({ id }) => id === node.id)?.data);
  const isUntouched = useIsUntouched(node.id);
  const placed = useMemo(() => {
    const shown = currentProblems(problems, validated, node.data).filter(
      ({ code }) => !besides?.has(code) && !(isUntouched && MISSING_VALUE.has(code)),
    );
    return placeProblems(shown, fieldPointers(sections, node.data));
  }, [problems, validated, sections, node.data, besides, isUntouched]);
  const { data: names } = useNames(node.id);
  const form = useMemo(
    () => ({ node: node.id, data: node.data, placed, isReadOnly, names, isPlain, Inner: ParameterField }),
    [node.id, node.data, placed, isReadOnly, names, isPlain],
  );
  const nonEmpty = sections.filter(({ parameters }) => parameters.length > 0);
  return (
    <FormContext value={form}>
      {nonEmpty.map((section) =>
        nonEmpty.length === 1 && !section.isFolded ? (
          <Fields key={section.title} section={section} />
        ) : (
          <CollapsibleSection key={section.title} title={section.title} isOpen={!section.isFolded}>
            <Fields section={section} />
          </CollapsibleSection>
        ),
      )}
      {children}
      {placed.rest.map((problem) => (
        <div
          key={problem.code + problem.pointer}
          className={`inspector__problem inspector__problem--${problem.severity}`}
        >
          {problem.message}
          {problem.hint && (
            <div className="faint">
              <Hint parts={hintParts(problem.hint)} />
            </div>
          )}
        </div>
      ))}
    </FormContext>
  );
}

/** Whether nobody edited or ran the node yet: what is missing then is still to be entered. */
function useIsUntouched(node: string): boolean {
  const isKnown = useStore(useEditor().formAttention.store, ({ nodes }) => nodes.has(node));
  const hasRun = useRunState(({ run }) => run?.stepsOfNode[node] !== undefined);
  return !isKnown && !hasRun;
}

function Fields({ section }: { section: TitledSection }) {
  return section.parameters.map((parameter) => (
    <ParameterField
      key={parameter.name}
      parameter={parameter}
      path={[...section.path, parameter.name]}
      depth={0}
    />
  ));
}
