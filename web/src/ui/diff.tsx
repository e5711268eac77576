import { useMemo, useState, type ReactElement } from "react";
import { en } from "../text/en.ts";
import { countText } from "./money.tsx";
import { visibleText } from "./untrusted-text.ts";

const LINES_SHOWN = 400;
const LINE_CHARS = 1_000;

const kindOf = (line: string): string => {
  if (/^(?:\+\+\+|---) /.test(line)) return "head";
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "place" : "same";
};

/** The text of a patch: added and removed lines by their sign, and a colour beside it. */
export function Diff({ text }: { readonly text: string }): ReactElement {
  const [isOpen, open] = useState(false);
  const lines = useMemo(() => text.split("\n"), [text]);
  const shown = isOpen ? lines : lines.slice(0, LINES_SHOWN);
  return (
    <div className="diff">
      <pre tabIndex={0}>
        {shown.map((line, at) => (
          <span key={at} className={`diff-${kindOf(line)}`}>
            {line.slice(0, 1)}
            {visibleText(line.slice(1, LINE_CHARS))}
            {"\n"}
          </span>
        ))}
      </pre>
      {lines.length > LINES_SHOWN && (
        <button type="button" className="link" onClick={() => open(!isOpen)}>
          {isOpen ? en.untrusted.less : en.untrusted.moreLines(countText(lines.length - LINES_SHOWN))}
        </button>
      )}
    </div>
  );
}
