import type { ReactElement } from "react";
import type { AnswerOf } from "../../../../../src/api/client/client.ts";
import { en } from "../../../text/en.ts";
import { Time } from "../../../ui/time.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";

export type Said = AnswerOf<"getTranscript">["transcript"][number];

interface SaidEntryProps {
  readonly entry: Said;
  readonly isChosen: boolean;
  readonly charsMax?: number;
  readonly onChoose?: () => void;
}

/** Something that was said or done, with when, and by whom. */
export function SaidEntry({ entry, isChosen, charsMax = 4_000, onChoose }: SaidEntryProps): ReactElement {
  const { at, seq, kind, from, lines } = entry;
  return (
    <article
      className={`said-entry said-${kind}`}
      data-seq={seq}
      aria-current={isChosen ? "true" : undefined}
    >
      <div className="said-when muted small">
        {onChoose === undefined ? (
          <Time at={at} as="clock" />
        ) : (
          <button type="button" className="link" onClick={onChoose} title={en.run.timeline.inspector.title}>
            <Time at={at} as="clock" />
          </button>
        )}
      </div>
      <div className="said-what">
        {from !== null && from !== "agent" && (
          <span className="said-from">{en.run.conversation.from[from] ?? from}</span>
        )}
        <Untrusted
          text={lines.join("\n")}
          charsMax={charsMax}
          isMono={kind === "tool_call" || kind === "tool_result"}
        />
      </div>
    </article>
  );
}
