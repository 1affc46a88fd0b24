import { hrefTo } from "../../state/route";
import { EmptyState } from "../../ui/EmptyState";

/** What to do when there is no language model; `who` would ask it. */
export function NoModel({ who }: { who: string }) {
  return (
    <EmptyState icon="spark" title="No model yet">
      <p>{who} asks a language model. Add one that you have an account for, or one that runs locally.</p>
      <a className="button button--primary" href={hrefTo("manage", "models")}>
        Add a model
      </a>
    </EmptyState>
  );
}
