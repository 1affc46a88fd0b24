import { Hint } from "./Hint";
import { Untrusted } from "./Untrusted";

interface Props {
  message: { text: string; warnings: string[] };
  hint: readonly { text: string; href?: string }[];
  code: string;
}

/** Why a step failed and what to do about it, where its output would be. */
export function StepError({ message, hint, code }: Props) {
  return (
    <div className="step-error" role="alert">
      <strong>
        <Untrusted {...message} />
      </strong>
      {hint.length > 0 && (
        <p>
          <Hint parts={hint} />
        </p>
      )}
      <span className="mono faint">{code}</span>
    </div>
  );
}
