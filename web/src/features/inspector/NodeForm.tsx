/** The fields of a node in sections, with what is wrong under each; what belongs to no field comes last. */

import type { ReactNode } from "react";
import { useId, useMemo } from "react";
import { useStore } from "zustand";
import type { Problem } from "../../api/client";
import { documentStore } from "../../model/documentStore";
import { expressionsFor } from "../../model/formExpressions";
import type { Section } from "../../model/formProblems";
import { fieldsOf, placeProblems } from "../../model/formProblems";
import { problemStore } from "../../model/problemStore";
import type { WorkflowNode } from "../../model/workflow";
import { Fold } from "./Fold";
import "./form.css";
import { FormContext } from "./form";
import { ParameterField } from "./ParameterField";

const NONE: readonly Problem[] = [];

export interface TitledSection extends Section {
  title: string;
  isFolded?: boolean;
}

interface Props {
  node: WorkflowNode;
  sections: readonly TitledSection[];
  isReadOnly: boolean;
  /** Its values are written out: nothing of it is worked out when it runs. */
  isPlain?: boolean;
  /** Codes of problems that are shown elsewhere. */
  besides?: ReadonlySet<string>;
  children?: ReactNode;
}

export function NodeForm({ node, sections, isReadOnly, isPlain = false, besides, children }: Props) {
  const problems = useStore(problemStore, (state) => state.byNode[node.id] ?? NONE);
  const placed = useMemo(() => {
    const left = besides ? problems.filter(({ code }) => !besides.has(code)) : problems;
    return placeProblems(left, fieldsOf(sections, node.data));
  }, [problems, sections, node.data, besides]);
  const list = useId();
  const expressions = isPlain ? null : list;
  const form = useMemo(() => ({ node: node.id, data: node.data, placed, isReadOnly, expressions, Inner: ParameterField }), [node.id, node.data, placed, isReadOnly, expressions]);
  const filled = sections.filter(({ parameters }) => parameters.length > 0);
  return (
    <FormContext value={form}>
      {filled.map((section) =>
        filled.length === 1 && !section.isFolded ? (
          <Fields key={section.title} section={section} />
        ) : (
          <Fold key={section.title} title={section.title} isOpen={!section.isFolded}>
            <Fields section={section} />
          </Fold>
        ),
      )}
      {expressions && <Expressions id={expressions} node={node.id} />}
      {children}
      {placed.rest.map((problem) => (
        <div key={problem.code + problem.pointer} className={`inspector__problem inspector__problem--${problem.severity}`}>
          {problem.message}
          {problem.hint && <div className="faint">{problem.hint}</div>}
        </div>
      ))}
    </FormContext>
  );
}

function Fields({ section }: { section: TitledSection }) {
  return section.parameters.map((one) => <ParameterField key={one.name} parameter={one} path={[...section.path, one.name]} depth={0} />);
}

/** What can be named here, once for all fields. */
function Expressions({ id, node }: { id: string; node: string }) {
  const workflow = useStore(documentStore, (state) => state.history?.present ?? null);
  const found = useMemo(() => (workflow ? expressionsFor(workflow, node) : []), [workflow, node]);
  return (
    <datalist id={id}>
      {found.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  );
}
