import { Fragment, useMemo, useState, type ReactElement } from "react";
import { en } from "../text/en.ts";
import { countText } from "./money.tsx";
import { Time } from "./time.tsx";
import { visibleLine, visibleText } from "./untrusted-text.ts";

interface UntrustedProps {
  readonly text: string;
  /** One line that is cut at its end; the whole of it on hover. */
  readonly isLine?: boolean;
  readonly charsMax?: number;
  readonly isMono?: boolean;
  /** Holdfast's own sentence: moments in it are shown as people think of them, the exact one on hover. */
  readonly hasTimes?: boolean;
}

const CHARS_MAX = 4_000;

/** Text that an agent, a repository or a person of the run has written. It is only ever text, bounded, and wraps. */
export function Untrusted(props: UntrustedProps): ReactElement {
  const { text, isLine = false, charsMax, isMono = false, hasTimes = false } = props;
  const given = { text, isMono, hasTimes };
  if (isLine) return <UntrustedLine {...given} charsMax={charsMax ?? 300} />;
  return <UntrustedBlock {...given} charsMax={charsMax ?? CHARS_MAX} />;
}

const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z)/;

const withTimes = (text: string): ReactElement => (
  <>
    {text.split(MOMENT).map((part, at) => (
      <Fragment key={at}>{at % 2 === 0 ? part : <Time at={part} as="clock" />}</Fragment>
    ))}
  </>
);

type Given = Required<Omit<UntrustedProps, "isLine">>;

function UntrustedLine({ text, charsMax, isMono, hasTimes }: Given): ReactElement {
  const line = useMemo(() => visibleLine(text, charsMax), [text, charsMax]);
  return (
    <bdi className={`untrusted-line ${isMono ? "mono" : ""}`} title={line}>
      {hasTimes ? withTimes(line) : line}
    </bdi>
  );
}

function UntrustedBlock({ text, charsMax, isMono, hasTimes }: Given): ReactElement {
  const [isOpen, open] = useState(false);
  const isLong = text.length > charsMax;
  const shown = useMemo(
    () => visibleText(isLong && !isOpen ? text.slice(0, charsMax) : text),
    [text, isLong, isOpen, charsMax],
  );
  return (
    <div className="untrusted">
      <bdi className={`untrusted-text ${isMono ? "mono" : ""}`}>{hasTimes ? withTimes(shown) : shown}</bdi>
      {isLong && (
        <button type="button" className="link" onClick={() => open(!isOpen)}>
          {isOpen ? en.untrusted.less : en.untrusted.more(countText(text.length - charsMax))}
        </button>
      )}
    </div>
  );
}
