import { Icon } from "./Icon";

/** An icon beside untrusted text with suspicious characters, where there is no room for a message. */
export function TextWarning({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  const words = `contains ${warnings.join(", ")}`;
  return (
    <span className="odd" title={`${words}; shown as plain text`}>
      <Icon name="alert" size={14} />
      <span className="visually-hidden">{words}</span>
    </span>
  );
}
