import { useEffect, useState, type ReactElement } from "react";
import { en } from "../../text/en.ts";
import { copyText } from "../copy-text.ts";
import { visibleText } from "../untrusted-text.ts";

type Copied = "no" | "yes" | "failed";
const COPIED_MS = 2_000;

/** A command as it is pasted into a shell. What is copied is the command, to the character. */
export function CommandText({ command }: { readonly command: string }): ReactElement {
  const [copied, setCopied] = useState<Copied>("no");
  useEffect(() => {
    if (copied === "no") return;
    const timer = setTimeout(() => setCopied("no"), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => void copyText(command).then((isCopied) => setCopied(isCopied ? "yes" : "failed"));
  const word = copied === "yes" ? en.copy.copied : copied === "failed" ? en.copy.failed : en.copy.copy;
  return (
    <span className="command">
      <code className="command-text">
        <span className="command-prompt" aria-hidden="true">
          ${" "}
        </span>
        <bdi>{visibleText(command)}</bdi>
      </code>
      <button
        type="button"
        className="command-copy"
        aria-label={en.copy.label(command)}
        data-command={command}
        onClick={copy}
      >
        <span aria-live="polite">{word}</span>
      </button>
    </span>
  );
}
