import { useMemo, useState, type ReactElement } from "react";
import { en } from "../text/en.ts";
import { countText } from "./money.tsx";
import { visibleLine, visibleText } from "./untrusted-text.ts";

interface UntrustedProps {
  readonly text: string;
  /** One line that is cut at its end; the whole of it on hover. */
  readonly isLine?: boolean;
  readonly charsMax?: number;
  readonly isMono?: boolean;
}

const CHARS_MAX = 4_000;

/** Text that an agent, a repository or a person of the run has written. It is only ever text, bounded, and wraps. */
export function Untrusted({ text, isLine = false, charsMax, isMono = false }: UntrustedProps): ReactElement {
  if (isLine) return <UntrustedLine text={text} charsMax={charsMax ?? 300} isMono={isMono} />;
  return <UntrustedBlock text={text} charsMax={charsMax ?? CHARS_MAX} isMono={isMono} />;
}

type Given = Required<Omit<UntrustedProps, "isLine">>;

function UntrustedLine({ text, charsMax, isMono }: Given): ReactElement {
  const line = useMemo(() => visibleLine(text, charsMax), [text, charsMax]);
  return (
    <bdi className={`untrusted-line ${isMono ? "mono" : ""}`} title={line}>
      {line}
    </bdi>
  );
}

function UntrustedBlock({ text, charsMax, isMono }: Given): ReactElement {
  const [isOpen, open] = useState(false);
  const isLong = text.length > charsMax;
  const shown = useMemo(
    () => visibleText(isLong && !isOpen ? text.slice(0, charsMax) : text),
    [text, isLong, isOpen, charsMax],
  );
  return (
    <div className="untrusted">
      <bdi className={`untrusted-text ${isMono ? "mono" : ""}`}>{shown}</bdi>
      {isLong && (
        <button type="button" className="link" onClick={() => open(!isOpen)}>
          {isOpen ? en.untrusted.less : en.untrusted.more(countText(text.length - charsMax))}
        </button>
      )}
    </div>
  );
}
