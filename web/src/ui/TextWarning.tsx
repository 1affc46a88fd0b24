import { Icon } from "./Icon";

/** A small mark beside a name of others, where there is no room for words. */
export function TextWarning({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  const words = `contains ${warnings.join(", ")}`;
  return (
    <span className="odd" title={`${words}; it is shown as text only`}>
      <Icon name="alert" size={14} />
      <span className="visually-hidden">{words}</span>
    </span>
  );
}
